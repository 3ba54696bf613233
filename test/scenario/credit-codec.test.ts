/** Which messages a link has whose ends support CE frames, those of CBFC, or both. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whatIsWrong } from '../../services/hunt/worlds/world-trial.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { fabricOf, run } from '../kit/emulate.js';

/** One priority at four hosts around a switch, which supports both. */
const text = (devices: string, more = ''): string => `duration: 100us
fabric: { generator: star, hosts: 4, hostLink: { rate: 100G, length: 30m } }
priorities: { 3: credit }
credit: { codec: both }
devices: { h1: { credit: { codec: ce } }, h2: { credit: { codec: cbfc } }${devices} }
load:
  - { name: in, incast: { from: [h1, h2, h3], to: h4 }, priority: 3, bytes: 100KB }
  - { name: out, incast: { from: [h3, h4], to: h1 }, priority: 3, bytes: 50KB }
  - { name: back, stream: { from: h3, to: h2 }, priority: 3, rate: 20G }
${more}`;
const LIVE = 'discovery: { second: 1us }\n';
const [CE, CBFC] = ['credit', 'cbfc'];

/** The scenario runs to its end, loses nothing, and is the same in every runner. */
function sound(scenario: string): RunResults {
  const fabric = fabricOf(scenario);
  const results = run(fabric);
  assert.equal(results.status, 'complete', JSON.stringify(results.failure));
  assert.ok(results.priorities.every(({ drops }) => Object.keys(drops).length === 0));
  assert.ok(results.flows.every(({ frames }) => frames > 10));
  assert.equal(whatIsWrong(fabric, 1), null);
  return results;
}

/** By port of the switch: what messages the link has. */
function methodsOf(scenario: string): string[] {
  const { specs, linkEnds, mechanisms } = fabricOf(scenario);
  const bridge = specs.findIndex(({ kind }) => kind === 'switch');
  const cbfc = mechanisms.find(({ slice }) => slice.name === 'cbfc')!;
  return linkEnds[bridge]!.map((_, port) => {
    const { flowControl } = cbfc.context.devices[bridge]!.links[port]!;
    const isCe = specs[bridge]!.ports[port]!.grants !== null;
    assert.equal(isCe, flowControl[3] === CE);
    return flowControl[3]!;
  });
}

describe('the codec of a link', () => {
  it('is the one that both of its ends support, and of two CBFC', () => {
    assert.deepEqual(methodsOf(text('')), [CE, CBFC, CBFC, CBFC]);
    sound(text(''));
  });

  it('is agreed upon by the CET TLV', () => {
    const { discovery } = sound(text('', LIVE));
    const agreed = (name: string): number[] => {
      const { credit, mismatches } = discovery!.ports.find(({ port }) => port === name)!;
      assert.deepEqual(mismatches, []);
      return [credit.priorities, credit.cbfc];
    };
    for (const name of ['h1:p1', 's1:p1']) assert.deepEqual(agreed(name), [8, 0]);
    for (const name of ['h2:p1', 's1:p2', 'h3:p1', 's1:p4']) assert.deepEqual(agreed(name), [0, 8]);
  });

  it('is the method of a path, link by link', () => {
    const { paths } = sound(text('', LIVE)).discovery!;
    const verdict = (a: string, b: string): string =>
      paths.find(({ from, to }) => from === a && to === b)!.verdict;
    assert.equal(verdict('h2', 'h4'), 'lossless');
    assert.equal(verdict('h1', 'h4'), 'lossless, mixed');
  });

  it('does not exist where the ends have none in common', () => {
    const devices = ', s1: { credit: { codec: ce } }';
    assert.throws(
      () => fabricOf(text(devices)),
      /priority 3 has credit with codec cbfc at h2:p1, and ce at s1:p2; codec: both at one/,
    );
    const fallsBack = text(devices).replace('{ codec: both }', '{ codec: both, fallback: pfc }');
    assert.deepEqual(methodsOf(fallsBack), [CE, 'pfc', CE, CE]);
    const { discovery, flows } = run(fabricOf(text(devices, LIVE)));
    const { mismatches } = discovery!.ports.find(({ port }) => port === 'h2:p1')!;
    assert.deepEqual(mismatches, ['credit']);
    assert.ok(flows.every(({ frames, source }) => source !== 'h2' || frames === 0));
  });

  it('is refused where entries of DCBX could not say it, and where priorities change', () => {
    assert.throws(
      () => fabricOf(text(', h3: { credit: { cet: application } }', LIVE)),
      /h3 has codec: both, which entries of DCBX cannot say; cet: both/,
    );
    const change = 'changes: [{ at: 10us, devices: h3, credit: [] }]';
    assert.throws(
      () => fabricOf(text('', `discovery: { second: 1us, ${change} }\n`)),
      /h3 has codec: both, whose priorities cannot change; codec: ce/,
    );
  });
});
