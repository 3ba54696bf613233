import type { Adjacency, DownSlots } from './adjacency.js';
import { Distances } from './distances.js';
import { assert } from '../kernel/assert.js';

/** In place of a set of ports: there is no route. */
export const NO_ROUTE = -1;

/** Routes of one switch; hosts share sets of ports. */
export interface SwitchRoutes {
  /** By host: which of the sets, or NO_ROUTE. */
  readonly setOfHost: Int16Array;
  /** Every port on a shortest path, in port order. */
  readonly sets: readonly Uint8Array[];
}

/**
 * All shortest paths, counted in links, by position of the switch. Hosts end paths and are never on
 * the way. `down`: links that carry nothing; null: there are none.
 */
export function shortestPaths(adjacency: Adjacency, down: DownSlots | null): SwitchRoutes[] {
  const { hosts, firstSlot } = adjacency;
  const tables: RouteTable[] = [];
  for (let device = hosts; device < firstSlot.length - 1; device++) {
    tables.push(new RouteTable(hosts));
  }
  const distances = new Distances(adjacency, down);
  for (const [root, group] of hostsBySwitch(adjacency, down)) {
    distances.measureFrom(root);
    for (const { host, port } of group) tables[root - hosts].route([host], [port]);
    const hostsThere = group.map(({ host }) => host);
    for (let i = 1; i < distances.reachedCount; i++) {
      const device = distances.reached[i];
      tables[device - hosts].route(hostsThere, portsTowards(adjacency, distances, device));
    }
  }
  return tables;
}

/** An unreachable device has no ports here; the root has none either. */
export function portsTowards(
  { firstSlot, peer, hosts }: Adjacency,
  { to, down }: Distances,
  device: number,
): number[] {
  const ports: number[] = [];
  const first = firstSlot[device];
  const nearer = to[device] - 1;
  assert(device >= hosts, 'routes.of-a-switch');
  for (let slot = first; slot < firstSlot[device + 1]; slot++) {
    if (peer[slot] < hosts || to[peer[slot]] !== nearer) continue;
    if (down === null || down[slot] === 0) ports.push(slot - first);
  }
  return ports;
}

class RouteTable implements SwitchRoutes {
  readonly setOfHost: Int16Array;
  readonly sets: Uint8Array[] = [];
  private readonly setByPorts = new Map<string, number>();

  constructor(hosts: number) {
    this.setOfHost = new Int16Array(hosts).fill(NO_ROUTE);
  }

  route(hosts: readonly number[], ports: readonly number[]): void {
    assert(ports.length > 0, 'routes.have-a-port');
    const set = this.intern(ports);
    for (const host of hosts) this.setOfHost[host] = set;
  }

  private intern(ports: readonly number[]): number {
    const key = String.fromCharCode(...ports);
    let set = this.setByPorts.get(key);
    if (set === undefined) {
      set = this.sets.push(Uint8Array.from(ports)) - 1;
      this.setByPorts.set(key, set);
    }
    return set;
  }
}

/** Hosts on one switch share every route but the last, so they are searched once. */
function hostsBySwitch(
  adjacency: Adjacency,
  down: DownSlots | null,
): Map<number, { host: number; port: number }[]> {
  const { hosts, firstSlot, peer, peerPort } = adjacency;
  const groups = new Map<number, { host: number; port: number }[]>();
  for (let host = 0; host < hosts; host++) {
    const slot = firstSlot[host];
    const device = peer[slot];
    if (device < hosts || (down !== null && down[slot] !== 0)) continue;
    const group = groups.get(device) ?? [];
    group.push({ host, port: peerPort[slot] });
    groups.set(device, group);
  }
  return groups;
}
