import type { GrantNegotiation } from '../contract/grant-negotiation.js';
import type { DiscoveryPortSpec, PortOperator } from '../contract/discovery.js';
import type {
  HoldReason,
  ManagedValue,
  Mechanism,
  MechanismHost,
} from '../contract/flow-control.js';
import type { PortSpec } from '../contract/spec.js';
import { readU16, readU48 } from '../wire/big-endian.js';
import { ETHERTYPE_LLDP, LLDP_FRAME_MOST } from '../wire/lldp/lldpdu.js';
import { NO_MECHANISM_TLVS } from '../wire/lldp/mechanism-tlvs.js';
import type { Counters } from '../port/counters.js';
import { RX_FRAMES } from '../port/counters.js';
import { type Announcement, encodeAnnouncement, encodeShutdown } from './announcement.js';
import {
  BRIDGE,
  bridgeLevel,
  END_STATION,
  orientationOf,
  UNKNOWN_LEVEL,
} from './capabilities/topology-level.js';
import type { DcbxOperation } from './dcbx/dcbx-managed.js';
import { exposedFrames, trackExposure } from './exposure.js';
import { discoveryManagedValues } from './discovery-managed.js';
import { ruledBy } from './link-end.js';
import { blankStatistics, mayReceive, maySend, txTtl } from './lldp/lldp-managed.js';
import {
  countDownReceive,
  receiveLldp,
  resetReceive,
  ticksToReceive,
} from './lldp/receive-machine.js';
import {
  countDownTransmit,
  dueOf,
  resetTransmit,
  runTransmit,
  ticksToTransmit,
  transmitted,
} from './lldp/transmit-machine.js';
import {
  adminOf,
  ceeToSay,
  changeAdmin,
  type LldpAgent,
  negotiate,
  openPort,
  peerOf,
  type PortDiscovery,
  saidOf,
} from './port-discovery.js';
import { ETHERTYPE_AT } from '../wire/ethernet.js';

/** Timers of a port: its agents have the first ones; a device begins with its first port. */
const CHANGE_TIMER = 16;
const BEGIN_TIMER = 17;

/** What discovery uses of its engine. */
export type DiscoveryHost = Pick<MechanismHost, 'clock' | 'hold' | 'requestControl' | 'arm'>;

/** LLDP with DCBX and the capability TLVs: learns the neighbor's capabilities, and negotiates. */
export class DiscoveryMechanism implements Mechanism {
  readonly name = 'discovery';
  /** By port, numbered through the service; null where it does not run. */
  readonly ports: (PortDiscovery | null)[] = [];
  readonly specs: (DiscoveryPortSpec | null)[] = [];
  /** Ports of a device, by its chassis. */
  private readonly systems = new Map<number, number[]>();
  private readonly scratch = new Uint8Array(LLDP_FRAME_MOST);

  private operator: PortOperator = { operate: () => undefined, tableInHardware: () => null };

  constructor(
    private readonly host: DiscoveryHost,
    private readonly counters: Counters,
    private readonly slot: number,
    private readonly grants: GrantNegotiation,
  ) {}

  /** Sets what applies the negotiated configuration. */
  setTools(operator: PortOperator): void {
    this.operator = operator;
  }

  configurePort(port: number, spec: PortSpec): void {
    const own = spec.discovery;
    this.specs[port] = own;
    this.ports[port] = own === null ? null : openPort(own, this.grants);
    if (own === null) return;
    const { chassisMac } = own.identity;
    const siblings = this.systems.get(chassisMac) ?? [];
    this.systems.set(chassisMac, siblings);
    siblings.push(port);
    if (siblings.length === 1) this.host.arm(this.slot, port, BEGIN_TIMER, 0);
  }

  /** Both machines begin anew (RX_LLDP_INITIALIZE, TX_LLDP_INITIALIZE). */
  linkUp(port: number): void {
    const state = this.ports[port];
    if (state === null) return;
    for (const agent of state.agents) {
      this.catchUp(port, agent);
      resetTransmit(agent.tx);
      resetReceive(agent.rx);
    }
    this.reconsider(port);
    this.run(port);
  }

  /** The clock of a port's timers is too fast by this, in parts per million; 0: correct. */
  drift(port: number, ppm: number): void {
    const state = this.ports[port];
    if (state === null) return;
    const { now } = this.host.clock;
    for (const agent of state.agents) this.catchUp(port, agent);
    const { sincePs, sinceTick, tickPs } = state.pace;
    const sinceNew = sinceTick + Math.floor((now - sincePs) / tickPs);
    const pacePs = Math.max(1, Math.round(this.specs[port]!.tickPs / (1 + ppm / 1e6)));
    state.pace = { sincePs: now, sinceTick: sinceNew, tickPs: pacePs };
    for (const agent of state.agents) agent.wakeAtPs = Infinity;
    this.run(port);
  }

  onTimer(port: number, timer: number): void {
    if (timer === BEGIN_TIMER) this.begin(this.siblings(port));
    else if (timer === CHANGE_TIMER) this.change(port);
    else this.wake(port, this.ports[port]!.agents[timer]);
  }

  private wake(port: number, agent: LldpAgent): void {
    if (agent.wakeAtPs !== this.host.clock.now) return;
    agent.wakeAtPs = Infinity;
    this.catchUp(port, agent);
    this.run(port);
  }

  /**
   * The LLDPDU of the first agent that has one due; 0 if none has. A link that comes up, or an
   * administrator, initializes the machines after a frame was requested.
   */
  compose(port: number, _txEnd: number, octets: Uint8Array): number {
    const spec = this.specs[port]!;
    const state = this.ports[port]!;
    const place = state.agents.findIndex(({ tx }) => dueOf(tx) !== 'nothing');
    if (place < 0) return 0;
    const agent = state.agents[place];
    const due = dueOf(agent.tx);
    const announcement = this.announcement(port, place);
    let length: number;
    if (due === 'shutdown') length = encodeShutdown(octets, announcement);
    else {
      const encoded = encodeAnnouncement(octets, announcement);
      ({ length } = encoded);
      if (encoded.left > 0) agent.stats.lengthErrorsTotal++;
    }
    agent.advertised = octets.slice(0, length);
    agent.stats.statsFramesOutTotal++;
    transmitted(agent.tx, spec.timers, due);
    this.run(port);
    return length;
  }

  receiveControl(port: number, octets: Uint8Array, length: number): boolean {
    if (readU16(octets, ETHERTYPE_AT) !== ETHERTYPE_LLDP) return false;
    const spec = this.specs[port];
    const place = spec?.destinations.indexOf(readU48(octets, 0)) ?? -1;
    if (place < 0) return false;
    const state = this.ports[port]!;
    if (!mayReceive(adminOf(spec!, state).status)) return true;
    const agent = state.agents[place];
    this.catchUp(port, agent);
    const reception = receiveLldp(agent.rx, agent.stats, spec!, octets.subarray(0, length));
    if (reception === 'new') agent.tx.newNeighbor = true;
    if (reception === 'new' || reception === 'changed' || reception === 'gone')
      this.reconsider(port);
    this.run(port);
    return true;
  }

  holdReason(port: number, priority: number): HoldReason | null {
    const blocked = this.awaitsAgreement(port, priority);
    return blocked ? { mechanism: this.name, untilPs: Infinity, sincePs: null } : null;
  }

  awaitsAgreement(port: number, priority: number): boolean {
    return this.specs[port] !== null && (this.withheld(port) & (1 << priority)) !== 0;
  }

  /** Classes and shares that hardware has at a port; null where it has no registers for them. */
  tableInHardware(port: number): ReturnType<PortOperator['tableInHardware']> {
    return this.operator.tableInHardware(port);
  }

  managedValues(port: number): ManagedValue[] {
    const state = this.ports[port];
    return state === null ? [] : discoveryManagedValues(state);
  }

  /** When the neighbor of a port, or what was agreed with it, last changed; -1: never. */
  settledPs(port: number): number {
    const state = this.ports[port];
    return state === null ? -1 : Math.max(...state.settledPs);
  }

  /** A change is pending that will change what is known or agreed. */
  isSettling(port: number): boolean {
    const spec = this.specs[port];
    if (spec === null) return false;
    if (this.willChange(port)) return true;
    const { agents } = this.ports[port]!;
    return agents.some(({ tx }) => tx.txFast > 0 || tx.txNow || tx.localChange);
  }

  /** Ends of a link may soon agree: either changes, or the port reads what its peer sends. */
  mayAgree(port: number, peer: number): boolean {
    const spec = this.specs[port];
    if (spec === null) return false;
    if (this.willChange(port) || this.willChange(peer)) return true;
    const reads = mayReceive(adminOf(spec, this.ports[port]!).status);
    return reads && (this.isSettling(port) || this.isSettling(peer));
  }

  private willChange(port: number): boolean {
    const spec = this.specs[port];
    return spec !== null && this.ports[port]!.stage + 1 < spec.stages.length;
  }

  /** By priority: frames that arrived while the ends of the link differed about PFC. */
  exposedFrames(port: number): number[] {
    return exposedFrames(this.ports[port]!.exposure, this.receivedAt(port));
  }

  /** The run begins: with what was learned before it, or with the first LLDPDU. */
  private begin(ports: readonly number[]): void {
    for (const port of ports) {
      const spec = this.specs[port]!;
      this.ports[port]!.agents.forEach(({ rx }, place) => {
        const octets = spec.learned[place];
        if (octets !== null) receiveLldp(rx, blankStatistics(), spec, octets);
      });
    }
    for (const port of ports) this.reconsider(port);
    for (const port of ports) {
      this.recallSaid(port);
      this.run(port);
      this.armChange(port);
    }
  }

  /** What was advertised before the run began is not sent again. */
  private recallSaid(port: number): void {
    const { learned, timers } = this.specs[port]!;
    this.ports[port]!.agents.forEach((agent, place) => {
      if (learned[place] === null) return;
      runTransmit(agent.tx, timers, true);
      agent.tx.txNow = false;
      agent.advertised = this.scratch.slice(0, this.encode(port, place));
    });
  }

  /** The administrator changes something. */
  private change(port: number): void {
    const spec = this.specs[port]!;
    const state = this.ports[port]!;
    for (const agent of state.agents) this.catchUp(port, agent);
    changeAdmin(state);
    if (!mayReceive(adminOf(spec, state).status)) {
      for (const { rx } of state.agents) resetReceive(rx);
    }
    this.reconsider(port);
    this.run(port);
    this.armChange(port);
  }

  private armChange(port: number): void {
    const next = this.specs[port]!.stages[this.ports[port]!.stage + 1];
    if (next !== undefined) this.host.arm(this.slot, port, CHANGE_TIMER, next.fromPs);
  }

  /** Counts the ticks since an agent last ran. */
  private catchUp(port: number, agent: LldpAgent): void {
    const { timers } = this.specs[port]!;
    const { sincePs, sinceTick, tickPs } = this.ports[port]!.pace;
    const tick = sinceTick + Math.floor((this.host.clock.now - sincePs) / tickPs);
    if (tick === agent.tick) return;
    countDownTransmit(agent.tx, timers, tick - agent.tick);
    const aged = countDownReceive(agent.rx, agent.stats, tick - agent.tick);
    agent.tick = tick;
    if (aged > 0) this.reconsider(port);
  }

  /** Runs a port's transmit machines, requests a frame, and arms the next timer. */
  private run(port: number): void {
    const { timers, ...spec } = this.specs[port]!;
    const state = this.ports[port]!;
    const { sincePs, sinceTick, tickPs } = state.pace;
    const { status } = spec.stages[state.stage].admin;
    let due = false;
    state.agents.forEach((agent, place) => {
      const { tx, rx } = agent;
      this.catchUp(port, agent);
      runTransmit(tx, timers, maySend(status));
      due ||= dueOf(tx) !== 'nothing';
      const ticks = Math.min(ticksToTransmit(tx), ticksToReceive(rx));
      const wakeAtPs = sincePs + (agent.tick + ticks - sinceTick) * tickPs;
      if (wakeAtPs >= agent.wakeAtPs || ticks === Infinity) return;
      agent.wakeAtPs = wakeAtPs;
      this.host.arm(this.slot, port, place, wakeAtPs);
    });
    if (due) this.host.requestControl(this.slot, port);
  }

  /** The database or the configuration changed: negotiates again, and advertises changes. */
  private reconsider(port: number): void {
    const spec = this.specs[port]!;
    const state = this.ports[port]!;
    negotiate(spec, state, this.grants);
    const { now } = this.host.clock;
    state.settledPs[spec.epochsPs.findLastIndex((fromPs) => fromPs <= now)] = now;
    if (spec.drives) this.operate(port);
    if (this.levelChanged(port)) {
      for (const sibling of this.siblings(port)) this.sayIfNew(sibling);
    } else this.sayIfNew(port);
  }

  private operate(port: number): void {
    const state = this.ports[port]!;
    const { operation, agreement, pausable, channels } = state;
    const remote = peerOf(state)?.remote ?? null;
    this.operator.operate(port, {
      ets: operation.ets,
      pfc: pausable,
      exchange: { ...agreement, priorities: ruledBy(state, 'grants') },
      channels,
      advertised: remote ?? NO_MECHANISM_TLVS,
    });
    if (this.specs[port]!.built.grantsOnly !== 0) {
      this.host.hold(this.slot, port, this.withheld(port));
    }
    this.trackExposure(port);
  }

  /** Priorities that this end has for grants only, as long as the other has not agreed. */
  private withheld(port: number): number {
    const { built } = this.specs[port]!;
    return ruledBy(this.ports[port]!, 'withheld') & ~(built.channels?.priorities ?? 0);
  }

  /** A switch that pauses a neighbor without PFC may lose frames. */
  private trackExposure(port: number): void {
    const { exposure, differing, agreement } = this.ports[port]!;
    if (!this.specs[port]!.identity.isBridge) return;
    // Priorities that exchange grants are safe.
    const exposed = differing & ~agreement.priorities;
    trackExposure(exposure, exposed, this.receivedAt(port), this.host.clock.now);
  }

  private receivedAt(port: number): (priority: number) => number {
    return (priority) => this.counters.get(port, priority, RX_FRAMES);
  }

  /** Whether the level of a port's device has changed. */
  private levelChanged(port: number): boolean {
    if (!this.specs[port]!.identity.isBridge) return false;
    const siblings = this.siblings(port);
    const level = bridgeLevel(siblings.map((sibling) => this.neighborLevel(sibling)));
    if (level === this.ports[port]!.level) return false;
    for (const sibling of siblings) this.ports[sibling]!.level = level;
    return true;
  }

  private neighborLevel(port: number): number {
    return peerOf(this.ports[port]!)?.remote.topology?.level ?? UNKNOWN_LEVEL;
  }

  private siblings(port: number): readonly number[] {
    return this.systems.get(this.specs[port]!.identity.chassisMac)!;
  }

  /** An agent whose LLDPDU would differ from its last has a local change. */
  private sayIfNew(port: number): void {
    this.ports[port]!.agents.forEach((agent, place) => {
      if (agent.tx.state !== 'idle') return;
      const { advertised } = agent;
      const length = this.encode(port, place);
      const isSame =
        length === advertised.length && advertised.every((octet, i) => octet === this.scratch[i]);
      if (!isSame) agent.tx.localChange = true;
    });
    if (this.ports[port]!.agents.some(({ tx }) => tx.localChange)) this.run(port);
  }

  private encode(port: number, place: number): number {
    return encodeAnnouncement(this.scratch, this.announcement(port, place)).length;
  }

  /** Advertised ETS is read back from hardware that has registers for it. */
  private inForce(port: number): DcbxOperation {
    const { operation } = this.ports[port]!;
    const { drives } = this.specs[port]!;
    const table = drives ? this.operator.tableInHardware(port) : null;
    return table === null ? operation : { ...operation, ets: { ...operation.ets, ...table } };
  }

  private announcement(port: number, place: number): Announcement {
    const spec = this.specs[port]!;
    const state = this.ports[port]!;
    const { identity, identifier, destinations, timers } = spec;
    const admin = saidOf(spec, state, this.grants);
    return {
      identity,
      identifier,
      destination: destinations[place],
      ttlSeconds: txTtl(timers),
      admin,
      operation: this.inForce(port),
      agreed: state.agreement.agreed,
      cee: ceeToSay(admin, state),
      topology: {
        deviceType: identity.isBridge ? BRIDGE : END_STATION,
        level: state.level,
        orientation: orientationOf(state.level, this.neighborLevel(port)),
      },
      speaksDcbx: place === 0,
    };
  }
}
