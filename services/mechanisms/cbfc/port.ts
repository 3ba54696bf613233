import { VIRTUAL_CHANNELS } from '../../engine/wire/cf-update.js';
import type { ChannelRows } from './machine.js';
import { packSize, Receiver, RX_FULL_FROM, RX_SIZE, RX_STEP, Sender, TX_SIZE } from './machine.js';
import type { CbfcPortSpec } from './spec.js';
import type { PortRow } from '../../engine/units/indices.js';

interface CbfcPortPlace {
  readonly spec: CbfcPortSpec;
  readonly groupOf: readonly number[];
  readonly rows: ChannelRows;
  readonly port: PortRow;
  readonly blockedOf: Uint8Array;
}

/** What a port counts and remembers beside its two machines. */
export class CbfcPort {
  readonly #spec: CbfcPortSpec;
  readonly sender: Sender;
  readonly receiver: Receiver;
  /** Lossless channels, one bit each; and by channel the priority groups of its frames. */
  readonly #lossless: number;
  readonly #groups: readonly number[];
  /** By channel: credits of the longest frame. */
  readonly #frameCredits: Int32Array;
  readonly #channelOf: Uint8Array;
  readonly #leastSpacingPs: number;
  readonly #mostSpacingPs: number;
  /** Priorities that run it now, one bit each. */
  operational = 0;

  /** Priorities that may not start their first frame. */
  blocked = 0;
  /** By class: its part of them. */
  readonly #blockedOf: Uint8Array;
  /** By priority: since when it is blocked, how long it was before, and how often. */
  readonly blockedSince = new Float64Array(8);
  readonly blockedPs = new Float64Array(8);
  readonly holds = new Float64Array(8);

  /** When a CF_Update was sent last; by channel, when one named it. */
  updatedAt: number;
  readonly toldAt = new Float64Array(VIRTUAL_CHANNELS);
  /** A CF_Update is requested; channels that owe an answer, one bit each. */
  updateDue = false;
  owed = 0;
  /** Halves of the channels whose CC_Update is due, one bit each. */
  consumedDue = 0;
  /** What its two timers are armed for. */
  freedTimer = Infinity;
  consumedTimer = Infinity;

  /** Channels that fill their buffer, and groups whose link partner is paused by that. */
  full = 0;
  paused = 0;
  /** Copies that were stored: no credit was used for them. */
  copies = 0;

  ccSent = 0;
  ccReceived = 0;
  cfSent = 0;
  cfReceived = 0;
  badCompanyId = 0;
  badOpcode = 0;
  unknownMessage = 0;
  unknownChannel = 0;

  constructor({ spec, groupOf, rows, port, blockedOf }: CbfcPortPlace) {
    this.#spec = spec;
    this.#blockedOf = blockedOf;
    this.sender = new Sender(spec.sender, rows, port);
    this.receiver = new Receiver(spec.receiver.limits, rows, port);
    this.#frameCredits = Int32Array.from(spec.frameCredits);
    this.#channelOf = Uint8Array.from(spec.channelOf);
    this.#leastSpacingPs = spec.leastSpacingPs;
    this.#mostSpacingPs = spec.mostSpacingPs;
    this.updatedAt = -spec.leastSpacingPs;
    for (const channel of spec.channelOf) {
      const at = this.sender.at(channel);
      rows.words[at + TX_SIZE] = packSize(spec.sender);
      rows.words[at + RX_SIZE] = packSize(spec.receiver);
      rows.words[at + RX_STEP] = spec.stepCredits[channel];
      rows.words[at + RX_FULL_FROM] = this.fullFrom(channel);
    }
    const groups = new Array<number>(VIRTUAL_CHANNELS).fill(0);
    spec.channelOf.forEach((channel, priority) => {
      if ((spec.priorities & (1 << priority)) !== 0) groups[channel] |= 1 << groupOf[priority];
    });
    this.#groups = groups;
    this.#lossless = groups.reduce((mask, own, channel) => (own ? mask | (1 << channel) : mask), 0);
  }

  isLossless(channel: number): boolean {
    return (this.#lossless & (1 << channel)) !== 0;
  }

  losslessChannels(): number[] {
    return this.#groups.flatMap((_, channel) => (this.isLossless(channel) ? channel : []));
  }

  /** Frames in an ingress buffer start with credits now. */
  backs(group: number): boolean {
    const running = this.channelsOf(this.operational);
    return this.#groups.some(
      (groups, channel) => (running & (1 << channel)) !== 0 && (groups & (1 << group)) !== 0,
    );
  }

  /** Channels of these priorities, one bit each. */
  channelsOf(priorities: number): number {
    return this.#spec.channelOf.reduce(
      (mask, channel, p) => ((priorities & (1 << p)) === 0 ? mask : mask | (1 << channel)),
      0,
    );
  }

  /**
   * What a channel stores has changed: half full it stops its link partner, until a quarter; and
   * as long as the longest frame does not fit beside it.
   */
  noteStored(channel: number): void {
    const { receiver } = this;
    const stored = receiver.stored(channel);
    const from = this.fullFrom(channel);
    const until = Math.min(from, Math.ceil(receiver.limit(channel) / 4));
    if (stored >= from) this.full |= 1 << channel;
    else if (stored < until || stored === 0) this.full &= ~(1 << channel);
    const isFull = (this.full & (1 << channel)) !== 0;
    receiver.words[receiver.at(channel) + RX_FULL_FROM] = isFull ? -Math.max(1, until) : from;
  }

  private fullFrom(channel: number): number {
    const limit = this.receiver.limit(channel);
    return Math.max(1, Math.min(Math.ceil(limit / 2), limit - this.#frameCredits[channel] + 1));
  }

  /** Groups that are paused by channels which fill their buffer. */
  groupsOfFull(): number {
    let groups = 0;
    for (let rest = this.full; rest !== 0; rest &= rest - 1) {
      groups |= this.#groups[31 - Math.clz32(rest & -rest)];
    }
    return groups;
  }

  /** Groups of channels that store so much that no longest frame fits beside it. */
  exhaustedGroups(): number {
    const { receiver } = this;
    let groups = 0;
    for (let rest = this.full; rest !== 0; rest &= rest - 1) {
      const channel = 31 - Math.clz32(rest & -rest);
      const left = receiver.limit(channel) - receiver.stored(channel);
      if (left < this.#frameCredits[channel]) groups |= this.#groups[channel];
    }
    return groups;
  }

  /** When some channel has not been reported of for as long as it may be. */
  refreshAt(): number {
    let at = Infinity;
    for (let rest = this.#lossless; rest !== 0; rest &= rest - 1) {
      const channel = 31 - Math.clz32(rest & -rest);
      if (!this.receiver.isSynchronised(channel)) continue;
      at = Math.min(at, this.toldAt[channel] + this.#mostSpacingPs);
    }
    return at;
  }

  /** A channel has something to say that is worth an update. */
  isWorthUpdate(channel: number, now: number): boolean {
    const { receiver } = this;
    if (!receiver.isSynchronised(channel)) return false;
    if ((this.owed & (1 << channel)) !== 0) return true;
    if (receiver.unreported(channel) >= this.#spec.stepCredits[channel]) return true;
    return now >= this.toldAt[channel] + this.#mostSpacingPs;
  }

  /**
   * The channel to report next, other than `except`: of those worth it the one that has waited
   * longest, or else whichever has; -1 if none is synchronised.
   */
  nextToTell(except: number, now: number): number {
    let best = -1;
    let isBestWorth = false;
    for (let rest = this.#lossless; rest !== 0; rest &= rest - 1) {
      const channel = 31 - Math.clz32(rest & -rest);
      if (channel === except || !this.receiver.isSynchronised(channel)) continue;
      const isWorth = this.isWorthUpdate(channel, now);
      const isOlder = best < 0 || this.toldAt[channel] < this.toldAt[best];
      if (best < 0 || (isWorth === isBestWorth ? isOlder : isWorth)) {
        best = channel;
        isBestWorth = isWorth;
      }
    }
    return best;
  }

  anyWorthUpdate(now: number): boolean {
    const channel = this.nextToTell(-1, now);
    return channel >= 0 && this.isWorthUpdate(channel, now);
  }

  get spec(): CbfcPortSpec {
    return this.#spec;
  }

  get lossless(): number {
    return this.#lossless;
  }

  get groups(): readonly number[] {
    return this.#groups;
  }

  get frameCredits(): Int32Array {
    return this.#frameCredits;
  }

  get channelOf(): Uint8Array {
    return this.#channelOf;
  }

  get blockedOf(): Uint8Array {
    return this.#blockedOf;
  }

  get leastSpacingPs(): number {
    return this.#leastSpacingPs;
  }

  get mostSpacingPs(): number {
    return this.#mostSpacingPs;
  }
}
