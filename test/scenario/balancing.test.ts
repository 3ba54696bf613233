/** How switches choose among equal routes, and what it does to loads. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RandomStream } from '../../services/engine/kernel/random.js';
import { placeEachAlone } from '../../services/fabric/placement/placement.js';
import { Cluster } from '../../services/hunt/worlds/services-in-memory.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { runsAlike } from '../kit/alike.js';
import { fabricOf, runScenario } from '../kit/emulate.js';

/** Random pairs over a fat-tree whose switches have one bandwidth-delay product (160 KB) a port. */
const pairs = (k: number, ecmp: string, seed = 1): string => `
seed: ${seed}
fabric:
  generator: fat-tree
  k: ${k}
  hostLink: { rate: 100G, length: 200m }
  fabricLink: { rate: 100G, length: 200m }
switches: { ecmp: ${ecmp}, buffer: { size: ${160 * k}KB } }
priorities: { 3: pfc }
load:
  - name: p
    permutation: {}
    bytes: 2MB
    priority: 3
    transport: { selective: { mtu: 4096, ackEvery: 8 } }
`;

const slowest = ({ flows }: RunResults): number =>
  Math.max(...flows.map(({ slowdown }) => slowdown ?? Infinity));

const crossed = (ecmp: string, more = ''): string => `
fabric: { generator: leaf-spine, leaves: 3, spines: 3, hostsPerLeaf: 2 }
switches: { ecmp: ${ecmp}, buffer: { size: 200KB } }
priorities: { 1: pfc }
load:
  - { permutation: {}, bytes: 200KB, priority: 1, transport: { selective: { mtu: 512 } } }
  - { incast: { from: [h1, h2, h3], to: h6 }, bytes: 50KB, priority: 2, transport: selective }
${more}
`;

describe('a sprayed permutation of random pairs', () => {
  for (const ecmp of ['packet', '{ packet: { order: random } }', 'adaptive']) {
    it(`ends within 1.15 of its ideal time, loses and resends nothing: ${ecmp}`, () => {
      for (let seed = 1; seed <= 5; seed++) {
        const results = runScenario(pairs(4, ecmp, seed));
        assert.ok(slowest(results) < 1.15, `seed ${seed}: ${slowest(results)}`);
        assert.ok(results.flows.every(({ retransmittedFrames }) => retransmittedFrames === 0));
        assert.deepEqual(results.priorities[0]!.drops, {});
      }
    });
  }

  it('does so at k=8', () => {
    const results = runScenario(pairs(8, 'packet'), 'load.p.transport.selective.ackPriority=6');
    assert.ok(slowest(results) < 1.15, `${slowest(results)}`);
  });

  it('takes longer in a fixed round, which flows in step keep to, and by hash', () => {
    const fixed = slowest(runScenario(pairs(4, '{ packet: { order: fixed } }')));
    assert.ok(fixed > 1.15, `${fixed}`);
    // Where each frame takes the shortest queue exactly, that is the one that has just sent.
    const exact = slowest(runScenario(pairs(8, '{ adaptive: { band: 1B } }')));
    assert.ok(exact > 1.25, `${exact}`);
    assert.ok(slowest(runScenario(pairs(4, 'flow'))) > 1.5);
  });
});

describe('a load balancing', () => {
  const failing = `
faults:
  - { kind: link-down, where: { device: leaf1, peer: spine2 }, at: 5us, for: 20us }
`;
  for (const ecmp of [
    'packet',
    '{ packet: { order: random, hashBelow: 100B } }',
    '{ adaptive: { by: pause-queue } }',
    '{ adaptive: { candidates: 2, remember: true, priorities: [1] } }',
    '{ flowlet: { gap: 1us, flows: 3 } }',
    '{ flowlet: { gap: 0ns, choose: queue } }',
  ]) {
    it(`has one digest in all runners, with failures and restored: ${ecmp}`, async () => {
      const failover = 'failover: { detection: 1us, reconvergence: 3us }, ecmp';
      const fabric = fabricOf(crossed(ecmp, failing).replace('ecmp', failover));
      const results = await runsAlike(fabric, Infinity, [3e6, 7e6, 17_123_456]);
      assert.equal(results.status, 'complete');
      const cluster = new Cluster(fabric, placeEachAlone(fabric.topology), new RandomStream(1, ''));
      cluster.run();
      assert.deepEqual(cluster.results(false), results);
    });
  }

  it('spreads the priorities that it is to, and warns of ordered loads of those only', () => {
    const of = (priority: number): readonly { readonly message: string }[] =>
      runScenario(`
fabric: { generator: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 1 }
switches: { ecmp: { packet: { priorities: [1] } } }
load: [ { stream: { from: h1, to: h2 }, bytes: 50KB, priority: ${priority}, transport: reliable } ]
`).warnings;
    assert.match(of(1)[0]!.message, /spreads the frames/);
    assert.deepEqual(of(2), []);
  });

  it('is refused with place, value and remedy', () => {
    const refused = (ecmp: string): string => {
      try {
        fabricOf(crossed(ecmp));
      } catch (error) {
        return (error as Error).message;
      }
      return '';
    };
    assert.match(refused('adaptve'), /switches\.ecmp: unknown: adaptve; .*did you mean adaptive/);
    assert.match(
      refused('{ adaptive: { candidates: 0 } }'),
      /candidates: .*: 0; write a whole number/,
    );
    assert.match(refused('{ flowlet: { gap: fast } }'), /gap: .*fast/);
    assert.match(refused('{ packet: { priorities: [9] } }'), /priorities.*9/);
    assert.match(refused('{ letflow: {} }'), /ecmp/);
  });
});
