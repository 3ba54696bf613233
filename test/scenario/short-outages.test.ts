/** Links that carry nothing for a moment, and what of it credit takes to recover. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fabricOf, run, runScenario } from '../kit/emulate.js';
import { isLong } from '../kit/long-suite.js';
import { inThreads } from '../kit/threads.js';

const LINES = `
duration: 140us
fabric: { generator: star, hosts: 2, hostLink: { rate: 25G, length: 100m } }
switches: { pipeline: 200ns, buffer: { size: 32MB } }
priorities: { 4: { flowControl: credit } }
load: [ { name: a, stream: { from: h1, to: h2 }, rate: line, priority: 4, frame: 4000 } ]
faults: [ { kind: link-down, where: { device: s1, peer: h1 }, at: 60us, for: 300ns, every: 28us } ]
`;

describe('an outage that is shorter than the flight of a frame', () => {
  for (const counts of ['incremental', 'cumulative']) {
    for (const set of [
      [],
      ['faults.0.for=1us'],
      ['fabric.hostLink.rate=10G', 'fabric.hostLink.length=10m', 'faults.0.at=58.9us'],
      ['fabric.hostLink.length=2km'],
      ['fabric.hostLink.length=2km', 'credit.tags=true', 'switches.cutThrough=true'],
    ]) {
      it(`makes no credit: ${counts} ${set.join(' ')}`, async () => {
        const fabric = fabricOf(LINES, `credit.counts=${counts}`, ...set);
        const alone = run(fabric);
        assert.equal(alone.status, 'complete', JSON.stringify(alone.failure));
        const drops = alone.ports.flatMap((port) => port.priorities.map((own) => own.drops));
        assert.deepEqual([...new Set(drops.flatMap(Object.keys))], ['link-down']);
        const { frames } = alone.flows[0]!;
        assert.ok(frames > 20, `${frames} frames`);
        assert.deepEqual((await inThreads(fabric, 2).run()).results, alone);
      });
    }
  }
});

/** Two tenants one way and one the other; nothing arrives at an end of a link for a while. */
function outage(ports: readonly string[], atUs: number, forUs: number): string {
  const faults = ports.map(
    (port) =>
      `\n  - { kind: loss, where: { port: '${port}' }, probability: 100%, at: ${atUs}us, for: ${forUs}us }`,
  );
  return `
duration: 900us
fabric: { generator: star, hosts: 2, hostLink: { rate: 10G, length: 1m } }
priorities: { 3: credit }
credit: { request: never, channels: [ { channel: 1, vlans: [5] }, { channel: 2, vlans: [6] } ] }
load:
  - { name: a, stream: { from: h1, to: h2 }, rate: 49%, priority: 3, transport: raw, frame: 1500, vlan: 5 }
  - { name: b, stream: { from: h1, to: h2 }, rate: 49%, priority: 3, transport: raw, frame: 400, vlan: 6 }
  - { name: c, stream: { from: h2, to: h1 }, rate: 98%, priority: 3, transport: raw, frame: 900, vlan: 6 }
${faults.length === 0 ? '' : `faults:${faults.join('')}`}
`;
}

describe('an outage in which credit is lost that no sender demands again', () => {
  const DURATION_US = 900;
  /** A report and a refresh. */
  const REPEATED_US = 40;
  const PORTS = [['s1:p1'], ['h1:p1'], ['s1:p1', 'h1:p1'], ['h2:p1']];
  for (const [length, roundTripUs] of [
    ['1m', 4],
    ['1km', 14],
  ] as const) {
    for (const terms of ['grant=static', 'grant=demand', 'tags=true']) {
      const set = [`fabric.hostLink.length=${length}`, `credit.${terms}`];
      it(`is over a report and a refresh after its end: ${length}, ${terms}`, () => {
        const sound = runScenario(outage([], 0, 0), ...set);
        for (const [n, forUs] of [3, 41, 61, 83, 140, 260].entries()) {
          const ports = PORTS[n % PORTS.length]!;
          // An account that begins is tried `syncTries` times, and then at every `keepAlive`.
          for (const atUs of forUs < 90 ? [0, 100 + 7 * n] : [100 + 7 * n]) {
            const results = runScenario(outage(ports, atUs, forUs), ...set);
            assert.equal(results.status, 'complete', JSON.stringify(results.failure));
            assert.deepEqual(results.lostCredits, []);
            for (const { flow, name, frames } of results.flows) {
              const missingUs = (1 - frames / sound.flows[flow]!.frames) * DURATION_US;
              const mostUs = forUs + REPEATED_US + 4 * roundTripUs;
              assert.ok(missingUs < mostUs, `${name}: ${missingUs} us, ${ports.join()} at ${atUs}`);
            }
          }
        }
      });
    }
  }

  for (const ports of PORTS) {
    it(`has one digest in threads: ${ports.join()}`, async () => {
      const fabric = fabricOf(outage(ports, 93, 77));
      const alone = run(fabric);
      for (const threads of isLong ? [2, 3] : [3]) {
        assert.deepEqual((await inThreads(fabric, threads).run()).results, alone);
      }
    });
  }
});
