/** Lengths of frames by link: as flows send them, or as the MTU of its ends allows. */

import { VLAN_TAG_OCTETS } from '../../engine/units/ethernet.js';
import type { Flow } from '../load/flow.js';
import type { Routes } from '../routing/routes.js';
import type { Fail } from '../topology/cabling.js';
import { framingOf, tagOctets, telemetryOctets } from './framing.js';
import type { LinkEnd } from './link-ends.js';
import type { PortSettings } from './port-settings.js';

/** Addresses, EtherType and FCS: what a frame has beyond the MTU, tags not counted. */
const HEADER_OCTETS = 18;

/** Frames on a link, tags included; links that are alike share them. */
export interface LinkFrames {
  /** By priority: the lengths of full frames, and the longest. */
  readonly lengths: readonly (readonly number[])[];
  readonly longest: readonly number[];
  /** Of all priorities. */
  readonly longestOctets: number;
}

interface FramesInput {
  readonly linkEnds: readonly (readonly LinkEnd[])[];
  readonly ports: readonly (readonly PortSettings[])[];
  readonly flows: readonly Flow[];
}

/** By device and port. `lengths`: by priority, of the flows on any link. */
export function linkFramesOf(
  { linkEnds, ports, flows }: FramesInput,
  lengths: readonly (readonly number[])[],
): LinkFrames[][] {
  const usual = framesOf(lengths);
  const longer = (most: number, { vlan }: (typeof flows)[number]): number =>
    Math.max(most, tagOctets(vlan));
  // There may be more flows than a call has room for arguments.
  const tags = flows.reduce(longer, VLAN_TAG_OCTETS);
  const known = new Map<number, LinkFrames>();
  return linkEnds.map((ends) =>
    ends.map(({ device, port, peerDevice, peerPort }) => {
      const mtu = mtuOf(ports[device]![port]!, ports[peerDevice]![peerPort]!);
      if (mtu === Infinity) return usual;
      const most = mtu + HEADER_OCTETS + tags;
      const own = known.get(mtu) ?? framesOf(lengths.map((all) => upTo(all, most)));
      known.set(mtu, own);
      return own;
    }),
  );
}

/** Of a link: the least of its ends. */
function mtuOf(...ends: readonly PortSettings[]): number {
  return Math.min(...ends.map(({ mtuOctets }) => mtuOctets ?? Infinity));
}

function framesOf(lengths: readonly (readonly number[])[]): LinkFrames {
  const longest = lengths.map((own) => Math.max(...own));
  return { lengths, longest, longestOctets: Math.max(...longest) };
}

function upTo(lengths: readonly number[], most: number): number[] {
  return [...new Set([...lengths.filter((octets) => octets < most), most])];
}

/** Refuses flows whose frames are longer than a port on their way sends or receives. */
export function checkMtus(
  { linkEnds, ports, flows }: FramesInput,
  routes: Routes,
  members: readonly (readonly number[])[],
  fail: Fail,
): void {
  if (!ports.some((own) => own.some(({ mtuOctets }) => mtuOctets !== null))) return;
  const narrowest = new Narrowest(linkEnds, ports, routes);
  for (const flow of flows) {
    const { source, destination, group, load, name } = flow;
    const octets = framingOf(flow).fullFrameOctets + telemetryOctets(flow);
    for (const target of group ? members[destination]! : [destination]) {
      const end = target === source ? null : narrowest.between(source, target);
      const mtu = end?.mtu ?? Infinity;
      if (octets <= mtu + HEADER_OCTETS) continue;
      throw fail(
        ['load', load],
        `frames of ${octets} bytes, and ${name} passes ${end!.name} with an MTU of ${mtu}: at ` +
          `most ${mtu + HEADER_OCTETS} bytes, tags not counted; shorter frames, or a larger mtu`,
      );
    }
  }
}

interface NarrowPort {
  readonly name: string;
  readonly mtu: number;
}

/** The port with the least MTU on the shortest paths to a host. */
class Narrowest {
  /** By destination, and device. */
  private readonly known = new Map<number, Map<number, NarrowPort | null>>();

  constructor(
    private readonly linkEnds: readonly (readonly LinkEnd[])[],
    private readonly ports: readonly (readonly PortSettings[])[],
    private readonly routes: Routes,
  ) {}

  between(source: number, destination: number): NarrowPort | null {
    return this.alongPort(this.linkEnds[source]![0]!, destination);
  }

  /** Of both ends of a link, and of all behind it. */
  private alongPort(end: LinkEnd, destination: number): NarrowPort | null {
    const behind = this.fromSwitch(end.peerDevice, destination);
    return [this.portAt(this.peerOf(end)), behind].reduce(narrower, this.portAt(end));
  }

  /** A host passes no frames on, whether it is the destination or its link is mis-cabled. */
  private fromSwitch(device: number, destination: number): NarrowPort | null {
    if (device < this.routes.adjacency.hosts) return null;
    const towards = this.known.get(destination) ?? new Map<number, NarrowPort | null>();
    this.known.set(destination, towards);
    const before = towards.get(device);
    if (before !== undefined) return before;
    const found = this.portsTowards(device, destination).reduce<NarrowPort | null>(
      (least, port) => narrower(least, this.alongPort(this.linkEnds[device]![port]!, destination)),
      null,
    );
    towards.set(device, found);
    return found;
  }

  private portsTowards(device: number, destination: number): readonly number[] {
    const { setOfHost, sets } = this.routes.of(device);
    return Array.from(sets[setOfHost[destination]!] ?? []);
  }

  private peerOf({ peerDevice, peerPort }: LinkEnd): LinkEnd {
    return this.linkEnds[peerDevice]![peerPort]!;
  }

  private portAt({ device, port, name }: LinkEnd): NarrowPort {
    return { name, mtu: this.ports[device]![port]!.mtuOctets ?? Infinity };
  }
}

function narrower(a: NarrowPort | null, b: NarrowPort | null): NarrowPort | null {
  if (a === null || b === null) return a ?? b;
  return b.mtu < a.mtu ? b : a;
}
