/**
 * Pause initiators: XOFF is sent as soon as the link is free when an account reaches its threshold,
 * again when the share `refresh` of its time is over, and XON when the account has fallen so far
 * (802.1Q 36.1.3.2; 802.3 31B.3.1). A frame names every group that is paused, and those just
 * released with time zero.
 */

import { slotsOf, slotsOfPort } from '../configuration.js';
import {
  bitsOf,
  lineOf,
  maskOf,
  pauseOpcodeOf,
  PREAMBLE,
  PRIORITIES,
  QUANTUM,
  SHORTEST,
  showPs,
  u16,
} from '../ethernet.js';
import type { Model, Observer, Port, Start, Storage, WireFrame } from '../model/model.js';
import { reasonOf } from '../model/port.js';
import type { Buffers } from './buffers.js';

const BLANK = {
  ...{ quanta: 0, refreshPs: 0, isWholePort: true, startPs: 0, why: '', refreshAtPs: Infinity },
  /** Priorities that a pause of a group names, one bit each. */
  named: [] as readonly number[],
  /** Groups that are paused, and released without a frame yet, one bit each. */
  ...{ off: 0, releases: 0 },
  /** Since when a frame is due, for which the link is free at `startPs`; null: none is. */
  duePs: null as number | null,
};

type Initiator = typeof BLANK;

/** Of PFC: the vector of priorities and their times; of PAUSE, its time. */
export const ENABLE_AT = 16;
export const TIMES_AT = 18;

export class PauseInitiators implements Observer {
  /** Ports that state no pauses, or are not judged, have none. */
  private readonly initiators = new Map<Port, Initiator>();
  private readonly refreshing = new Set<Port>();

  constructor(
    private readonly model: Model,
    private readonly buffers: Buffers,
  ) {
    for (const port of model.ports) {
      const own = this.initiatorOf(port);
      if (own !== null) this.initiators.set(port, own);
    }
    model.negotiation.listeners.push(this);
  }

  /** What an account no longer pauses it releases at once, and a group begins as it is built. */
  pfcChanged(port: Port, _enabled: number, atPs: number): void {
    const memory = this.buffers.memoryOf(port.device);
    for (const group of memory === null ? [] : PRIORITIES) {
      const account = memory!.at(port, group);
      if (account.isLossless || !account.isPaused) continue;
      account.isPaused = false;
      this.state(port, group, false, [atPs, 'the group has no PFC any more']);
    }
  }

  admitted({ ingress, group }: Storage, _frame: WireFrame, _out: Port, atPs: number): void {
    const memory = this.buffers.memoryOf(ingress.device);
    if (memory === null || group < 0) return;
    const account = memory.at(ingress, group);
    if (account.isPaused || !account.isLossless || !memory.isAtXoff(account)) return;
    // Beyond XOFF an account has its headroom only, whatever becomes of the pause frame.
    account.isPaused = true;
    this.state(ingress, group, true, [atPs, `${account.used} bytes are at XOFF`]);
  }

  released({ ingress, group, octets }: Storage, atPs: number): void {
    const memory = this.buffers.memoryOf(ingress.device);
    if (memory === null || octets === 0) return;
    const account = memory.at(ingress, group);
    if (!account.isPaused || !memory.isAtXon(account)) return;
    account.isPaused = false;
    this.state(ingress, group, false, [atPs, `${account.used} bytes are at XON`]);
  }

  /** There is a reason to pause a group, or none any more; those of a whole port are one. */
  state(port: Port, group: number, isOff: boolean, [atPs, why]: readonly [number, string]): void {
    const own = this.at(port);
    const bit = 1 << group;
    if (own === undefined || isOff === ((own.off & bit) !== 0)) return;
    own.off ^= bit;
    own.releases = isOff ? own.releases & ~bit : own.releases | bit;
    this.due(port, own, atPs, why);
  }

  starting(port: Port, { atPs, frame }: Start): void {
    const own = this.at(port);
    if (own === undefined) return;
    this.refresh(port, own, atPs);
    if (own.duePs === null) return;
    const what = `a frame starts before the pause frame that is due since ${showPs(own.duePs)}`;
    this.broken(port.at(atPs, frame.priority), `${what} (${own.why})`);
  }

  controlStarted(port: Port, octets: Uint8Array, atPs: number): void {
    const own = this.at(port);
    if (own === undefined) return;
    this.refresh(port, own, atPs);
    if (pauseOpcodeOf(octets) === null) {
      // Control frames take turns; the pause is next when this one has ended.
      if (own.duePs !== null) own.startPs = atPs + lineOf(octets) * port.octetPs;
      return;
    }
    this.model.verdict.judge('pause-initiator');
    if (own.duePs === null) {
      const what = 'a pause frame starts: no account has crossed a threshold';
      this.broken(port.at(atPs), `${what}, and no refresh is due`);
    } else if (atPs !== own.startPs) {
      const what = `a pause frame starts, expected at ${showPs(own.startPs)} (${own.why})`;
      this.broken(port.at(atPs), what);
    }
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
      if (own === undefined) continue;
      this.refresh(port, own, atPs - 1);
      if (own.duePs === null && own.off === 0) this.refreshing.delete(port);
      if (own.duePs === null || own.startPs >= atPs) continue;
      const what = `a pause frame is due at ${showPs(own.startPs)} and does not start`;
      this.broken(port.at(own.startPs), `${what} (${own.why})`);
    }
  }

  private refresh(port: Port, own: Initiator, atPs: number): void {
    if (own.off === 0 || own.duePs !== null || own.refreshAtPs > atPs) return;
    this.due(port, own, own.refreshAtPs, 'the pause is to be refreshed');
  }

  private due(port: Port, own: Initiator, atPs: number, why: string): void {
    this.refreshing.add(port);
    if (own.duePs !== null) return;
    [own.duePs, own.startPs, own.why] = [atPs, Math.max(atPs, port.freePs), why];
  }

  private checkContents(port: Port, own: Initiator, octets: Uint8Array, atPs: number): void {
    const enabled = u16(octets, ENABLE_AT);
    if (own.isWholePort) {
      const expected = own.off === 0 ? 0 : own.quanta;
      const what = `PAUSE states ${enabled} quanta, expected ${expected} (802.3 31B.2)`;
      if (expected !== enabled) this.broken(port.at(atPs), what);
      return;
    }
    const namedBy = (groups: number): number =>
      bitsOf(groups).reduce((mask, group) => mask | own.named[group]!, 0);
    const [paused, due] = [namedBy(own.off), namedBy(own.off | own.releases)];
    if (enabled !== due) {
      const [expected, actual] = [due, enabled].map((mask) => mask.toString(2));
      const what = `PFC names priorities ${actual}, expected ${expected} (802.1Q 36.1.3)`;
      this.broken(port.at(atPs), what);
    }
    for (const priority of bitsOf(enabled)) {
      const expected = (paused & (1 << priority)) === 0 ? 0 : own.quanta;
      const actual = u16(octets, TIMES_AT + 2 * priority);
      const what = `PFC states ${actual} quanta, expected ${expected} (802.1Q 36.1.3)`;
      if (expected !== actual) this.broken(port.at(atPs, priority), what);
    }
  }

  private broken(place: ReturnType<Port['at']>, what: string): void {
    this.model.verdict.broken('pause-initiator', place, what);
  }

  private at(port: Port): Initiator | undefined {
    return this.hasAccounts(port) ? this.initiators.get(port) : undefined;
  }

  /** Without its accounts nothing is known of a switch's pauses. */
  private hasAccounts({ device }: Port): boolean {
    const { isHost, ownMemory } = device.configuration;
    return isHost || ownMemory === 'slots' || this.buffers.memoryOf(device) !== null;
  }

  private initiatorOf(port: Port): Initiator | null {
    const { negotiation, verdict } = this.model;
    const { ownMemory } = port.device.configuration;
    const { priorities, groupOf, pause } = port.configuration;
    if (ownMemory === 'slots') return this.ofSlots(port);
    const pausable = PRIORITIES.filter((priority) => port.methods[priority] === 'pfc');
    if (pause === null && pausable.length === 0) return null;
    const isBlind = this.hasAccounts(port) ? null : 'accounts that are not known';
    const why = negotiation.whyUnknown(port) ?? whyUnknown(port) ?? isBlind;
    if (!verdict.knows('pause-initiator', why)) return null;
    const { quanta, refresh } = (pause ?? priorities[pausable[0] ?? 0]!).pausing;
    const isNamed = (p: number): boolean => pause !== null || pausable.includes(p);
    return {
      ...{ ...BLANK, quanta, refreshPs: Math.floor(refresh * (quanta * QUANTUM * port.octetPs)) },
      named: PRIORITIES.map((group) =>
        maskOf(PRIORITIES, (p) => groupOf[p] === group && isNamed(p)),
      ),
      isWholePort: pause !== null,
    };
  }

  /** 802.3x with the longest time, repeated when half of it is over. */
  private ofSlots(port: Port): Initiator | null {
    const { configuration, verdict } = this.model;
    const { isBridge } = port.device.configuration;
    const slots = slotsOf(port.device.configuration);
    if (!isFlowControlled(port)) return null;
    const isCopied = configuration.scenario.groups.length > 0 || isBridge;
    const isCounted = slots.xoffSlots === null || (slots.multicast !== 'off' && isCopied);
    const why = reasonOf({
      'a fault at the port': port.hasFault(...HURTS),
      'slots that delays or multicast decide': isCounted,
    });
    if (!verdict.knows('pause-initiator', why)) return null;
    const refreshPs = Math.floor(0.5 * 0xffff * QUANTUM * port.octetPs);
    return { ...BLANK, quanta: 0xffff, refreshPs };
  }
}

/** 802.3x runs at a port of a chip with slots, which is not that of the CPU. */
export function isFlowControlled({ device, index }: Port): boolean {
  const { cpuPort, flowControl } = slotsOf(device.configuration);
  if (cpuPort === index + 1) return false;
  return slotsOfPort(device.configuration, index)?.flowControl ?? flowControl;
}

const HURTS = ['down', 'freeze', 'slow', 'link', 'send', 'flush', 'shrink', 'read', 'map'] as const;

function whyUnknown(port: Port): string | null {
  const { ownMemory, settings, hasPlainClasses } = port.device.configuration;
  return reasonOf({
    'the buffers of an 82599': ownMemory === 'nic',
    'isolated flows have accounts of their own': !hasPlainClasses,
    'a proxy of source flow control pauses, too': settings.priorities.some(
      ({ mechanisms }) => mechanisms['sfc'] === true,
    ),
    'pause frames of a real host': port.configuration.isLive,
    'a fault at the port': port.hasFault(...HURTS),
  });
}
