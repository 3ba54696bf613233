import type { Adjacency } from '../../engine/routing/adjacency.js';
import { Distances, UNREACHED } from '../../engine/routing/distances.js';
import { portsTowards } from '../../engine/routing/shortest-paths.js';

/**
 * The tree that carries a multicast group: for each switch, by position among switches, its ports
 * on the tree. A frame that enters by one of them leaves by all others, so the tree connects
 * members and senders alike. Its root is a switch with the least distance to all stations; `turn`
 * (the group's number) spreads the trees of several groups over equally good switches and ports.
 */
export function groupTree(
  adjacency: Adjacency,
  stations: readonly number[],
  turn: number,
): number[][] {
  const { hosts, firstSlot, peer, peerPort } = adjacency;
  const switches = firstSlot.length - 1 - hosts;
  const tree = Array.from({ length: switches }, () => new Set<number>());
  const lastSlots = [...new Set(stations)].map((station) => firstSlot[station]!);
  const onSwitches = lastSlots.filter((slot) => peer[slot]! >= hosts);
  if (onSwitches.length > 0) {
    const distances = new Distances(adjacency);
    const leaves = new Set(onSwitches.map((slot) => peer[slot]!));
    distances.measureFrom(centre(adjacency, distances, leaves, turn));
    for (const leaf of leaves) climb(adjacency, distances, tree, leaf, turn);
  }
  for (const slot of onSwitches) tree[peer[slot]! - hosts]!.add(peerPort[slot]!);
  return tree.map((ports) => [...ports].sort((a, b) => a - b));
}

/** A switch with the least sum of distances to all these. */
function centre(
  { hosts }: Adjacency,
  distances: Distances,
  leaves: ReadonlySet<number>,
  turn: number,
): number {
  const total = new Float64Array(distances.to.length);
  for (const leaf of leaves) {
    distances.measureFrom(leaf);
    distances.to.forEach((distance, device) => {
      total[device]! += distance === UNREACHED ? Infinity : distance;
    });
  }
  const sums = total.subarray(hosts);
  const least = sums.reduce((a, b) => Math.min(a, b));
  if (least === Infinity) throw new Error('no switch reaches every station of the group');
  const best = [...sums.keys()].filter((position) => sums[position] === least);
  return hosts + best[turn % best.length]!;
}

/** Adds the path from a switch to the root, as far as it is not in the tree yet. */
function climb(
  adjacency: Adjacency,
  distances: Distances,
  tree: readonly Set<number>[],
  from: number,
  turn: number,
): void {
  const { hosts, firstSlot, peer, peerPort } = adjacency;
  for (let device = from; distances.to[device]! > 0;) {
    const ports = portsTowards(adjacency, distances, device);
    const port = ports[turn % ports.length]!;
    if (tree[device - hosts]!.has(port)) return;
    tree[device - hosts]!.add(port);
    const slot = firstSlot[device]! + port;
    device = peer[slot]!;
    tree[device - hosts]!.add(peerPort[slot]!);
  }
}
