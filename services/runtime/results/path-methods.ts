/** The method of each link of a path, priority by priority, and the verdict about the whole. */

import { PRIORITY_NUMBERS } from '../../engine/units/ethernet.js';
import {
  EXCHANGE,
  GRANTING_CONTROLS,
  NEGOTIATED_CONTROL,
  WHOLE_PORT,
} from '../../mechanisms/registry.js';
import type { DiscoveryMechanism } from '../../engine/discovery/discovery-mechanism.js';
import { peerOf, type PortDiscovery } from '../../engine/discovery/port-discovery.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { FlowControl } from '../../fabric/scenario/scenario.js';
import type { LinkEnd } from '../../fabric/assembly/link-ends.js';
import type { Methods } from '../../fabric/assembly/link-methods.js';
import type { PlannedMechanism } from '../../mechanisms/mechanism-slice.js';
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
  const judge = new LinkJudge(discovered);
  const settled = settledOf(ends, discovered);
  const name = (device: number): string => fabric.topology.devices[device]!.name;
  return priorities.map((priority) => {
    const hops = ends.map((end) => judge.hop(end, priority));
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
  const judge = new LinkJudge(discovered);
  const priorities = [...new Set(fabric.flows.map(({ priority }) => priority))].sort();
  const blocked = fabric.linkEnds.flat().flatMap((end) =>
    priorities.flatMap((priority) => {
      const { link, method, why } = judge.hop(end, priority);
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

/** A flow control with grants that has an agreement of its own. */
interface OwnControl {
  readonly name: FlowControl;
  readonly planned: PlannedMechanism;
}

/** The method of a link in one direction, and its reason. */
class LinkJudge {
  constructor(private readonly discovered: Discovered) {}

  hop(end: LinkEnd, priority: number): HopResult {
    const peer = this.discovered.fabric.linkEnds[end.peerDevice]![end.peerPort]!;
    const link = `${end.name} > ${peer.name}`;
    const [method, why] = this.judge(end, peer, 1 << priority);
    return { link, method, why };
  }

  private judge(end: LinkEnd, peer: LinkEnd, bit: number): readonly [Method, string] {
    const method = this.methodsOf(end)[31 - Math.clz32(bit)]!;
    if (method === WHOLE_PORT) return [method, 'PAUSE at both ends'];
    return this.discovered.fabric.scenario.discovery.drives
      ? this.negotiated(end, peer, bit)
      : this.pinned(end, bit);
  }

  private pinned(end: LinkEnd, bit: number): readonly [Method, string] {
    const own = this.ofSlice(end, bit);
    if (own !== null) return [own.name, 'the scenario says so'];
    const { grants, pausing } = this.discovered.fabric.specs[end.device]!.ports[end.port]!;
    if (((grants?.priorities ?? 0) & bit) !== 0) return [EXCHANGE, 'the scenario says so'];
    if (((pausing?.priorities ?? 0) & bit) !== 0)
      return [NEGOTIATED_CONTROL, 'the scenario says so'];
    return ['none', 'the scenario says so'];
  }

  /** A flow control that both ends are configured for. */
  private ofSlice(end: LinkEnd, bit: number): OwnControl | null {
    const method = this.methodsOf(end)[31 - Math.clz32(bit)]!;
    if (!GRANTING_CONTROLS.includes(method)) return null;
    const planned = this.discovered.fabric.mechanisms.find(({ slice }) => slice.name === method);
    return planned === undefined ? null : { name: method, planned };
  }

  /** What the ends of a link have, or may come to. */
  private methodsOf({ device, port }: LinkEnd): Methods {
    return this.discovered.fabric.methods[device]![port]!;
  }

  /** What the sender of a link lacks for an agreement on a flow control; null: nothing. */
  private lacks(
    end: LinkEnd,
    peer: LinkEnd,
    { slice, plan }: PlannedMechanism,
    bit: number,
  ): string | null {
    const neighbor = peerOf(this.stateOf(end.device, end.port));
    if (neighbor === null) return this.silence(end, peer);
    const missing = slice.missing?.(end, plan, 31 - Math.clz32(bit), neighbor.remote) ?? null;
    return missing === null ? null : `${peer.name} does not advertise ${missing}`;
  }

  private silence({ device, port, name }: LinkEnd, peer: LinkEnd): string {
    const { neighbors } = this.stateOf(device, port).agents[0]!.rx;
    return neighbors.length > 1
      ? `${name} receives LLDPDUs of several systems`
      : `${name} receives no LLDPDU from ${peer.name}`;
  }

  private negotiated(end: LinkEnd, peer: LinkEnd, bit: number): readonly [Method, string] {
    const own = this.ofSlice(end, bit);
    if (own !== null) {
      const lacks = this.lacks(end, peer, own.planned, bit);
      return lacks === null
        ? [own.name, 'both ends have it']
        : ['blocked', `${lacks}: ${NOT_SENT}`];
    }
    const ends = [end, peer];
    const states = ends.map(({ device, port }) => this.stateOf(device, port));
    const [sender, receiver] = states;
    const uses = states.map(({ agreement }) => (agreement.priorities & bit) !== 0);
    if (uses[0] && uses[1]) return [EXCHANGE, this.whyGrants(ends, bit)];
    if (uses[0]) return ['blocked', `${peer.name} has not received that ${end.name} agrees`];
    const fallsBack = this.withoutGrants(ends, states, bit);
    if (this.isBlocked(end, bit)) return ['blocked', `${fallsBack}${NOT_SENT}`];
    const has = states.map(({ operation }) => (operation.pfc & bit) !== 0);
    if (has[0] && has[1]) {
      const adopted = ends.filter((_, i) => states[i]!.operation.pfcFrom === 'peer');
      const names = adopted.map(({ name }) => name).join(' and ');
      const by = names === '' ? 'PFC at both ends' : `PFC, taken over by ${names}`;
      return [NEGOTIATED_CONTROL, `${fallsBack}${by}`];
    }
    if (!has[0] && !has[1]) return ['none', `${fallsBack}no PFC at either end`];
    const without = has[0] ? peer.name : end.name;
    const mismatch = (sender!.operation.mismatches | receiver!.operation.mismatches) !== 0;
    return ['none', `${fallsBack}no PFC at ${without}${mismatch ? ' (mismatch)' : ''}`];
  }

  private whyGrants(ends: readonly LinkEnd[], bit: number): string {
    const followers = ends.filter((end) => (this.enabledAt(end) & bit) === 0);
    const names = followers.map(({ name }) => name).join(' and ');
    const by = names === '' ? '' : `, taken over by ${names}`;
    return `both ends have ${EXCHANGE} exchange${by}`;
  }

  /** The sender has the priority for grants only, and its scenario allows no other method. */
  private isBlocked(end: LinkEnd, bit: number): boolean {
    const { holdsWithoutGrants } =
      this.discovered.mechanism.specs[this.discovered.numberOf(end.device, end.port)]!;
    return (holdsWithoutGrants & this.enabledAt(end) & bit) !== 0;
  }

  private enabledAt({ device, port }: LinkEnd): number {
    const spec = this.discovered.mechanism.specs[this.discovered.numberOf(device, port)]!;
    return spec.stages[this.stateOf(device, port).stage]!.admin.exchange?.enabled ?? 0;
  }

  /** An end that exchanges grants, but whose peer has not, or does not agree to it. */
  private withoutGrants(
    ends: readonly LinkEnd[],
    states: readonly PortDiscovery[],
    bit: number,
  ): string {
    const can = ends.map((end) => (this.enabledAt(end) & bit) !== 0);
    if (can[0] !== can[1]) return `no ${EXCHANGE} exchange at ${ends[can[0] ? 1 : 0]!.name}: `;
    if (!can[0]) return '';
    const deaf = states.findIndex((state) => peerOf(state) === null);
    if (deaf >= 0) return `${this.silence(ends[deaf]!, ends[1 - deaf]!)}: `;
    const agrees = states.map(({ agreement }) => (agreement.agreed & bit) !== 0);
    if (agrees[0] === agrees[1]) return '';
    return `${ends[agrees[0] ? 1 : 0]!.name} does not agree to ${EXCHANGE} exchange: `;
  }

  private stateOf(device: number, port: number): PortDiscovery {
    return this.discovered.mechanism.ports[this.discovered.numberOf(device, port)]!;
  }
}
