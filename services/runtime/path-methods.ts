/** What rules each link of a path, priority by priority, and what that makes of the whole. */

import type { DiscoveryMechanism } from '../engine/discovery/discovery-mechanism.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { LinkEnd } from '../fabric/assembly/link-ends.js';

export type Method = 'credit' | 'pfc' | 'pause' | 'none';

export interface PathResult {
  readonly from: string;
  readonly to: string;
  readonly priority: number;
  readonly hops: readonly HopResult[];
  readonly verdict: 'credit' | 'lossless' | 'lossless, mixed' | 'lossy';
  /** Links that make the verdict less than one of a single method. */
  readonly because: readonly string[];
}

export interface HopResult {
  /** `leaf1:p3 > spine1:p2` */
  readonly link: string;
  readonly method: Method;
  readonly why: string;
}

const PRIORITIES = [0, 1, 2, 3, 4, 5, 6, 7];

/** By priority; empty where no path leads from one to the other. */
export function pathResults(
  fabric: Fabric,
  mechanism: DiscoveryMechanism,
  numberOf: (device: number, port: number) => number,
  source: number,
  destination: number,
): PathResult[] {
  const links = fabric.routes.pathBetween(source, destination);
  if (links === null) return [];
  const ends = sendingEnds(fabric, links, source);
  const judge = new LinkJudge(fabric, mechanism, numberOf);
  const name = (device: number): string => fabric.topology.devices[device]!.name;
  return PRIORITIES.map((priority) => {
    const hops = ends.map((end) => judge.hop(end, priority));
    return {
      from: name(source),
      to: name(destination),
      priority,
      hops,
      ...verdictOf(hops),
    };
  });
}

function sendingEnds(
  { topology, linkEnds }: Fabric,
  links: readonly number[],
  source: number,
): LinkEnd[] {
  let device = source;
  return links.map((link) => {
    const { a, b } = topology.links[link]!;
    const end = linkEnds[device]![(a.device === device ? a : b).port]!;
    device = end.peerDevice;
    return end;
  });
}

function verdictOf(hops: readonly HopResult[]): Pick<PathResult, 'verdict' | 'because'> {
  const lossy = hops.filter(({ method }) => method === 'none');
  if (lossy.length > 0) return { verdict: 'lossy', because: lossy.map(({ link }) => link) };
  const others = hops.filter(({ method }) => method !== 'credit');
  if (others.length === 0) return { verdict: 'credit', because: [] };
  if (others.length === hops.length) return { verdict: 'lossless', because: [] };
  return { verdict: 'lossless, mixed', because: others.map(({ link }) => link) };
}

/** Says which method rules a link in one direction, and why. */
class LinkJudge {
  constructor(
    private readonly fabric: Fabric,
    private readonly mechanism: DiscoveryMechanism,
    private readonly numberOf: (device: number, port: number) => number,
  ) {}

  hop(end: LinkEnd, priority: number): HopResult {
    const peer = this.fabric.linkEnds[end.peerDevice]![end.peerPort]!;
    const link = `${end.name} > ${peer.name}`;
    const [method, why] = this.judge(end, peer, 1 << priority);
    return { link, method, why };
  }

  private judge(end: LinkEnd, peer: LinkEnd, bit: number): readonly [Method, string] {
    if (this.fabric.scenario.pause.enabled) return ['pause', 'PAUSE on every port'];
    return this.fabric.scenario.discovery.drives
      ? this.negotiated(end, peer, bit)
      : this.pinned(end, bit);
  }

  private pinned(end: LinkEnd, bit: number): readonly [Method, string] {
    const { credit, pfc } = this.fabric.specs[end.device]!.ports[end.port]!;
    if (((credit?.priorities ?? 0) & bit) !== 0) return ['credit', 'the scenario says so'];
    if (((pfc?.priorities ?? 0) & bit) !== 0) return ['pfc', 'the scenario says so'];
    return ['none', 'the scenario says so'];
  }

  private negotiated(end: LinkEnd, peer: LinkEnd, bit: number): readonly [Method, string] {
    const ends = [end, peer];
    const states = ends.map(({ device, port }) => this.stateOf(device, port));
    const [sender, receiver] = states;
    const agreed = states.every(({ credit }) => (credit.priorities & bit) !== 0);
    const { credit } = this.fabric.specs[end.device]!.ports[end.port]!;
    const isBuilt = ((credit?.priorities ?? 0) & bit) !== 0;
    if (agreed && isBuilt) return ['credit', 'both ends have credit exchange'];
    const fallsBack = this.withoutCredit(ends, bit);
    const has = states.map(({ operation }) => (operation.pfc & bit) !== 0);
    if (isBuilt) return ['none', 'credit was not agreed on: nothing is sent'];
    if (has[0] && has[1]) {
      const adopted = ends.filter((_, i) => states[i]!.operation.pfcFrom === 'peer');
      const names = adopted.map(({ name }) => name).join(' and ');
      const by = names === '' ? 'PFC at both ends' : `PFC, taken over by ${names}`;
      return ['pfc', `${fallsBack}${by}`];
    }
    if (!has[0] && !has[1]) return ['none', `${fallsBack}no PFC at either end`];
    const without = has[0] ? peer.name : end.name;
    const mismatch = (sender!.operation.mismatches | receiver!.operation.mismatches) !== 0;
    return ['none', `${fallsBack}no PFC at ${without}${mismatch ? ' (mismatch)' : ''}`];
  }

  /** An end that has credit exchange, but whose neighbour has not. */
  private withoutCredit(ends: readonly LinkEnd[], bit: number): string {
    const can = ends.map(({ device, port }) => {
      const { stage } = this.stateOf(device, port);
      const spec = this.mechanism.specs[this.numberOf(device, port)]!;
      return ((spec.stages[stage]!.admin.credit?.enabled ?? 0) & bit) !== 0;
    });
    if (can[0] === can[1]) return '';
    return `no credit exchange at ${ends[can[0] ? 1 : 0]!.name}: `;
  }

  private stateOf(device: number, port: number): NonNullable<DiscoveryMechanism['ports'][number]> {
    return this.mechanism.ports[this.numberOf(device, port)]!;
  }
}
