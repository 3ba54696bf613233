import type { VlanPortSpec } from '../../engine/contract/spec.js';
import type { Flow } from '../load/flow.js';
import type { Routes } from '../routing/routes.js';
import type { Fail } from '../topology/cabling.js';
import type { Topology } from '../topology/topology.js';
import type { LinkEnd } from './link-ends.js';

/** One link of a frame's path. */
export interface Hop {
  /** The sending port. */
  readonly from: LinkEnd;
  /** VLAN of the inner tag on this link; null where there is no inner tag. */
  readonly inner: number | null;
}

/** The paths of flows; throws where there is none. */
export class FlowPaths {
  constructor(
    private readonly topology: Topology,
    private readonly routes: Routes,
    private readonly linkEnds: readonly (readonly LinkEnd[])[],
    /** By device and port; null where tags are unchanged. */
    private readonly bridges: readonly (readonly VlanPortSpec[] | null)[],
    private readonly fail: Fail,
  ) {}

  /** One shortest path of a flow's frames to a host; no hop to the host itself. */
  find(flow: Flow, destination: number): Hop[] {
    const links = this.routes.pathBetween(flow.source, destination);
    if (links === null) {
      throw this.broken(flow, `there is no path from ${this.names(flow.source, destination)}`);
    }
    const hops: Hop[] = [];
    let { inner } = flow.vlan;
    let entry: LinkEnd | null = null;
    for (const link of links) {
      const from = this.sendingEnd(link, entry?.peerDevice ?? flow.source);
      if (entry !== null) inner = this.bridged(flow, inner, entry.peerPort, from);
      hops.push({ from, inner });
      entry = from;
    }
    return hops;
  }

  private sendingEnd(link: number, device: number): LinkEnd {
    const { a, b } = this.topology.links[link]!;
    return this.linkEnds[device]![(a.device === device ? a : b).port]!;
  }

  /** The inner tag behind the device that `out` belongs to. */
  private bridged(flow: Flow, inner: number | null, entry: number, out: LinkEnd): number | null {
    const ports = this.bridges[out.device] ?? null;
    if (ports === null) return inner;
    const vlan = inner === null || inner === 0 ? ports[entry]!.native : inner;
    for (const port of [entry, out.port]) {
      const { native, tagged } = ports[port]!;
      if (native === vlan || tagged.includes(vlan)) continue;
      const { name } = this.linkEnds[out.device]![port]!;
      throw this.broken(flow, `port ${name} does not carry VLAN ${vlan} of ${flow.name}`);
    }
    return ports[out.port]!.native === vlan ? null : vlan;
  }

  private broken({ load }: Flow, message: string): Error {
    return this.fail(['load', load], message);
  }

  private names(source: number, destination: number): string {
    const [from, to] = [source, destination].map((device) => this.topology.devices[device]!.name);
    return `${from!} to ${to!}`;
  }
}
