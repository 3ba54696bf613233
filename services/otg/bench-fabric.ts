/** What a traffic generator is joined to: a fabric whose hosts are its ports. */

import { DSCP_PER_PRIORITY } from '../engine/wire/ipv4.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import { buildFabric } from '../fabric/assembly/fabric.js';
import { isPausable } from '../mechanisms/fabric-context.js';
import { scenarioOfDocument } from '../fabric/scenario/load-scenario.js';
import type { Json } from './part.js';

/** A host, and what it is joined to. */
export interface HostPlace {
  readonly host: string;
  /** Port of its link partner, as `leaf1:p3`, and as the software of that calls it. */
  readonly peer: string;
  readonly interface: string | null;
  /** Of that port. */
  readonly peerMac: string;
  readonly rateBps: number;
  /** Priorities that its link partner may pause. */
  readonly paused: readonly number[];
}

export class BenchFabric {
  readonly hosts: readonly HostPlace[];

  /** `classOfDscp`: of packets that come in by a port of a switch; null: that of 802.1Q. */
  constructor(
    private readonly file: string,
    private readonly document: Json,
    private readonly classOfDscp: ((peer: string, dscp: number) => number) | null = null,
  ) {
    this.hosts = hostsOf(this.with({}));
  }

  /** The fabric with other loads, faults and duration than its file has. */
  with(changes: Json): Fabric {
    const { expect: _, load: __, ...rest } = this.document;
    return buildFabric(scenarioOfDocument(this.file, { ...rest, ...changes }, { set: [] }));
  }

  /** A place by the name of the host, or of the port that it is joined to; null: there is none. */
  place(location: string): HostPlace | null {
    const named = (own: HostPlace): readonly (string | null)[] => [
      ...[own.host, own.peer, own.interface],
      own.interface === null
        ? null
        : `${own.peer.slice(0, own.peer.lastIndexOf(':'))}/${own.interface}`,
    ];
    const found = this.hosts.filter((own) => named(own).includes(location));
    return found.length === 1 ? found[0]! : null;
  }

  priorityOf(place: HostPlace, dscp: number): number {
    return this.classOfDscp?.(place.peer, dscp) ?? Math.floor(dscp / DSCP_PER_PRIORITY);
  }
}

function macText(mac: number): string {
  return mac
    .toString(16)
    .padStart(12, '0')
    .replace(/..(?!$)/g, '$&:');
}

function hostsOf({ topology, linkEnds, scenario, methods, specs }: Fabric): HostPlace[] {
  return topology.devices.flatMap(({ name, kind }, device) => {
    const [end] = linkEnds[device]!;
    if (kind !== 'host' || end === undefined) return [];
    const peer = linkEnds[end.peerDevice]![end.peerPort]!;
    const { name: other } = topology.devices[end.peerDevice]!;
    const declared = scenario.fabric.devices.find((own) => own.name === other);
    return {
      host: name,
      peer: peer.name,
      interface: declared?.interfaces?.[end.peerPort] ?? null,
      peerMac: macText(specs[end.peerDevice]!.ports[end.peerPort]!.mac),
      rateBps: end.link.rateBps,
      paused: methods[device]![0]!.flatMap((method, p) => (isPausable(method) ? [p] : [])),
    };
  });
}
