/** The method of each link of a path, priority by priority, and the verdict about the whole. */

import { PRIORITY_NUMBERS } from '../../engine/units/ethernet.js';
import { EXCHANGE, NEGOTIATED_CONTROL, WHOLE_PORT } from '../../mechanisms/registry.js';
import type { ChannelTerms, DiscoveryPortSpec } from '../../engine/contract/discovery.js';
import type { DiscoveryMechanism } from '../../engine/discovery/discovery-mechanism.js';
import {
  missingTerm,
  pausesOf,
  startOnLink,
  type StartRule,
} from '../../engine/discovery/link-end.js';
import { peerOf, type PortDiscovery } from '../../engine/discovery/port-discovery.js';
import { carriedPriorities } from './carried-priorities.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { FlowControl } from '../../fabric/scenario/scenario.js';
import type { LinkEnd } from '../../fabric/assembly/link-ends.js';
import { portsOfFlow } from '../../telemetry/congestion/flow-paths.js';

/** Or `pause`, or `blocked`: nothing is sent, for want of an agreement on grants. */
type Method = FlowControl;

export interface PathResult {
  readonly from: string;
  readonly to: string;
  readonly priority: number;
  readonly hops: readonly HopResult[];
  readonly verdict: typeof EXCHANGE | 'lossless' | 'lossless, mixed' | 'lossy' | 'refused';
  /** Links that keep the verdict from being a single method. */
  readonly because: readonly string[];
  /** By change of the fabric: how long its ports took to settle; null where none was involved. */
  readonly convergencePs: readonly (number | null)[];
  /** Sent by its ports so far. */
  readonly lldpdus: number;
}

interface HopResult {
  /** `leaf1:p3 > spine1:p2` */
  readonly link: string;
  readonly method: Method;
  readonly why: string;
}

/** A link on which frames of flows wait for an agreement of its ends. */
export interface BlockedLink extends Pick<HopResult, 'link' | 'why'> {
  readonly priority: number;
}

/** What discovery has learned of a fabric. */
interface Discovered {
  readonly fabric: Fabric;
  readonly mechanism: DiscoveryMechanism;
  /** Of a device's port, among those of the mechanism. */
  readonly numberOf: (device: number, port: number) => number;
}

/** By priority; empty where no link leads from one to the other. */
export function pathResults(
  discovered: Discovered,
  source: number,
  destination: number,
  priorities: readonly number[] = PRIORITY_NUMBERS,
): PathResult[] {
  const { fabric } = discovered;
  const links = fabric.routes.pathBetween(source, destination);
  if (links === null || links.length === 0) return [];
  const ends = sendingEnds(fabric, links, source);
  const settled = settledOf(ends, discovered);
  const name = (device: number): string => fabric.topology.devices[device]!.name;
  return priorities.map((priority) => {
    const carried = carriedPriorities(fabric, ends, priority);
    const hops = ends.map((end, hop): HopResult => {
      const [sent, received] = [carried[hop]!, carried[hop + 1]!];
      const own = hopOf(discovered, end, sent);
      return sent === received ? own : { ...own, why: `${own.why}; ${received} from here on` };
    });
    return {
      from: name(source),
      to: name(destination),
      priority,
      hops,
      ...verdictOf(hops),
      ...settled,
    };
  });
}

/** Links of flows that are blocked now, by priority. */
export function blockedLinks(discovered: Discovered): BlockedLink[] {
  const { fabric } = discovered;
  const priorities = [...new Set(fabric.flows.map(({ priority }) => priority))].sort();
  const blocked = fabric.linkEnds.flat().flatMap((end) =>
    priorities.flatMap((priority) => {
      const { link, method, why } = hopOf(discovered, end, priority);
      return method === 'blocked' ? [{ key: `${end.name} ${priority}`, link, priority, why }] : [];
    }),
  );
  if (blocked.length === 0) return [];
  const used = new Set(
    fabric.flows.flatMap(({ priority }, flow) =>
      Array.from(portsOfFlow(fabric, flow), (port) => `${port} ${priority}`),
    ),
  );
  return blocked.filter(({ key }) => used.has(key)).map(({ key: _, ...link }) => link);
}

/** A path is settled when every port on it is: links do not wait for each other. */
function settledOf(
  ends: readonly LinkEnd[],
  { mechanism, numberOf }: Discovered,
): Pick<PathResult, 'convergencePs' | 'lldpdus'> {
  const ports = ends.flatMap(({ device, port, peerDevice, peerPort }) => [
    numberOf(device, port),
    numberOf(peerDevice, peerPort),
  ]);
  const { epochsPs } = mechanism.specs[ports[0]!]!;
  const states = ports.map((port) => mechanism.ports[port]!);
  const sentBy = ({ agents }: (typeof states)[number]): number =>
    agents.reduce((sum, { stats }) => sum + stats.statsFramesOutTotal, 0);
  return {
    convergencePs: epochsPs.map((fromPs, epoch) => {
      const lastPs = Math.max(...states.map(({ settledPs }) => settledPs[epoch]!));
      return lastPs < 0 ? null : lastPs - fromPs;
    }),
    lldpdus: states.reduce((sum, state) => sum + sentBy(state), 0),
  };
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
  const blocked = hops.filter(({ method }) => method === 'blocked');
  if (blocked.length > 0) return { verdict: 'refused', because: blocked.map(({ link }) => link) };
  const lossy = hops.filter(({ method }) => method === 'none');
  if (lossy.length > 0) return { verdict: 'lossy', because: lossy.map(({ link }) => link) };
  const others = hops.filter(({ method }) => method !== EXCHANGE);
  if (others.length === 0) return { verdict: EXCHANGE, because: [] };
  if (others.length === hops.length) return { verdict: 'lossless', because: [] };
  return { verdict: 'lossless, mixed', because: others.map(({ link }) => link) };
}

const NOT_SENT = 'nothing is sent without it';

/** One end of a link: its name, what it knows, and what it does. */
interface Side extends LinkEnd {
  readonly spec: DiscoveryPortSpec;
  readonly state: PortDiscovery;
}

/** Sender, and receiver. */
type Sides = readonly [Side, Side];

/** The method of a link in one direction, and its reason: as both of its ends have come to it. */
function hopOf(discovered: Discovered, end: LinkEnd, priority: number): HopResult {
  const { fabric, mechanism, numberOf } = discovered;
  const peer = fabric.linkEnds[end.peerDevice]![end.peerPort]!;
  const [sender, receiver] = [end, peer].map((own): Side => {
    const number = numberOf(own.device, own.port);
    return { ...own, spec: mechanism.specs[number]!, state: mechanism.ports[number]! };
  }) as [Side, Side];
  const rule = startOnLink(sender.state, receiver.state, priority);
  const built = fabric.methods[end.device]![end.port]![priority]!;
  const why = whyOf(rule, [sender, receiver], priority);
  return { link: `${end.name} > ${peer.name}`, method: nameOf(rule, built), why };
}

/** As scenarios and reports call it; `built`: what the link is built for. */
export function nameOf(rule: StartRule, built: FlowControl): Method {
  const names = { pause: WHOLE_PORT, grants: EXCHANGE, channels: built };
  if (rule === 'pauses') return NEGOTIATED_CONTROL;
  if (rule === 'withheld') return 'blocked';
  return rule === 'none' ? rule : names[rule];
}

function whyOf(rule: StartRule, sides: Sides, priority: number): string {
  const [sender, receiver] = sides;
  if (rule === 'pause') return 'PAUSE at both ends';
  if (!sender.spec.drives) return 'the scenario says so';
  const bit = 1 << priority;
  const terms = sender.spec.built.channels;
  if (terms !== null && (terms.priorities & bit) !== 0) {
    return rule === 'channels' ? 'both ends have it' : whatIsMissing(sides, terms, priority);
  }
  if (rule === 'grants') return whyGrants(sides, bit);
  if (sender.state.starts[priority] === 'grants') {
    return `${receiver.name} has not received that ${sender.name} agrees`;
  }
  const fallsBack = withoutGrants(sides, bit);
  return fallsBack + (rule === 'withheld' ? NOT_SENT : whyPauses(sides, bit));
}

function enabledAt({ spec, state }: Side): number {
  return spec.stages[state.stage]!.admin.exchange?.enabled ?? 0;
}

function silence({ state, name }: Side, peer: Side): string {
  return state.agents[0]!.rx.neighbors.length > 1
    ? `${name} receives LLDPDUs of several systems`
    : `${name} receives no LLDPDU from ${peer.name}`;
}

/** An end that exchanges grants, but whose peer has not, or does not agree to it. */
function withoutGrants(sides: Sides, bit: number): string {
  const can = sides.map((side) => (enabledAt(side) & bit) !== 0);
  if (can[0] !== can[1]) return `no ${EXCHANGE} exchange at ${sides[can[0] ? 1 : 0].name}: `;
  if (!can[0]) return '';
  const deaf = sides.findIndex(({ state }) => peerOf(state) === null);
  if (deaf >= 0) return `${silence(sides[deaf]!, sides[1 - deaf]!)}: `;
  const agrees = sides.map(({ state }) => (state.agreement.agreed & bit) !== 0);
  if (agrees[0] === agrees[1]) return '';
  return `${sides[agrees[0] ? 1 : 0].name} does not agree to ${EXCHANGE} exchange: `;
}

/** What the sender of a link does not receive of the terms of its channels. */
function whatIsMissing([sender, receiver]: Sides, terms: ChannelTerms, priority: number): string {
  const neighbor = peerOf(sender.state);
  if (neighbor === null) return `${silence(sender, receiver)}: ${NOT_SENT}`;
  const missing = missingTerm(terms, priority, neighbor.remote)!;
  return `${receiver.name} does not advertise ${missing}: ${NOT_SENT}`;
}

function whyGrants(sides: readonly Side[], bit: number): string {
  const followers = sides.filter((side) => (enabledAt(side) & bit) === 0);
  const names = followers.map(({ name }) => name).join(' and ');
  const by = names === '' ? '' : `, taken over by ${names}`;
  return `both ends have ${EXCHANGE} exchange${by}`;
}

function whyPauses(sides: Sides, bit: number): string {
  const pauses = sides.map(({ state }) => pausesOf(state));
  const has = pauses.map(({ agreed }) => (agreed & bit) !== 0);
  const called = NEGOTIATED_CONTROL.toUpperCase();
  if (has[0] && has[1]) {
    const adopted = sides.filter((_, i) => pauses[i]!.isAdopted);
    const names = adopted.map(({ name }) => name).join(' and ');
    return names === '' ? `${called} at both ends` : `${called}, taken over by ${names}`;
  }
  if (!has[0] && !has[1]) return `no ${called} at either end`;
  const isMismatch = sides.some(({ state }) => state.operation.mismatches !== 0);
  return `no ${called} at ${sides[has[0] ? 1 : 0].name}${isMismatch ? ' (mismatch)' : ''}`;
}
