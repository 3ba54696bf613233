import { adjacencyOf } from '../adjacency.js';
import type { Topology } from '../topology.js';

/**
 * How high each device stands in a drawing: hosts at 0, and all switches of a tier where that one
 * stands which is farthest from any host.
 */
export function layersOf(topology: Topology): number[] {
  const distance = distancesToHosts(topology);
  const layerOfTier = new Map<string, number>();
  topology.devices.forEach(({ kind, tier }, device) => {
    if (kind === 'host') return;
    layerOfTier.set(tier, Math.max(layerOfTier.get(tier) ?? 1, distance[device]!));
  });
  return topology.devices.map(({ kind, tier }) => (kind === 'host' ? 0 : layerOfTier.get(tier)!));
}

/** Links to the nearest host; 0 where no path leads to one. */
function distancesToHosts(topology: Topology): Int32Array {
  const { hosts, firstSlot, peer } = adjacencyOf(topology);
  const distance = new Int32Array(topology.devices.length);
  const queue = Array.from({ length: hosts }, (_, host) => host);
  for (const device of queue) {
    for (let slot = firstSlot[device]!; slot < firstSlot[device + 1]!; slot++) {
      const neighbour = peer[slot]!;
      if (neighbour < hosts || distance[neighbour] !== 0) continue;
      distance[neighbour] = distance[device]! + 1;
      queue.push(neighbour);
    }
  }
  return distance;
}
