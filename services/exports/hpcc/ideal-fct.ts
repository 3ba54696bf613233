import type { Topology } from '../../fabric/topology/topology.js';

// The flow completion time on an empty network, as HPCC 9f4be2a and ConWeave 236a801 have it, in
// whole nanoseconds: the round trip of a packet, and all octets at the slowest link. Selvage's own
// ideal (`ideal_ps`) knows frames and switches better; plots of those programs need theirs.

/** Octets of a packet that are not payload, without telemetry. */
const HEADER_OCTETS = 48;
const BITS = 8e9;
const PS_PER_NS = 1000;

interface Path {
  /** Of all links, one way. */
  readonly delayNs: number;
  /** Of one packet on all links, each rounded down. */
  readonly serialiseNs: number;
  readonly slowestBps: number;
}

/** Between hosts, by the first of the shortest paths. */
export class IdealFct {
  private readonly links: readonly (readonly Neighbour[])[];
  /** By source and size of a packet: a path to each device. */
  private readonly found = new Map<string, readonly (Path | null)[]>();

  constructor(topology: Topology) {
    const links: Neighbour[][] = topology.devices.map(() => []);
    for (const { a, b, rateBps, propagationPs, interfaceDelayPs } of topology.links) {
      const delayNs = Math.floor((propagationPs + interfaceDelayPs) / PS_PER_NS);
      links[a.device]!.push({ device: b.device, rateBps, delayNs });
      links[b.device]!.push({ device: a.device, rateBps, delayNs });
    }
    this.links = links;
  }

  /** Null: there is no path. */
  ns(source: number, destination: number, octets: number, payload: number): number | null {
    const path = this.paths(source, payload)[destination] ?? null;
    if (path === null) return null;
    const onWire = octets + Math.ceil(octets / payload) * HEADER_OCTETS;
    const baseNs = 2 * path.delayNs + path.serialiseNs;
    return baseNs + Math.floor((onWire * BITS) / path.slowestBps);
  }

  private paths(source: number, payload: number): readonly (Path | null)[] {
    const key = `${source} ${payload}`;
    const known = this.found.get(key) ?? this.search(source, payload);
    this.found.set(key, known);
    return known;
  }

  private search(source: number, payload: number): (Path | null)[] {
    const paths = this.links.map((): Path | null => null);
    paths[source] = { delayNs: 0, serialiseNs: 0, slowestBps: Infinity };
    const queue = [source];
    for (const device of queue) {
      const { delayNs, serialiseNs, slowestBps } = paths[device]!;
      for (const link of this.links[device]!) {
        if (paths[link.device] !== null) continue;
        paths[link.device] = {
          delayNs: delayNs + link.delayNs,
          serialiseNs: serialiseNs + Math.floor((payload * BITS) / link.rateBps),
          slowestBps: Math.min(slowestBps, link.rateBps),
        };
        queue.push(link.device);
      }
    }
    return paths;
  }
}

interface Neighbour {
  readonly device: number;
  readonly rateBps: number;
  readonly delayNs: number;
}
