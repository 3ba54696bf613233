/** One end of a link no longer receives LLDP: neither end waits for credit that no one grants. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunResults } from '../../services/runtime/results/results.js';
import { runScenario } from '../kit/emulate.js';

const FRAME_BITS = 8 * 1500;
const DURATION_US = 600;

/** Half the line rate from h1 to h2 and back; h2 changes, or the link to it does. */
function oneWay(fallback: string, what: string): string {
  return `
duration: ${DURATION_US}us
fabric: { generator: star, hosts: 2 }
priorities: { 1: { flowControl: credit, xoff: 40KB } }
credit: { fallback: ${fallback} }
load: [ { name: a, stream: { from: [h1, h2], to: [h2, h1] }, rate: 50%, priority: 1 } ]
${what}
`;
}

const SENDS_ONLY =
  'discovery: { second: 1us, changes: [ { at: 50us, devices: h2, status: send } ] }';
const RECEIVES_ONLY = SENDS_ONLY.replace('send', 'receive');
/** LLDP ages after 121 s of its time. */
const LOSES_LLDP = `
discovery: { second: 1us }
faults: [ { kind: control, where: { device: h2 }, frames: lldp, action: lose, at: 50us } ]`;

function framesOf({ flows }: RunResults): number[] {
  return flows.map(({ frames }) => frames);
}

/** By port: priorities with credit, one bit each. */
function creditOf({ discovery }: RunResults): ReadonlyMap<string, number> {
  return new Map(discovery!.ports.map(({ port, credit }) => [port, credit.priorities]));
}

describe('a link on which LLDP goes one way only', () => {
  for (const [name, what] of Object.entries({ SENDS_ONLY, RECEIVES_ONLY, LOSES_LLDP })) {
    it(`leaves credit at both ends, loses nothing and goes on under PFC: ${name}`, () => {
      const results = runScenario(oneWay('pfc', what));
      assert.equal(results.status, 'complete', JSON.stringify(results.failure));
      const credit = creditOf(results);
      assert.deepEqual([credit.get('s1:p1'), credit.get('s1:p2'), credit.get('h2:p1')], [2, 0, 0]);
      const drops = results.ports.flatMap((port) => port.priorities.map((own) => own.drops));
      assert.deepEqual(drops.flatMap(Object.keys), []);
      const offered = (DURATION_US * 50_000) / FRAME_BITS;
      for (const frames of framesOf(results)) assert.ok(frames > 0.93 * offered, `${frames}`);
      const told = results.discovery!.ports.filter(({ mismatches }) => mismatches.length > 0);
      assert.ok(
        told.some(({ port, mismatches }) => port === 's1:p2' && mismatches[0] === 'credit'),
      );
    });
  }

  it('sends nothing where the fallback is to refuse, and loses nothing', () => {
    const results = runScenario(oneWay('refuse', SENDS_ONLY));
    const drops = results.ports.flatMap((port) => port.priorities.map((own) => own.drops));
    assert.deepEqual(drops.flatMap(Object.keys), []);
    const offered = (DURATION_US * 50_000) / FRAME_BITS;
    for (const frames of framesOf(results)) assert.ok(frames < 0.2 * offered, `${frames}`);
  });
});
