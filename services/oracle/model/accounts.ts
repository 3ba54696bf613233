/**
 * Ingress buffers of a switch, by port and priority group, as its settings say: a reservation, a
 * share of the common pool up to alpha times what is free, and headroom for what arrives after XOFF
 * (802.1Q Annex N).
 */

import type { Configuration, PortConfiguration } from '../configuration.js';
import { lineOctets, PRIORITIES, SHORTEST } from '../ethernet.js';
import { channelTerms, exchangeTerms, exchangeUnits } from './credit-terms.js';
import type { Device, Port } from './port.js';

interface Account {
  /** The link partner is paused, and nothing is discarded. */
  isLossless: boolean;
  /** Its senders start what was granted, and are not paused. */
  readonly isGranted: boolean;
  readonly reserved: number;
  readonly alpha: number;
  /** A fixed XOFF threshold; Infinity: the dynamic one alone. */
  readonly xoff: number;
  readonly xonGap: number;
  readonly headroom: number;
  used: number;
  /** Part of `used` that is in the headroom. */
  inHeadroom: number;
  isPaused: boolean;
}

/**
 * Where the size of the buffer is `auto`: so much, and at least so much beyond what is reserved.
 */
const USUAL_SIZE = 32e6;

type Pausing = Configuration['scenario']['priorities'][number]['pausing'];

export class SharedMemory {
  /** By port, then by group. */
  readonly accounts: readonly (readonly Account[])[];
  readonly pool: number;
  poolUsed = 0;

  constructor(
    readonly device: Device,
    private readonly configuration: Configuration,
  ) {
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

  /** Where the senders of an account are paused now. */
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
  }

  /** The headroom is emptied first, then the share of the pool. */
  release(account: Account, octets: number): void {
    const fromHeadroom = Math.min(octets, account.inHeadroom);
    const before = this.shareOf(account);
    account.inHeadroom -= fromHeadroom;
    account.used -= octets;
    this.poolUsed -= before - this.shareOf(account);
  }

  /** Octets of an account in the shared pool. */
  private shareOf({ used, inHeadroom, reserved }: Account): number {
    return Math.max(0, used - inHeadroom - reserved);
  }

  private needFromPool(account: Account, octets: number): number {
    const after = account.used - account.inHeadroom - account.reserved + octets;
    return Math.max(0, after) - this.shareOf(account);
  }

  private account(port: Port, group: number): Account {
    const blank = { used: 0, inHeadroom: 0, isPaused: false, isGranted: false };
    const none = { reserved: 0, alpha: 0, xoff: Infinity, xonGap: 0, headroom: 0 };
    const { methods, priorities: sections, groupOf, pause } = port.configuration;
    const own = sections.filter(({ priority }) => groupOf[priority] === group);
    if (own.length === 0) {
      return { ...blank, ...none, isLossless: false };
    }
    if (own.some(({ priority }) => ['credit', 'cbfc'].includes(methods[priority] ?? ''))) {
      const priorities = own.map(({ priority }) => priority);
      const reserved = this.granted(port, priorities);
      return { ...blank, ...none, isLossless: true, isGranted: true, reserved };
    }
    const leader = own.find(({ priority }) => methods[priority] === 'pfc') ?? own[0]!;
    const section = pause ?? leader;
    const { ingressReservedBytes: reserved, ingressAlpha: alpha } = section;
    const isLossless = pause !== null || methods[leader.priority] === 'pfc';
    if (!isLossless) {
      return { ...blank, isLossless, reserved, alpha, xoff: Infinity, xonGap: 0, headroom: 0 };
    }
    const { xoff, xonGap } = section.pausing;
    const priorities = own.map(({ priority }) => priority);
    const headroom = this.headroom(port, group, section.pausing, priorities);
    const fixed = xoff === 'dynamic' ? Infinity : xoff;
    return { ...blank, isLossless, reserved, alpha, xoff: fixed, xonGap, headroom };
  }

  /** Octets behind all that a port grants for these priorities, in whole cells. */
  private granted(port: Port, priorities: readonly number[]): number {
    const { cellBytes } = this.device.configuration.settings.switch.buffer;
    const { methods } = port.configuration;
    const inCells = (octets: number): number => Math.ceil(octets / cellBytes) * cellBytes;
    const channels = new Map<number, number>();
    let octets = 0;
    for (const priority of priorities) {
      if (methods[priority] === 'credit') {
        const units = exchangeUnits(port, priority) ?? 0;
        octets += units * inCells(exchangeTerms(port.peer).unit);
      } else if (methods[priority] === 'cbfc') {
        const terms = channelTerms(port.peer, priority);
        const { channel, limit, unit, overhead } = terms;
        channels.set(channel, limit * inCells(unit + Math.max(0, -overhead)));
      }
    }
    return [...channels.values()].reduce((sum, own) => sum + own, octets);
  }

  private headroom(
    port: Port,
    group: number,
    { headroom }: Pausing,
    priorities: readonly number[],
  ): number {
    const { cellBytes } = this.device.configuration.settings.switch.buffer;
    const octets =
      headroom === 'auto'
        ? this.annexN(port.configuration, group, priorities, cellBytes)
        : headroom;
    return Math.ceil(octets / cellBytes) * cellBytes;
  }

  /**
   * 802.1Q Annex N: the longest frame that has just begun, the pause frame, the link there and
   * back, interface delays, the response time, and the longest frame that the link partner has just
   * begun; of this switch its pipeline, one frame that finds the pool taken, and what cells waste.
   */
  private annexN(
    { longestOctets, ...port }: PortConfiguration,
    group: number,
    priorities: readonly number[],
    cell: number,
  ): number {
    const { octetPs, propagationPs, interfaceDelayPs, peerDevice, peerPort } = port;
    const octetsIn = (ps: number): number => Math.ceil(ps / octetPs);
    const longest = Math.max(...priorities.map((priority) => longestOctets[priority]!));
    const onWire =
      lineOctets(Math.max(...longestOctets)) +
      lineOctets(SHORTEST) +
      octetsIn(2 * propagationPs) +
      octetsIn(2 * interfaceDelayPs) +
      octetsIn(this.device.configuration.pipelinePs) +
      octetsIn(this.responseOf(peerDevice, peerPort, group)) +
      lineOctets(longest) +
      longest;
    const worst = Math.ceil((SHORTEST - 1) / cell) * cell + 1;
    const inCells = [SHORTEST, Math.min(worst, longest)].map((length) =>
      Math.ceil((onWire * Math.ceil(length / cell) * cell) / lineOctets(length)),
    );
    return Math.max(onWire, ...inCells);
  }

  private responseOf(device: number, port: number, group: number): number {
    const { methods, priorities, groupOf, pause } =
      this.configuration.devices[device]!.ports[port]!;
    if (pause !== null) return pause.pausing.responseDelay;
    const paused = priorities.find(
      ({ priority }) => groupOf[priority] === group && methods[priority] === 'pfc',
    );
    return paused?.pausing.responseDelay ?? 0;
  }
}
