/**
 * Pause initiators: XOFF is sent as soon as the link is free when an account reaches its threshold,
 * again when the share `refresh` of its time is over, and XON when the account has fallen so far
 * (802.1Q 36.1.3.2; 802.3 31B.3.1). A frame names every group that is paused, and those just
 * released with time zero.
 */

import { slotsOf, slotsOfPort } from '../configuration.js';
import {
  ETHERTYPE,
  etherTypeOf,
  OPCODE,
  opcodeOf,
  ORDERED_SET,
  PREAMBLE,
  PRIORITIES,
  QUANTUM,
  SHORTEST,
  showPs,
  u16,
} from '../ethernet.js';
import type { Negotiation } from '../model/negotiation.js';
import type { Observer, Start } from '../model/observer.js';
import type { Device, Port, Storage } from '../model/port.js';
import type { WireFrame } from '../record.js';
import type { Verdict } from '../verdict.js';
import type { Buffers } from './buffers.js';

/** What a port states about its link partner. */
interface Initiator {
  readonly quanta: number;
  readonly refreshPs: number;
  /** Priorities that a pause of a group names, one bit each. */
  readonly named: readonly number[];
  readonly isWholePort: boolean;
  /** Groups that are paused, and released without a frame yet, one bit each. */
  off: number;
  releases: number;
  /** Since when a frame is due; null: none is. */
  duePs: number | null;
  /** When the link is free for it. */
  startPs: number;
  why: string;
  refreshAtPs: number;
}

const ENABLE_AT = 16;
const TIMES_AT = 18;

export class PauseInitiators implements Observer {
  /** By device and port; null where this rule has no opinion, undefined where there is none. */
  private readonly initiators: (Initiator | null | undefined)[][];
  private readonly refreshing = new Set<Port>();

  constructor(
    devices: readonly Device[],
    private readonly buffers: Buffers,
    private readonly hasGroups: boolean,
    negotiation: Negotiation,
    private readonly verdict: Verdict,
  ) {
    this.initiators = devices.map((device) =>
      device.ports.map((port) => this.initiatorOf(negotiation.whyUnknown(port), port)),
    );
    negotiation.listeners.push(this);
  }

  /** What an account no longer pauses it releases at once, and a group begins as it is built. */
  pfcChanged(port: Port, _enabled: number, atPs: number): void {
    const [memory, own] = [this.buffers.memories[port.device.index], this.at(port)];
    if (memory === null || memory === undefined) return;
    for (const group of PRIORITIES) {
      const account = memory.at(port, group);
      if (account.isLossless || !account.isPaused) continue;
      account.isPaused = false;
      if (!isKnown(own)) continue;
      own.off &= ~(1 << group);
      own.releases |= 1 << group;
      this.due(port, own, atPs, 'the group has no PFC any more');
    }
  }

  admitted({ ingress, group }: Storage, _frame: WireFrame, _out: Port, atPs: number): void {
    const [memory, own] = [this.buffers.memories[ingress.device.index], this.at(ingress)];
    if (memory === null || memory === undefined || group < 0) return;
    const account = memory.at(ingress, group);
    if (account.isPaused || !account.isLossless || !memory.isAtXoff(account)) return;
    // Beyond XOFF an account has its headroom only, whatever becomes of the pause frame.
    account.isPaused = true;
    if (!isKnown(own)) return;
    own.off |= 1 << group;
    own.releases &= ~(1 << group);
    this.due(ingress, own, atPs, `${account.used} bytes are at XOFF`);
  }

  released({ ingress, group, octets }: Storage, atPs: number): void {
    const [memory, own] = [this.buffers.memories[ingress.device.index], this.at(ingress)];
    if (memory === null || memory === undefined || octets === 0) return;
    const account = memory.at(ingress, group);
    if (!account.isPaused || !memory.isAtXon(account)) return;
    account.isPaused = false;
    if (!isKnown(own)) return;
    own.off &= ~(1 << group);
    own.releases |= 1 << group;
    this.due(ingress, own, atPs, `${account.used} bytes are at XON`);
  }

  /** Of a whole port whose memory is in slots: a reason to pause it, or none any more. */
  stop(port: Port, atPs: number, why: string): void {
    const own = this.at(port);
    if (!isKnown(own) || own.off !== 0) return;
    [own.off, own.releases] = [1, 0];
    this.due(port, own, atPs, why);
  }

  resume(port: Port, atPs: number, why: string): void {
    const own = this.at(port);
    if (!isKnown(own) || own.off === 0) return;
    [own.off, own.releases] = [0, 1];
    this.due(port, own, atPs, why);
  }

  starting(port: Port, { atPs, frame }: Start): void {
    const own = this.at(port);
    if (!isKnown(own)) return;
    this.refresh(port, own, atPs);
    if (own.duePs === null) return;
    const what = `a frame starts before the pause frame that is due since ${showPs(own.duePs)}`;
    const place = { device: port.device.index, port: port.index, atPs, priority: frame.priority };
    this.verdict.broken('pause-initiator', place, `${what} (${own.why})`);
  }

  controlStarted(port: Port, octets: Uint8Array, atPs: number): void {
    const own = this.at(port);
    if (!isKnown(own)) return;
    this.refresh(port, own, atPs);
    if (!isPause(octets)) {
      // Control frames take turns; the pause is next when this one has ended.
      if (own.duePs !== null) own.startPs = atPs + lineOf(octets) * port.octetPs;
      return;
    }
    this.verdict.judge('pause-initiator');
    this.checkMoment(port, own, atPs);
    this.checkContents(port, own, octets, atPs);
    own.duePs = null;
    own.releases = 0;
    if (own.off === 0) return;
    own.refreshAtPs = atPs + (PREAMBLE + SHORTEST) * port.octetPs + own.refreshPs;
    this.refreshing.add(port);
  }

  reached(atPs: number): void {
    for (const port of this.refreshing) {
      const own = this.at(port);
      if (!isKnown(own)) continue;
      this.refresh(port, own, atPs - 1);
      if (own.duePs === null && own.off === 0) this.refreshing.delete(port);
      if (own.duePs === null || own.startPs >= atPs) continue;
      const what = `a pause frame is due at ${showPs(own.startPs)} and does not start`;
      const place = { device: port.device.index, port: port.index, atPs: own.startPs };
      this.verdict.broken('pause-initiator', place, `${what} (${own.why})`);
    }
  }

  private refresh(port: Port, own: Initiator, atPs: number): void {
    if (own.off === 0 || own.duePs !== null || own.refreshAtPs > atPs) return;
    this.due(port, own, own.refreshAtPs, 'the pause is to be refreshed');
  }

  private due(port: Port, own: Initiator, atPs: number, why: string): void {
    this.refreshing.add(port);
    if (own.duePs !== null) return;
    own.duePs = atPs;
    own.startPs = Math.max(atPs, port.freePs);
    own.why = why;
  }

  private checkMoment(port: Port, own: Initiator, atPs: number): void {
    if (own.duePs !== null && atPs === own.startPs) return;
    const place = { device: port.device.index, port: port.index, atPs };
    const what =
      own.duePs === null
        ? 'a pause frame starts: no account has crossed a threshold, and no refresh is due'
        : `a pause frame starts, expected at ${showPs(own.startPs)} (${own.why})`;
    this.verdict.broken('pause-initiator', place, what);
  }

  private checkContents(port: Port, own: Initiator, octets: Uint8Array, atPs: number): void {
    const place = { device: port.device.index, port: port.index, atPs };
    if (own.isWholePort) {
      const [expected, actual] = [own.off === 0 ? 0 : own.quanta, u16(octets, ENABLE_AT)];
      if (expected === actual) return;
      const what = `PAUSE states ${actual} quanta, expected ${expected} (802.3 31B.2)`;
      this.verdict.broken('pause-initiator', place, what);
      return;
    }
    const enabled = u16(octets, ENABLE_AT);
    const [paused, released] = [own.off, own.releases].map((groups) =>
      PRIORITIES.reduce((mask, g) => ((groups & (1 << g)) === 0 ? mask : mask | own.named[g]!), 0),
    ) as [number, number];
    if (enabled !== (paused | released)) {
      const [expected, actual] = [paused | released, enabled].map((mask) => mask.toString(2));
      const what = `PFC names priorities ${actual}, expected ${expected} (802.1Q 36.1.3)`;
      this.verdict.broken('pause-initiator', place, what);
    }
    for (const priority of PRIORITIES) {
      const bit = 1 << priority;
      const expected = (paused & bit) === 0 ? 0 : own.quanta;
      const actual = u16(octets, TIMES_AT + 2 * priority);
      if ((enabled & bit) === 0 || expected === actual) continue;
      const what = `PFC states ${actual} quanta, expected ${expected} (802.1Q 36.1.3)`;
      this.verdict.broken('pause-initiator', { ...place, priority }, what);
    }
  }

  /** Without its accounts nothing is known of a switch's pauses. */
  private at(port: Port): Initiator | null | undefined {
    if (!this.hasAccounts(port.device)) return null;
    return this.initiators[port.device.index]![port.index];
  }

  /** 802.3x with the longest time, repeated when half of it is over. */
  private ofSlots(port: Port): Initiator | null | undefined {
    const slots = slotsOf(port.device.configuration);
    if (!isFlowControlled(port)) return undefined;
    const isCopied = this.hasGroups || port.device.configuration.isBridge;
    const isCounted = slots.multicast !== 'off' && isCopied;
    const isFaulty = DISTURBING.some((fault) => port.configuration.faults.has(fault));
    if (slots.xoffSlots === null || isCounted || isFaulty) {
      const why = isFaulty ? 'a fault at the port' : 'slots that delays or multicast decide';
      this.verdict.decline('pause-initiator', why);
      return null;
    }
    return {
      ...{ quanta: 0xffff, refreshPs: Math.floor(0.5 * 0xffff * QUANTUM * port.octetPs) },
      ...{ named: [], isWholePort: true, off: 0, releases: 0, duePs: null, startPs: 0 },
      ...{ why: '', refreshAtPs: Infinity },
    };
  }

  private hasAccounts({ isHost, index, configuration: { ownMemory } }: Device): boolean {
    return isHost || ownMemory === 'slots' || this.buffers.memories[index] !== null;
  }

  private initiatorOf(negotiated: string | null, port: Port): Initiator | null | undefined {
    const { device } = port;
    const { methods, priorities, groupOf, pause } = port.configuration;
    if (device.configuration.ownMemory === 'slots') return this.ofSlots(port);
    const pausable = PRIORITIES.filter((priority) => methods[priority] === 'pfc');
    const { pausing } = pause ?? priorities[pausable[0] ?? 0]!;
    if (pause === null && pausable.length === 0) return undefined;
    const isBlind = !this.hasAccounts(device);
    const why = negotiated ?? whyUnknown(port) ?? (isBlind ? 'accounts that are not known' : null);
    if (why !== null) {
      this.verdict.decline('pause-initiator', why);
      return null;
    }
    const quantaPs = pausing.quanta * QUANTUM * port.octetPs;
    return {
      quanta: pausing.quanta,
      refreshPs: Math.floor(pausing.refresh * quantaPs),
      named: PRIORITIES.map((group) =>
        PRIORITIES.reduce(
          (mask, p) => (groupOf[p] === group && isNamed(p) ? mask | (1 << p) : mask),
          0,
        ),
      ),
      isWholePort: pause !== null,
      ...{ off: 0, releases: 0, duePs: null, startPs: 0, why: '', refreshAtPs: Infinity },
    };

    function isNamed(priority: number): boolean {
      return pause !== null || pausable.includes(priority);
    }
  }
}

/** 802.3x runs at a port of a chip with slots, which is not that of the CPU. */
export function isFlowControlled({ device, index }: Port): boolean {
  const { cpuPort, flowControl } = slotsOf(device.configuration);
  if (cpuPort === index + 1) return false;
  return slotsOfPort(device.configuration, index)?.flowControl ?? flowControl;
}

function isKnown(own: Initiator | null | undefined): own is Initiator {
  return own !== null && own !== undefined;
}

function isPause(octets: Uint8Array): boolean {
  if (octets.length === ORDERED_SET || etherTypeOf(octets) !== ETHERTYPE.macControl) return false;
  return [OPCODE.pfc, OPCODE.pause].some((opcode) => opcode === opcodeOf(octets));
}

function lineOf(octets: Uint8Array): number {
  if (octets.length === ORDERED_SET) return ORDERED_SET;
  const FCS_AND_OVERHEAD = 24;
  return Math.max(SHORTEST + 20, octets.length + FCS_AND_OVERHEAD);
}

const DISTURBING = ['down', 'freeze', 'slow', 'send', 'flush', 'shrink', 'read', 'map'] as const;

/** Why the pauses of a port do not follow from its wires; null: they do. */
function whyUnknown(port: Port): string | null {
  const { device, configuration } = port;
  const { ownMemory, settings, hasPlainClasses } = device.configuration;
  if (ownMemory === 'nic') return 'the buffers of an 82599';
  if (!hasPlainClasses) return 'isolated flows have accounts of their own';
  if (settings.priorities.some(({ mechanisms }) => mechanisms['sfc'] === true)) {
    return 'a proxy of source flow control pauses, too';
  }
  if (DISTURBING.some((fault) => configuration.faults.has(fault))) return 'a fault at the port';
  return null;
}
