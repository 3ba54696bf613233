import { field } from '../../engine/kernel/fields.js';
import { SHAPE, unknown } from '../../engine/kernel/kinds.js';
import { PRIORITIES } from '../../engine/units/ethernet.js';
import type { OperatingPort } from '../../engine/contract/discovery.js';
import type { HoldReason, ManagedValue } from '../../engine/contract/flow-control.js';
import type { DevicePlace, MechanismTools, SliceMechanism } from '../../engine/contract/slice.js';
import type { StartAccounts } from '../../engine/contract/start-accounts.js';
import type { Charges } from '../../engine/buffer/charges.js';
import { CLASS, COPY_FLAG, LENGTH, PRIORITY_MASK } from '../../engine/frame/frame-pool.js';
import {
  blankCfUpdate,
  CF_UPDATE,
  decodeCfUpdate,
  encodeCfUpdate,
  VIRTUAL_CHANNELS,
} from '../../engine/wire/cf-update.js';
import {
  blankCcUpdate,
  CC_UPDATE_CHANNELS,
  decodeCcUpdate,
  encodeCcUpdate,
} from '../../engine/wire/mac-control/cc-update.js';
import { macControlOpcode } from '../../engine/wire/mac-control/mac-control-header.js';
import { isSupportedOpcode, OPCODE_EXTENSION } from '../../engine/wire/mac-control/opcodes.js';
import { ORDERED_SET_OCTETS, orderedSetType } from '../../engine/wire/ordered-set.js';
import { ailmentOf, brokenAtLink, brokenAtPort } from './invariants.js';
import type { FramePath, FramePathEvents } from './frame-path.js';
import { makeFramePath } from './frame-path.js';
import type { ChannelRows } from './machine.js';
import { CHANNEL_WORDS, costOf, SUM_WORDS, SYNCHRONISING } from './machine.js';
import { cbfcManagedValues } from './managed.js';
import { CbfcPort } from './port.js';
import { CbfcRole } from './role.js';
import { makeCbfcStarts } from './starts.js';
import type { CbfcPortSpec, CbfcSpec, CreditSize } from './spec.js';
import type { FrameRef, PortRow, Priority, TrafficClass } from '../../engine/units/indices.js';

const FREED_TIMER = 0;
const CONSUMED_TIMER = 1;

/** Ultra Ethernet's flow control by credits: a frame starts when its receiver has room for it. */
export class CbfcMechanism implements SliceMechanism<CbfcSpec, CbfcSpec>, FramePathEvents {
  readonly name = 'cbfc';
  readonly starts: StartAccounts;
  readonly admitted: Charges['admitted'];
  readonly released: Charges['released'];
  /** By port. */
  private readonly at: (CbfcPort | null)[] = [];
  private readonly macs: number[] = [];
  private readonly words: Int32Array;
  private readonly rows: ChannelRows;
  private readonly path: FramePath;
  /** By port and class: priorities of it that may not start their first frame. */
  private readonly blockedOf: Uint8Array;
  /** By channel and port: since when nothing is stored. */
  private readonly emptySince: Float64Array;
  private readonly cf = blankCfUpdate();
  private readonly cc = blankCcUpdate();

  constructor(private readonly tools: MechanismTools) {
    const { pool, tables, host } = tools;
    this.words = pool.words;
    this.rows = {
      words: tables.int32('port', field('channel', unknown(0), CHANNEL_WORDS), VIRTUAL_CHANNELS),
      ports: tables.count('port'),
      sums: tables.int32('port', field('credits', unknown(0), SUM_WORDS)),
    };
    this.blockedOf = tables.uint8('port', field('blocked of class', SHAPE, PRIORITIES));
    this.emptySince = tables.float64('port', field('empty since', unknown(0)), VIRTUAL_CHANNELS);
    const { rows, blockedOf, emptySince } = this;
    this.path = makeFramePath({ pool, clock: host.clock, rows, blockedOf, emptySince }, this);
    this.starts = {
      ...makeCbfcStarts(tools, this.path),
      charges: (port, group) => this.rulesGroup(port, group),
      passed: this.path.passed,
      covered: this.path.wasAllowed,
      backs: (port, group) => this.at[port]?.backs(group) === true,
      lineOf: () => -1,
    };
    this.admitted = this.path.admitted;
    this.released = this.path.released;
  }

  atSwitch(place: DevicePlace, spec: CbfcSpec | undefined): CbfcRole | null {
    return this.install(place, spec);
  }

  atHost(place: DevicePlace, spec: CbfcSpec | undefined): CbfcRole | null {
    return this.install(place, spec);
  }

  portAt(port: PortRow): CbfcPort | null {
    return this.at[port] ?? null;
  }

  /** The link partner's terms are known, or known no longer. */
  operate(port: PortRow, { advertised, channels }: OperatingPort): void {
    const own = this.at[port] ?? null;
    if (own?.spec.negotiates !== true) return;
    own.spec.channelOf.forEach((channel, priority) => {
      if ((channels & (1 << priority)) === 0) return;
      const { total, limits } = advertised.channelCredits!;
      if (total === 0) own.sender.agree(channel, limits[channel]);
    });
    this.setOperational(port, own, channels);
  }

  linkUp(port: PortRow): void {
    const own = this.at[port] ?? null;
    if (own === null) return;
    const running = own.channelsOf(own.operational);
    forEachBit(own.lossless, (channel) => {
      own.sender.reset(channel);
      own.receiver.reset(channel);
      if ((running & (1 << channel)) !== 0) own.sender.synchronise(channel);
    });
    this.askForAnswer(port, own);
  }

  // What frames leave to it.

  holdChanged(port: PortRow, trafficClass: TrafficClass, blocked: number): void {
    const own = this.at[port]!;
    const { now } = this.tools.host.clock;
    const place = port * PRIORITIES + trafficClass;
    const was = this.blockedOf[place];
    this.blockedOf[place] = blocked;
    for (let rest = was; rest !== 0; rest &= rest - 1) {
      const priority = 31 - Math.clz32(rest & -rest);
      own.blockedPs[priority] += now - own.blockedSince[priority];
    }
    for (let rest = blocked; rest !== 0; rest &= rest - 1) {
      const priority = 31 - Math.clz32(rest & -rest);
      own.blockedSince[priority] = now;
      own.holds[priority]++;
    }
    own.blocked = (own.blocked & ~was) | blocked;
    this.tools.host.hold(this.tools.slot, port, own.blocked);
  }

  mayStart(port: PortRow, row: number, credits: number): boolean {
    return this.at[port]!.sender.mayStart(this.channelAt(row), credits);
  }

  spend(port: PortRow, row: number, credits: number): void {
    this.at[port]!.sender.spend(this.channelAt(row), credits);
  }

  copied(port: PortRow): void {
    this.at[port]!.copies++;
  }

  storedChanged(port: PortRow, row: number): void {
    const own = this.at[port]!;
    own.noteStored(this.channelAt(row));
    const paused = own.groupsOfFull();
    const changed = paused ^ own.paused;
    if (changed === 0) return;
    own.paused = paused;
    forEachBit(changed, (group) => {
      this.tools.host.announceStop(port, group, (paused & (1 << group)) !== 0);
    });
  }

  freedEnough(port: PortRow): void {
    const own = this.at[port]!;
    if (!own.updateDue) this.requestUpdate(port, own);
  }

  steal(port: PortRow, priorities: number, octets: number): void {
    const own = this.at[port] ?? null;
    if (own === null) return;
    forEachBit(own.channelsOf(priorities & own.operational), (channel) => {
      const most = own.sender.limit(channel) - own.sender.inUse(channel);
      const credits = Math.min(most, Math.ceil(octets / (1 << own.spec.sender.shift)));
      if (credits > 0) own.sender.spend(channel, credits);
    });
    this.starts.permit(port);
  }

  // Accounts of what is stored.

  rulesGroup(port: PortRow, group: number): boolean {
    return (this.at[port]?.groups ?? []).some((groups) => (groups & (1 << group)) !== 0);
  }

  pausedGroups(port: PortRow): number {
    return this.at[port]?.paused ?? 0;
  }

  exhaustedGroups(port: PortRow): number {
    return this.at[port]?.exhaustedGroups() ?? 0;
  }

  accountOf(port: PortRow, priority: Priority): number {
    const own = this.at[port] ?? null;
    if (own === null || (own.spec.priorities & (1 << priority)) === 0) return -1;
    return own.spec.channelOf[priority];
  }

  accountsAt(port: PortRow): readonly number[] {
    const own = this.at[port] ?? null;
    return own?.losslessChannels() ?? [];
  }

  chargedUnits(port: PortRow, account: number): number {
    return this.at[port]!.receiver.stored(account);
  }

  // Messages and timers.

  compose(port: PortRow, _txEnd: number, octets: Uint8Array): number {
    const own = this.at[port]!;
    const length = own.updateDue
      ? this.composeFreed(port, own, octets)
      : own.consumedDue !== 0
        ? this.composeConsumed(port, own, octets)
        : 0;
    if (own.updateDue || own.consumedDue !== 0) {
      this.tools.host.requestControl(this.tools.slot, port);
    }
    return length;
  }

  receiveOrderedSet(port: PortRow, octets: Uint8Array): boolean {
    if (orderedSetType(octets, ORDERED_SET_OCTETS) !== CF_UPDATE) return false;
    const own = this.at[port] ?? null;
    if (own === null) return false;
    if (decodeCfUpdate(octets, ORDERED_SET_OCTETS, this.cf) !== 'ok') {
      own.unknownMessage++;
      return true;
    }
    own.cfReceived++;
    const { channels, counts } = this.cf;
    let hasLess = this.takeFreed(own, channels[0], counts[0]);
    if (channels[1] !== channels[0]) {
      hasLess = this.takeFreed(own, channels[1], counts[1]) || hasLess;
    }
    if (own.blocked !== 0 || hasLess) this.starts.permit(port);
    return true;
  }

  receiveControl(port: PortRow, octets: Uint8Array, length: number): boolean {
    const own = this.at[port] ?? null;
    const opcode = own === null ? -1 : macControlOpcode(octets, length);
    if (own === null || opcode < 0) return false;
    if (opcode !== OPCODE_EXTENSION) {
      if (isSupportedOpcode(opcode)) return false;
      own.badOpcode++;
      return true;
    }
    const decoded = decodeCcUpdate(octets, 0, this.cc);
    if (decoded === 'ok') this.takeConsumed(port, own);
    else if (decoded === 'unsupported-opcode') own.badCompanyId++;
    else own.unknownMessage++;
    return true;
  }

  onTimer(port: PortRow, timer: number): void {
    const own = this.at[port]!;
    const { now } = this.tools.host.clock;
    if (timer === FREED_TIMER) {
      if (own.freedTimer !== now) return;
      own.freedTimer = Infinity;
      // What is requested looks for the next when it is sent.
      if (own.updateDue) return;
      if (own.anyWorthUpdate(now)) this.requestUpdate(port, own);
      else this.armFreed(port, own, own.refreshAt());
    } else if (own.consumedTimer === now) {
      own.consumedTimer = Infinity;
      this.requestConsumed(port, own);
    }
  }

  // What people and checks see.

  holdReason(port: PortRow, priority: Priority): HoldReason | null {
    const sincePs = this.waitsSincePs(port, priority);
    return sincePs === null ? null : { mechanism: this.name, untilPs: Infinity, sincePs };
  }

  blockedPs(port: PortRow, priority: Priority, now: number): number {
    const own = this.at[port] ?? null;
    if (own === null) return 0;
    const since = this.waitsSincePs(port, priority);
    return own.blockedPs[priority] + (since === null ? 0 : now - since);
  }

  holdCount(port: PortRow, priority: Priority): number {
    return this.at[port]?.holds[priority] ?? 0;
  }

  awaitsAgreement(port: PortRow, priority: Priority): boolean {
    const own = this.at[port] ?? null;
    if (own === null) return false;
    return (own.spec.priorities & ~own.operational & (1 << priority)) !== 0;
  }

  waitsSincePs(port: PortRow, priority: Priority): number | null {
    const own = this.at[port] ?? null;
    if (own === null || (own.blocked & (1 << priority)) === 0) return null;
    return own.blockedSince[priority];
  }

  emptySincePs(port: PortRow, priority: Priority): number | null {
    const channel = this.accountOf(port, priority);
    if (channel < 0) return null;
    const own = this.at[port]!;
    const { ports } = this.rows;
    return own.receiver.stored(channel) === 0 ? this.emptySince[channel * ports + port] : null;
  }

  repeatsPs(port: PortRow): number {
    const own = this.at[port] ?? null;
    if (own === null) return 0;
    // A wrong total is believed until the one after the next.
    return 2 * own.spec.consumedPs + own.spec.mostSpacingPs + own.spec.retryPs;
  }

  managedValues(port: PortRow): ManagedValue[] {
    const own = this.at[port] ?? null;
    return own === null ? [] : cbfcManagedValues(own);
  }

  brokenAt(port: PortRow): string | null {
    const own = this.at[port] ?? null;
    return own === null ? null : brokenAtPort(own);
  }

  brokenOnLink(
    port: PortRow,
    forEachNotTaken: (visit: (frame: FrameRef) => void) => void,
  ): string | null {
    const own = this.at[port] ?? null;
    const peer = this.at[this.tools.ports.peer(port)] ?? null;
    if (own === null || peer === null) return null;
    return brokenAtLink(peer, own, this.creditsOfFrames(port, own, forEachNotTaken));
  }

  ailmentOnLink(
    port: PortRow,
    isQuiet: boolean,
    forEachNotTaken: (visit: (frame: FrameRef) => void) => void,
  ): string | null {
    const own = this.at[port] ?? null;
    const peer = this.at[this.tools.ports.peer(port)] ?? null;
    if (own === null || peer === null) return null;
    return ailmentOf(peer, own, this.creditsOfFrames(port, own, forEachNotTaken), isQuiet);
  }

  /** By channel: credits that senders have used for frames; copies were sent by none. */
  private creditsOfFrames(
    port: PortRow,
    own: CbfcPort,
    forEach: (visit: (frame: FrameRef) => void) => void,
  ): number[] {
    const credits = own.spec.receiver.limits.map(() => 0);
    forEach((frame) => {
      if (this.accountOf(port, this.priorityOf(frame)) < 0) return;
      if ((this.words[frame + CLASS] & COPY_FLAG) !== 0) return;
      credits[this.channelOf(own, frame)] += this.creditsOf(own.spec.receiver, frame);
    });
    return credits;
  }

  private install(place: DevicePlace, spec: CbfcSpec | undefined): CbfcRole | null {
    const all = place.ports.map(({ groupOf, mac }, p) => {
      const port = place.firstPort + p;
      const own = spec?.ports[p] ?? null;
      this.macs[port] = mac;
      this.at[port] = own === null ? null : this.make(port, own, groupOf);
      if (own === null) return null;
      this.tools.ports.charge(port, this.tools.slot, own.priorities);
      this.tools.ports.meter(port, this.tools.slot, own.priorities);
      if (!own.negotiates) this.begin(port, this.at[port]!);
      return this.at[port]!;
    });
    return spec === undefined ? null : new CbfcRole(all);
  }

  private make(port: PortRow, spec: CbfcPortSpec, groupOf: readonly number[]): CbfcPort {
    const place = port * PRIORITIES;
    const blockedOf = this.blockedOf.subarray(place, place + PRIORITIES);
    this.path.configure(port, spec.channelOf);
    return new CbfcPort({ spec, groupOf, rows: this.rows, port, blockedOf });
  }

  /** Both ends are configured alike, and count from nothing. */
  private begin(port: PortRow, own: CbfcPort): void {
    own.operational = own.spec.priorities;
    forEachBit(own.lossless, (channel) => {
      own.sender.open(channel);
      own.receiver.begin(channel);
    });
    this.armConsumed(port, own, own.spec.consumedPs);
    this.armFreed(port, own, own.refreshAt());
  }

  /** Frames of channels that the link partner does not have wait. */
  private setOperational(port: PortRow, own: CbfcPort, priorities: number): void {
    if (priorities !== own.operational) {
      const [before, after] = [own.channelsOf(own.operational), own.channelsOf(priorities)];
      own.operational = priorities;
      forEachBit(after & ~before, (channel) => {
        own.sender.synchronise(channel);
        own.receiver.desynchronise(channel);
      });
      forEachBit(before & ~after, (channel) => {
        own.sender.close(channel);
        own.receiver.desynchronise(channel);
      });
      if ((after & ~before) !== 0) this.askForAnswer(port, own);
    }
    own.blockedOf.fill(0);
    forEachBit(own.blocked, (priority) => {
      own.blockedPs[priority] += this.tools.host.clock.now - own.blockedSince[priority];
    });
    own.blocked = 0;
    this.tools.host.hold(this.tools.slot, port, 0);
    this.starts.permit(port);
  }

  /** A CC_Update goes first: its receiver then says what is freed. */
  private askForAnswer(port: PortRow, own: CbfcPort): void {
    this.requestConsumed(port, own);
    if (own.blocked !== 0) this.starts.permit(port);
  }

  private priorityOf(frame: FrameRef): number {
    return this.words[frame + CLASS] & PRIORITY_MASK;
  }

  private channelOf(own: CbfcPort, frame: FrameRef): number {
    return own.channelOf[this.words[frame + CLASS] & PRIORITY_MASK];
  }

  private creditsOf({ shift, overhead }: CreditSize, frame: FrameRef): number {
    return costOf(this.words[frame + LENGTH], overhead, shift);
  }

  private channelAt(row: number): number {
    return Math.floor(row / (CHANNEL_WORDS * this.rows.ports));
  }

  /** Returns whether less may start than before. */
  private takeFreed(own: CbfcPort, channel: number, count: number): boolean {
    if (own.isLossless(channel)) return own.sender.onFreed(channel, count);
    own.unknownChannel++;
    return false;
  }

  private takeConsumed(port: PortRow, own: CbfcPort): void {
    own.ccReceived++;
    const { ports, host, replayBuffers } = this.tools;
    // What a total counts and was bad is sent again: it is not lost.
    const arrivedPs = host.clock.now - ports.pipelinePs(port);
    if (arrivedPs < replayBuffers.missingUntilPs(port)) return;
    const { firstChannel, counters } = this.cc;
    let isOwed = false;
    for (let n = 0; n < CC_UPDATE_CHANNELS; n++) {
      const channel = firstChannel + n;
      if (!own.isLossless(channel)) continue;
      const wasKnown = own.receiver.isSynchronised(channel);
      const leaked = own.receiver.leaked;
      own.receiver.onConsumed(channel, counters[n]);
      if (wasKnown && own.receiver.leaked === leaked) continue;
      own.owed |= 1 << channel;
      isOwed = true;
    }
    if (isOwed && !own.updateDue) this.requestUpdate(port, own);
    this.armFreed(port, own, own.refreshAt());
  }

  /** A CF_Update is worth sending: now, or as soon as the one before is far enough. */
  private requestUpdate(port: PortRow, own: CbfcPort): void {
    const { host, slot } = this.tools;
    const at = own.updatedAt + own.leastSpacingPs;
    if (host.clock.now < at) {
      this.armFreed(port, own, at);
      return;
    }
    own.updateDue = true;
    host.requestControl(slot, port);
  }

  private composeFreed(port: PortRow, own: CbfcPort, octets: Uint8Array): number {
    const { now } = this.tools.host.clock;
    own.updateDue = false;
    const first = own.nextToTell(-1, now);
    if (first < 0) return 0;
    const second = own.nextToTell(first, now);
    this.report(own, 0, first, now);
    this.report(own, 1, second < 0 ? first : second, now);
    own.updatedAt = now;
    own.cfSent++;
    const next = own.anyWorthUpdate(now) ? now + own.leastSpacingPs : own.refreshAt();
    this.armFreed(port, own, next);
    return encodeCfUpdate(octets, 0, this.cf);
  }

  private report(own: CbfcPort, place: number, channel: number, now: number): void {
    this.cf.channels[place] = channel;
    this.cf.counts[place] = own.receiver.report(channel);
    own.toldAt[channel] = now;
    own.owed &= ~(1 << channel);
  }

  /** A CC_Update of every half of the channels that has lossless ones. */
  private requestConsumed(port: PortRow, own: CbfcPort): void {
    const { host, slot } = this.tools;
    const low = (1 << CC_UPDATE_CHANNELS) - 1;
    own.consumedDue = ((own.lossless & low) !== 0 ? 1 : 0) | ((own.lossless & ~low) !== 0 ? 2 : 0);
    host.requestControl(slot, port);
    const isOpen = !own.sender.isSynchronising();
    this.armConsumed(port, own, host.clock.now + (isOpen ? own.spec.consumedPs : own.spec.retryPs));
  }

  private composeConsumed(port: PortRow, own: CbfcPort, octets: Uint8Array): number {
    if (this.countsWhatIsRepeated(port, own)) {
      own.consumedDue = 0;
      this.armConsumed(port, own, this.tools.host.clock.now + own.spec.retryPs);
      return 0;
    }
    const half = own.consumedDue & -own.consumedDue;
    own.consumedDue &= ~half;
    // What has been agreed on no longer is not spoken of.
    if (own.operational === 0) return 0;
    const { cc } = this;
    cc.source = this.macs[port];
    cc.firstChannel = half === 1 ? 0 : CC_UPDATE_CHANNELS;
    for (let n = 0; n < CC_UPDATE_CHANNELS; n++) {
      const channel = cc.firstChannel + n;
      cc.counters[n] = own.isLossless(channel) ? own.sender.consumed(channel) : 0;
    }
    own.ccSent++;
    return encodeCcUpdate(octets, 0, cc);
  }

  /**
   * A total overtakes the frames that a link layer sends again. Where both ends have lost their
   * counters, those that were sent before are not in the total, and have to be stored first.
   */
  private countsWhatIsRepeated(port: PortRow, own: CbfcPort): boolean {
    const { ports, replayBuffers } = this.tools;
    if (!ports.hasLinkLayer(port)) return false;
    if (ports.repeats(port)) return true;
    if (!own.sender.isSynchronising()) return false;
    let isOutstanding = false;
    replayBuffers.forEach(port, (frame) => {
      const isOwn = (own.spec.priorities & (1 << this.priorityOf(frame))) !== 0;
      if (isOwn && own.sender.state(this.channelOf(own, frame)) === SYNCHRONISING) {
        isOutstanding = true;
      }
    });
    return isOutstanding;
  }

  private armFreed(port: PortRow, own: CbfcPort, at: number): void {
    if (at >= own.freedTimer) return;
    const { host, slot } = this.tools;
    if (own.freedTimer !== Infinity) host.disarm(slot, port, FREED_TIMER, own.freedTimer);
    own.freedTimer = Math.max(at, host.clock.now);
    host.arm(slot, port, FREED_TIMER, own.freedTimer);
  }

  private armConsumed(port: PortRow, own: CbfcPort, at: number): void {
    own.consumedTimer = at;
    const { host, slot } = this.tools;
    host.arm(slot, port, CONSUMED_TIMER, at);
  }
}

function forEachBit(bits: number, visit: (bit: number) => void): void {
  for (let rest = bits; rest !== 0; rest &= rest - 1) visit(31 - Math.clz32(rest & -rest));
}
