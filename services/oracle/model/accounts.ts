/**
 * Ingress buffers of a switch, by port and priority group, as its settings say: a reservation, a
 * share of the common pool up to alpha times what is free, and headroom for what arrives after XOFF
 * (802.1Q Annex N).
 */

import { lineOctets, PRIORITIES, SHORTEST } from '../ethernet.js';
import { channelTerms, exchangeTerms, exchangeUnits } from './credit-terms.js';
import type { Device, Port } from './port.js';

const BLANK = {
  /** The link partner is paused, and nothing is discarded. */
  isLossless: false,
  /** Its senders start what was granted, and are not paused. */
  isGranted: false,
  ...{ reserved: 0, alpha: 0, xonGap: 0, headroom: 0, used: 0, peak: 0, isPaused: false },
  /** A fixed XOFF threshold; Infinity: the dynamic one alone. */
  xoff: Infinity,
  /** Part of `used` that is in the headroom. */
  inHeadroom: 0,
};

type Account = typeof BLANK;

/** Where the size is `auto`: so much, and at least so much beyond what is reserved. */
const USUAL_SIZE = 32e6;

export class SharedMemory {
  readonly accounts: readonly (readonly Account[])[];
  readonly pool: number;
  poolUsed = 0;
  poolPeak = 0;

  constructor(readonly device: Device) {
    this.accounts = device.ports.map((port) =>
      PRIORITIES.map((group) => this.account(port, group)),
    );
    const apart = this.accounts.flat().reduce((sum, own) => sum + own.reserved + own.headroom, 0);
    const { sizeBytes } = device.configuration.settings.switch.buffer;
    const size = sizeBytes ?? (apart > USUAL_SIZE ? apart + USUAL_SIZE : USUAL_SIZE);
    this.pool = size - apart;
  }

  get free(): number {
    return this.pool - this.poolUsed;
  }

  at(port: Port, group: number): Account {
    return this.accounts[port.index]![group]!;
  }

  threshold({ reserved, alpha, xoff }: Account): number {
    return Math.min(reserved + alpha * this.free, xoff);
  }

  isAtXoff(account: Account): boolean {
    if (account.isGranted) return false;
    return account.inHeadroom > 0 || account.used >= this.threshold(account);
  }

  isAtXon(account: Account): boolean {
    const limit = Math.max(0, this.threshold(account) - account.xonGap);
    return account.inHeadroom === 0 && account.used <= limit;
  }

  /** Why a frame that takes so many octets must be discarded; null: it is admitted. */
  refusal(account: Account, octets: number, queueOctets: number): string | null {
    const need = this.needFromPool(account, octets);
    if (account.isLossless) {
      const fitsPool = !account.isPaused && need <= this.free;
      const fits = fitsPool || account.inHeadroom + octets <= account.headroom;
      return fits ? null : 'headroom-exhausted';
    }
    // A reservation is there for its account, however full the rest is.
    if (need === 0) return null;
    if (need > this.free) return 'buffer-full';
    if (this.shareOf(account) + need > account.alpha * this.free) return 'ingress-threshold';
    const { egressReservedBytes, egressAlpha } = this.device.configuration.settings.switch.buffer;
    const limit = egressReservedBytes + egressAlpha * this.free;
    return queueOctets + octets > limit ? 'egress-threshold' : null;
  }

  charge(account: Account, octets: number): void {
    const need = this.needFromPool(account, octets);
    const isPooled = !account.isLossless || (!account.isPaused && need <= this.free);
    if (isPooled) this.poolUsed += need;
    else account.inHeadroom += octets;
    account.used += octets;
    account.peak = Math.max(account.peak, account.used);
    this.poolPeak = Math.max(this.poolPeak, this.poolUsed);
  }

  /** The headroom is emptied first, then the share of the pool. */
  release(account: Account, octets: number): void {
    const fromHeadroom = Math.min(octets, account.inHeadroom);
    const before = this.shareOf(account);
    account.inHeadroom -= fromHeadroom;
    account.used -= octets;
    this.poolUsed -= before - this.shareOf(account);
  }

  private shareOf({ used, inHeadroom, reserved }: Account): number {
    return Math.max(0, used - inHeadroom - reserved);
  }

  private needFromPool(account: Account, octets: number): number {
    const after = account.used - account.inHeadroom - account.reserved + octets;
    return Math.max(0, after) - this.shareOf(account);
  }

  private account(port: Port, group: number): Account {
    const { methods, priorities: sections, groupOf, pause } = port.configuration;
    const own = sections.filter(({ priority }) => groupOf[priority] === group);
    const priorities = own.map(({ priority }) => priority);
    if (own.length === 0) return { ...BLANK };
    if (priorities.some((p) => methods[p] === 'credit' || methods[p] === 'cbfc')) {
      const reserved = this.granted(port, priorities);
      return { ...BLANK, isLossless: true, isGranted: true, reserved };
    }
    const leader = own.find(({ priority }) => methods[priority] === 'pfc') ?? own[0]!;
    const section = pause ?? leader;
    const { ingressReservedBytes: reserved, ingressAlpha: alpha } = section;
    const isLossless = pause !== null || methods[leader.priority] === 'pfc';
    if (!isLossless) return { ...BLANK, reserved, alpha };
    const { xoff, xonGap, headroom: given } = section.pausing;
    const octets = given === 'auto' ? this.annexN(port, group, priorities) : given;
    const headroom = this.device.stored(octets);
    const fixed = xoff === 'dynamic' ? Infinity : xoff;
    return { ...BLANK, isLossless, reserved, alpha, xoff: fixed, xonGap, headroom };
  }

  /** Octets behind all that a port grants for these priorities, in whole cells. */
  private granted(port: Port, priorities: readonly number[]): number {
    const { device } = this;
    const channels = new Map<number, number>();
    let octets = 0;
    for (const priority of priorities) {
      if (port.methods[priority] === 'credit') {
        const units = exchangeUnits(port, priority) ?? 0;
        octets += units * device.stored(exchangeTerms(port.peer).unit);
      } else if (port.methods[priority] === 'cbfc') {
        const terms = channelTerms(port.peer, priority);
        const { channel, limit, unit, overhead } = terms;
        channels.set(channel, limit * device.stored(unit + Math.max(0, -overhead)));
      }
    }
    return [...channels.values()].reduce((sum, own) => sum + own, octets);
  }

  /**
   * 802.1Q Annex N: the longest frame that has just begun, the pause frame, the link there and
   * back, interface delays, the response time, and the longest frame that the link partner has just
   * begun; of this switch its pipeline, one frame that finds the pool taken, and what cells waste.
   */
  private annexN(port: Port, group: number, priorities: readonly number[]): number {
    const { propagationPs, interfaceDelayPs, longestOctets } = port.configuration;
    const delaysPs = [
      ...[2 * propagationPs, 2 * interfaceDelayPs, this.device.configuration.pipelinePs],
      responsePs(port.peer, group),
    ];
    const longest = Math.max(...priorities.map((priority) => longestOctets[priority]!));
    const frames = lineOctets(Math.max(...longestOctets)) + lineOctets(longest) + longest;
    const onWire = delaysPs.reduce(
      (sum, ps) => sum + Math.ceil(ps / port.octetPs),
      frames + lineOctets(SHORTEST),
    );
    const worst = this.device.stored(SHORTEST - 1) + 1;
    const inCells = [SHORTEST, Math.min(worst, longest)].map((length) =>
      Math.ceil((onWire * this.device.stored(length)) / lineOctets(length)),
    );
    return Math.max(onWire, ...inCells);
  }
}

function responsePs({ configuration }: Port, group: number): number {
  const { methods, priorities, groupOf, pause } = configuration;
  if (pause !== null) return pause.pausing.responseDelay;
  const paused = priorities.find(
    ({ priority }) => groupOf[priority] === group && methods[priority] === 'pfc',
  );
  return paused?.pausing.responseDelay ?? 0;
}
