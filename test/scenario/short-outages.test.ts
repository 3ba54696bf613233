/** A link is down for less time than frames take over it: none of before arrives after. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { run, fabricOf } from '../kit/emulate.js';
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
        assert.deepEqual((await inThreads(fabric, 3).run()).results, alone);
      });
    }
  }
});
