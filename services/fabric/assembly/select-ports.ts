import type { Place } from '../scenario/place.js';
import type { PortRule } from '../scenario/scenario.js';
import { matchesGlob } from '../scenario/selector.js';
import type { Topology } from '../topology/topology.js';
import type { LinkEnd } from './link-ends.js';

/** The ports of a fabric as sections of a scenario name them. */
export class PortSelector {
  constructor(
    private readonly topology: Topology,
    private readonly linkEnds: readonly (readonly LinkEnd[])[],
  ) {}

  /** Whether a port meets all conditions of a place. */
  matches({ device, port, kind, tier, peer, link }: Place, end: LinkEnd): boolean {
    const own = this.topology.devices[end.device]!;
    const other = this.topology.devices[end.peerDevice]!;
    return (
      (device === null || matchesGlob(device, own.name)) &&
      (port === null || matchesGlob(port, end.name)) &&
      (kind === null || kind === own.kind) &&
      (tier === null || tier === own.tier) &&
      (peer === null || matchesGlob(peer, other.name)) &&
      (link === null || this.joins(link, end))
    );
  }

  /** Whether a link joins two devices or ports, whichever end is which. */
  private joins([a, b]: readonly [string, string], end: LinkEnd): boolean {
    const peer = this.linkEnds[end.peerDevice]![end.peerPort]!;
    const is = (glob: string, { device, name }: LinkEnd): boolean =>
      matchesGlob(glob, glob.includes(':') ? name : this.topology.devices[device]!.name);
    return (is(a, end) && is(b, peer)) || (is(b, end) && is(a, peer));
  }
}

/** Whether a rule of `ports` is about a port. */
export function matchesRule(
  selector: PortSelector,
  where: PortRule['where'],
  end: LinkEnd,
): boolean {
  const { rateBps } = where;
  return (rateBps === null || rateBps === end.link.rateBps) && selector.matches(where, end);
}
