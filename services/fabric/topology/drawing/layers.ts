import { adjacencyOf } from '../adjacency.js';
import type { Topology } from '../topology.js';

/** The tier of switches that are listed without one. */
const PLAIN = 'switch';

/**
 * Height of each device in a drawing: hosts at 0, and all switches of a tier at the height of the
 * one that is farthest from any host. A switch without a tier is as high as it is far from hosts.
 */
export function layersOf(topology: Topology): number[] {
  const distance = distancesToHosts(topology);
  const layerOfTier = new Map<string, number>();
  topology.devices.forEach(({ kind, tier }, device) => {
    if (kind === 'host' || tier === PLAIN) return;
    layerOfTier.set(tier, Math.max(layerOfTier.get(tier) ?? 1, distance[device]!));
  });
  return topology.devices.map(({ kind, tier }, device) => {
    if (kind === 'host') return 0;
    return layerOfTier.get(tier) ?? Math.max(1, distance[device]!);
  });
}

/** Links to the nearest host; 0 where no path leads to one. */
function distancesToHosts(topology: Topology): Int32Array {
  const { hosts, firstSlot, peer } = adjacencyOf(topology);
  const distance = new Int32Array(topology.devices.length);
  const queue = Array.from({ length: hosts }, (_, host) => host);
  for (const device of queue) {
    for (let slot = firstSlot[device]!; slot < firstSlot[device + 1]!; slot++) {
      const neighbor = peer[slot]!;
      if (neighbor < hosts || distance[neighbor] !== 0) continue;
      distance[neighbor] = distance[device]! + 1;
      queue.push(neighbor);
    }
  }
  return distance;
}
