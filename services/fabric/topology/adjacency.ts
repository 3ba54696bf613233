import type { Adjacency } from '../../engine/routing/adjacency.js';
import type { Topology } from './topology.js';
import { hostCount } from './topology.js';

export function adjacencyOf(topology: Topology): Adjacency {
  const { devices, links } = topology;
  const firstSlot = new Int32Array(devices.length + 1);
  for (const { a, b } of links) {
    firstSlot[a.device + 1]!++;
    firstSlot[b.device + 1]!++;
  }
  for (let device = 0; device < devices.length; device++) {
    firstSlot[device + 1]! += firstSlot[device]!;
  }
  const slots = links.length * 2;
  const peer = new Int32Array(slots);
  const peerPort = new Int32Array(slots);
  const link = new Int32Array(slots);
  links.forEach(({ a, b }, index) => {
    for (const [here, there] of [
      [a, b],
      [b, a],
    ] as const) {
      const slot = firstSlot[here.device]! + here.port;
      peer[slot] = there.device;
      peerPort[slot] = there.port;
      link[slot] = index;
    }
  });
  return { hosts: hostCount(topology), firstSlot, peer, peerPort, link };
}

export function portCount(adjacency: Adjacency, device: number): number {
  return adjacency.firstSlot[device + 1]! - adjacency.firstSlot[device]!;
}
