import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { repeatRun } from '../../services/runtime/repeat-run.js';
import { whyOf } from '../../services/report/why.js';
import type { CongestionTree } from '../../services/telemetry/congestion/congestion-trees.js';
import { fabricOf } from '../kit/emulate.js';

function treesOf(scenario: string, ...set: string[]): readonly CongestionTree[] {
  const fabric = fabricOf(scenario, ...set);
  const { results, congestion } = repeatRun(fabric, null, null);
  return whyOf(fabric, results, congestion).trees;
}

function culpritsOf({ culprits }: CongestionTree): string[] {
  return culprits.map(({ flow }) => flow).sort();
}

/** Two hosts send to one, and one host to another, over a link between two switches. */
function pair(priority: string, more: string): string {
  return `
name: known-cause
duration: 100us
fabric:
  generator: dumbbell
  left: 2
  right: 2
  hostLink: { rate: 100G, length: 10m }
  fabricLink: { rate: 100G, length: 1km }
switches: { buffer: { size: 8MB } }
priorities: { 3: ${priority} }
${more}
load:
  - { name: one, stream: { from: h1, to: h3 }, rate: line, frame: 1518, priority: 3 }
`;
}

describe('the first cause that is named', () => {
  it('is the contended port, and the flows that fill it, where tenants have credit of their own', () => {
    const [worst, ...rest] = treesOf('examples/credit-tenants.yaml');
    assert.equal(worst!.root.port, 'leaf2:p1');
    assert.deepEqual(culpritsOf(worst!), ['red/h1->h5', 'red/h2->h5', 'red/h3->h5']);
    for (const { root, totalPs } of rest) {
      assert.notEqual(root.reason, 'below-loop');
      assert.ok(totalPs < 5e6, root.id);
    }
  });

  for (const example of ['slow-receiver', 'slow-receiver-credit']) {
    it(`is the slow host, and the fault that made it so: ${example}`, () => {
      const [worst] = treesOf(`examples/${example}.yaml`, 'load.1.rate=10G');
      assert.equal(worst!.root.port, 'h3:p1');
      assert.deepEqual([worst!.root.reason, worst!.root.fault], ['fault', 'slow']);
      assert.ok(worst!.victims.some((name) => name.startsWith('victim')));
    });
  }

  it('is the queue whose messages pause sources', () => {
    const trees = treesOf('examples/incast-sfc.yaml');
    assert.equal(trees.length, 1);
    assert.equal(trees[0]!.root.port, 's1:p1');
    assert.equal(trees[0]!.root.kind, 'queue');
    assert.equal(culpritsOf(trees[0]!).length, 8);
  });

  it('is the queue for which a proxy pauses a host', () => {
    const [worst] = treesOf('examples/sfc-proxy.yaml');
    assert.equal(worst!.root.port, 'leaf3:p1');
    assert.ok(worst!.branches.some(({ port }) => port === 'h1:p1'));
  });

  it('is a queue that delays frames though nothing is paused', () => {
    const [worst] = treesOf('examples/leaf-spine-all-to-all.yaml');
    assert.deepEqual([worst!.root.kind, worst!.depth], ['queue', 0]);
    assert.ok(worst!.frameTimePs > 0 && worst!.culprits.length > 4);
  });

  it('is credit below one round trip of the link, where it is so', () => {
    const [worst] = treesOf(pair('credit', 'credit: { buffer: 30KB }'));
    assert.equal(worst!.root.reason, 'below-loop');
    assert.deepEqual(
      treesOf(pair('credit', '')).filter(({ totalPs }) => totalPs > 11e6),
      [],
    );
  });

  it('is a shaper that grants credit', () => {
    const [worst] = treesOf(pair('credit', 'devices: { s2: { credit: { shaper: 40G } } }'));
    assert.equal(worst!.root.reason, 'shaped');
    assert.equal(worst!.root.port, 's1:p3');
  });

  it('is a storm, though the frames that wait for it are charged to the queue of isolated flows', () => {
    const trees = treesOf(`
name: isolated
duration: 250us
fabric:
  generator: dumbbell
  left: 3
  right: 3
  hostLink: { rate: 100G, length: 10m }
  fabricLink: { rate: 400G, length: 50m }
switches: { buffer: { size: 8MB } }
priorities:
  2: { flowControl: pfc, xoff: 60KB }
  3: { flowControl: pfc, xoff: 250KB, ci: true }
ci: { priority: 2, detect: 40KB, low: 10KB }
faults: [{ name: mad, kind: storm, where: { device: h6 }, priority: 3, at: 43us, for: 69us }]
load:
  - { name: fan, incast: { from: [h1, h5], to: h4 }, priority: 3, bytes: 2MB }
  - { name: cross, incast: { from: [h2, h3], to: h6 }, priority: 3, bytes: 2MB }
`);
    const [worst] = trees;
    assert.deepEqual([worst!.root.port, worst!.root.fault], ['s2:p3', 'mad']);
    assert.deepEqual(worst!.victims, ['fan/h1->h4', 'cross/h2->h6', 'cross/h3->h6']);
    const ports = worst!.branches.map(({ port, mechanism }) => `${port} ${mechanism}`);
    assert.deepEqual(ports.sort(), ['s2:p3 along', 's2:p4 pfc']);
    const reasons = trees.map(({ root }) => root.reason);
    assert.ok(!reasons.includes('memory-taken'), reasons.join());
  });

  it('is a link that goes down again, though the queue behind it never empties in between', () => {
    const [worst] = treesOf(`
name: again
duration: 250us
fabric:
  generator: dumbbell
  left: 3
  right: 3
  hostLink: { rate: 100G, length: 14m }
  fabricLink: { rate: 400G, length: 79m }
switches: { pipeline: 141ns, buffer: { size: 8MB } }
priorities:
  2: { flowControl: pfc, xoff: 60KB }
  3: { flowControl: pfc, xoff: 250KB, ci: true }
ci: { priority: 2, detect: 40KB, low: 10KB }
faults:
  - { name: flap, kind: link-down, where: { link: s1 s2 }, at: 15us, for: 13us, every: 40us, times: 4 }
load:
  - { name: own, incast: { from: h1, to: h4 }, bytes: 1MB, priority: 3 }
  - { name: beside, stream: { from: h3, to: h6 }, rate: 20G, frame: 948, priority: 3 }
`);
    assert.deepEqual([worst!.root.port, worst!.root.fault], ['s1:p4', 'flap']);
  });
});
