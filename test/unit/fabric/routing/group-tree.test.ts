import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { groupTree } from '../../../../services/fabric/routing/group-tree.js';
import { adjacencyOf } from '../../../../services/fabric/topology/adjacency.js';
import type { Topology } from '../../../../services/fabric/topology/topology.js';
import { hostCount } from '../../../../services/fabric/topology/topology.js';
import { build, buildExplicit } from '../topology/fabrics.js';
import { fc } from '../../../kit/properties.js';

/** Sends a frame into the tree and counts how often each host gets it and links it crosses. */
function flood(
  topology: Topology,
  tree: readonly (readonly number[])[],
  sender: number,
): { received: number[]; links: number } {
  const { hosts, firstSlot, peer, peerPort } = adjacencyOf(topology);
  const received: number[] = [];
  let links = 0;
  const queue = [{ device: sender, in: -1 }];
  for (const { device, in: ingress } of queue) {
    assert.ok(queue.length < 1000, 'frames go round');
    if (device < hosts && device !== sender) received.push(device);
    const ports = device === sender ? [0] : device < hosts ? [] : tree[device - hosts]!;
    for (const port of ports.filter((p) => p !== ingress)) {
      const slot = firstSlot[device]! + port;
      queue.push({ device: peer[slot]!, in: peerPort[slot]! });
      links++;
    }
  }
  return { received: received.sort((a, b) => a - b), links };
}

describe('group tree', () => {
  const fabric = build({ kind: 'fat-tree', k: 4 });
  const stations = fc.uniqueArray(fc.nat(hostCount(fabric) - 1), { minLength: 2, maxLength: 8 });

  it('brings a frame from any station to every other one exactly once', () => {
    fc.assert(
      fc.property(stations, fc.nat(9), (group, turn) => {
        const tree = groupTree(adjacencyOf(fabric), group, turn);
        for (const sender of group) {
          const others = group.filter((host) => host !== sender).sort((a, b) => a - b);
          assert.deepEqual(flood(fabric, tree, sender).received, others);
        }
      }),
      { numRuns: 100, seed: 3 },
    );
  });

  it('goes over the spine once from many leaves', () => {
    const leafSpine = build({ kind: 'leaf-spine', leaves: 4, spines: 2, hostsPerLeaf: 1 });
    const tree = groupTree(adjacencyOf(leafSpine), [0, 1, 2, 3], 0);
    assert.equal(flood(leafSpine, tree, 0).links, 8);
    assert.deepEqual(tree, [[0, 1], [0, 1], [0, 1], [0, 1], [0, 1, 2, 3], []]);
  });

  it('is spread over spines by the number of the group', () => {
    const leafSpine = build({ kind: 'leaf-spine', leaves: 3, spines: 2, hostsPerLeaf: 1 });
    const trees = [0, 1].map((turn) => groupTree(adjacencyOf(leafSpine), [0, 1, 2], turn));
    assert.deepEqual(trees[0]!.slice(3), [[0, 1, 2], []]);
    assert.deepEqual(trees[1]!.slice(3), [[], [0, 1, 2]]);
  });

  it('stays on one switch when all stations are there', () => {
    const star = build({ kind: 'star', hosts: 4 });
    assert.deepEqual(groupTree(adjacencyOf(star), [0, 2, 3], 0), [[0, 2, 3]]);
  });

  it('refuses stations that no switch reaches together', () => {
    const islands = buildExplicit('h1 h2 s1 s2', ['h1 s1', 'h2 s2']);
    assert.throws(() => groupTree(adjacencyOf(islands), [0, 1], 0), /no switch reaches every/);
  });
});
