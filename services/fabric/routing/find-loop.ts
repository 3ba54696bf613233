import { adjacencyOf } from '../topology/adjacency.js';
import type { Topology } from '../topology/topology.js';

/** From where a search reached a device. */
interface Step {
  readonly device: number;
  readonly link: number;
  readonly before: Step | null;
}

/**
 * Names of devices that form a loop among the given ones, in its order; null when there is none. A
 * bridge floods, so in a loop of bridges frames would circulate forever.
 */
export function findLoop(topology: Topology, devices: readonly number[]): string[] | null {
  const { firstSlot, peer, link } = adjacencyOf(topology);
  const members = new Set(devices);
  const steps = new Map<number, Step>();
  for (const root of devices) {
    if (steps.has(root)) continue;
    const queue: Step[] = [{ device: root, link: -1, before: null }];
    steps.set(root, queue[0]!);
    for (const step of queue) {
      for (let slot = firstSlot[step.device]!; slot < firstSlot[step.device + 1]!; slot++) {
        const neighbor = peer[slot]!;
        if (!members.has(neighbor) || link[slot] === step.link) continue;
        const met = steps.get(neighbor);
        if (met !== undefined) return loopOf(step, met).map((d) => topology.devices[d]!.name);
        const next = { device: neighbor, link: link[slot]!, before: step };
        steps.set(neighbor, next);
        queue.push(next);
      }
    }
  }
  return null;
}

/**
 * Names of switches on a loop through the given one, beginning there; null when it is on none. What
 * it floods leaves by both ends of the loop, and any switch on it, routed or bridged, forwards it.
 */
export function findLoopThrough(topology: Topology, device: number): string[] | null {
  const { firstSlot, peer, link } = adjacencyOf(topology);
  /** By switch: the link of `device` from which it was reached, and the path there. */
  const steps = new Map<number, Step>();
  for (let slot = firstSlot[device]!; slot < firstSlot[device + 1]!; slot++) {
    const first = peer[slot]!;
    if (topology.devices[first]!.kind !== 'switch') continue;
    const met = steps.get(first);
    if (met !== undefined) {
      return [device, ...pathTo(met)].map((d) => topology.devices[d]!.name);
    }
    const queue: Step[] = [{ device: first, link: link[slot]!, before: null }];
    steps.set(first, queue[0]!);
    for (const step of queue) {
      for (let at = firstSlot[step.device]!; at < firstSlot[step.device + 1]!; at++) {
        const next = peer[at]!;
        const isSwitch = topology.devices[next]!.kind === 'switch';
        if (!isSwitch || next === device || steps.has(next)) continue;
        const further = { device: next, link: link[at]!, before: step };
        steps.set(next, further);
        queue.push(further);
      }
    }
  }
  return null;
}

/** Two paths from the root that meet: the loop is one down and the other up. */
function loopOf(one: Step, other: Step): number[] {
  const [down, up] = [pathTo(one), pathTo(other)];
  let shared = 0;
  while (down[shared + 1] !== undefined && down[shared + 1] === up[shared + 1]) shared++;
  return [...down.slice(shared), ...up.slice(shared + 1).reverse()];
}

function pathTo(step: Step): number[] {
  const path: number[] = [];
  for (let at: Step | null = step; at !== null; at = at.before) path.unshift(at.device);
  return path;
}
