/**
 * The two machines of a link's direction: what a sender may start, and what a receiver has freed.
 * Both count in credits, by virtual channel, with cyclic counters of 20 bits; neither has a clock.
 */

import { assert } from '../../engine/kernel/assert.js';
import { CF_COUNT_MASK, VIRTUAL_CHANNELS } from '../../engine/wire/cf-update.js';
import { CREDIT_COUNT_MASK } from '../../engine/wire/mac-control/cc-update.js';
import type { ChannelTerms, SenderTerms } from './spec.js';

/**
 * Most credits in use of a channel: an update has 15 bits of the counter, so with fewer in use it
 * says all, whatever was lost before it.
 */
export const CHANNEL_CREDITS_MOST = CF_COUNT_MASK;
/** Most credits of a port. */
export const PORT_CREDITS_MOST = CREDIT_COUNT_MASK;

/** A counter is behind another if it is ahead by more than half a turn. */
const HALF_TURN = (CREDIT_COUNT_MASK + 1) / 2;

/** Credits of a frame of so many octets; `shift` is the exponent of the size of a credit. */
export function costOf(octets: number, overhead: number, shift: number): number {
  const credits = (octets + overhead + (1 << shift) - 1) >> shift;
  return credits < 1 ? 1 : credits;
}

/** Counts of a sender: what the channel is in. */
export const CLOSED = 0;
/** Its receiver may count otherwise: nothing starts until it has said what is freed. */
export const SYNCHRONISING = 1;
export const OPEN = 2;

/** The sender of all channels of a port. */
export class Sender {
  readonly state = new Uint8Array(VIRTUAL_CHANNELS);
  readonly consumed = new Int32Array(VIRTUAL_CHANNELS);
  readonly freed = new Int32Array(VIRTUAL_CHANNELS);
  readonly peak = new Int32Array(VIRTUAL_CHANNELS);
  portPeak = 0;
  /** Updates that say that more is in use than a channel may have. */
  implausible = 0;
  private portInUse = 0;
  /** By pool: credits in use beyond what is reserved. */
  private readonly drawn: Int32Array;
  /** By channel: most credits in use. */
  private readonly limits: Int32Array;

  static readonly wiring = ['terms'];

  constructor(private readonly terms: SenderTerms) {
    this.drawn = new Int32Array(terms.pools.length);
    this.limits = Int32Array.from(terms.channels, (own) => own?.limit ?? 0);
  }

  limit(channel: number): number {
    return this.limits[channel];
  }

  /** The receiver grants so many credits, of those that this end is configured for. */
  agree(channel: number, credits: number): void {
    this.limits[channel] = Math.min(credits, this.terms.channels[channel]?.limit ?? 0);
  }

  inUse(channel: number): number {
    return (this.consumed[channel] - this.freed[channel]) & CREDIT_COUNT_MASK;
  }

  /** Of all channels. */
  inUseOfPort(): number {
    return this.portInUse;
  }

  /** A frame of so many credits may start. */
  mayStart(channel: number, credits: number): boolean {
    if (this.state[channel] !== OPEN) return false;
    const own = this.terms.channels[channel]!;
    const inUse = this.inUse(channel);
    if (inUse + credits > this.limits[channel]) return false;
    return own.pool < 0 || this.hasInPool(own, inUse, credits);
  }

  /** A frame of so many credits starts. Only one of a channel that is open needs them. */
  spend(channel: number, credits: number): void {
    const before = this.drawnBy(channel);
    this.consumed[channel] = (this.consumed[channel] + credits) & CREDIT_COUNT_MASK;
    this.account(channel, credits, before);
  }

  /** CF_Update: the low bits of what the receiver has freed. */
  onFreed(channel: number, count: number): void {
    if (this.state[channel] === CLOSED) return;
    this.state[channel] = OPEN;
    const was = this.inUse(channel);
    const before = this.drawnBy(channel);
    const inUse = (this.consumed[channel] - count) & CF_COUNT_MASK;
    this.freed[channel] = (this.consumed[channel] - inUse) & CREDIT_COUNT_MASK;
    this.account(channel, inUse - was, before);
    if (inUse > this.limits[channel]) this.implausible++;
  }

  /** From now on, or again: nothing starts until the receiver has answered. */
  synchronise(channel: number): void {
    this.state[channel] = SYNCHRONISING;
  }

  open(channel: number): void {
    this.state[channel] = OPEN;
  }

  close(channel: number): void {
    this.state[channel] = CLOSED;
  }

  /** Counters are lost, as of a device that restarts. */
  reset(channel: number): void {
    const before = this.drawnBy(channel);
    const inUse = this.inUse(channel);
    this.consumed[channel] = 0;
    this.freed[channel] = 0;
    this.account(channel, -inUse, before);
  }

  /** What is in use adds up, of the port and of each pool. */
  addsUp(): boolean {
    let port = 0;
    const drawn = this.terms.pools.map(() => 0);
    for (let channel = 0; channel < VIRTUAL_CHANNELS; channel++) {
      port += this.inUse(channel);
      const pool = this.terms.channels[channel]?.pool ?? -1;
      if (pool >= 0) drawn[pool] += this.drawnBy(channel);
    }
    return port === this.portInUse && drawn.every((credits, pool) => credits === this.drawn[pool]);
  }

  /** Credits that a channel has in use beyond those reserved for it. */
  private drawnBy(channel: number): number {
    const own = this.terms.channels[channel];
    if (own === null || own.pool < 0) return 0;
    const beyond = this.inUse(channel) - own.reserved;
    return beyond > 0 ? beyond : 0;
  }

  private hasInPool(own: ChannelTerms, inUse: number, credits: number): boolean {
    const beyond = inUse + credits - own.reserved;
    if (beyond <= 0) return true;
    if (own.sharing === 'none') return false;
    const free = this.terms.pools[own.pool] - this.drawn[own.pool];
    const more = inUse > own.reserved ? credits : beyond;
    if (more > free) return false;
    if (own.sharing === 'static') return own.threshold === 0 || beyond <= own.threshold;
    return beyond <= free * 2 ** own.threshold;
  }

  private account(channel: number, change: number, drawnBefore: number): void {
    this.portInUse += change;
    const inUse = this.inUse(channel);
    if (inUse > this.peak[channel]) this.peak[channel] = inUse;
    if (this.portInUse > this.portPeak) this.portPeak = this.portInUse;
    const own = this.terms.channels[channel];
    if (own !== null && own.pool >= 0) {
      this.drawn[own.pool] += this.drawnBy(channel) - drawnBefore;
    }
  }
}

/** The receiver of all channels of a port. */
export class Receiver {
  /** As the sender counts, as far as it is known. */
  readonly consumed = new Int32Array(VIRTUAL_CHANNELS);
  /** Credits of frames that are stored. */
  readonly stored = new Int32Array(VIRTUAL_CHANNELS);
  /** What the last update said. */
  readonly reported = new Int32Array(VIRTUAL_CHANNELS);
  /** Credits that the sender consumed for frames that never came. */
  leaked = 0;
  /** Totals that cannot be true. */
  implausible = 0;
  /** By channel: 1 where the sender's counter is known since the link is up. */
  readonly isSynchronised = new Uint8Array(VIRTUAL_CHANNELS);
  /** By channel: 1 where the last total was implausible. */
  private readonly doubted = new Uint8Array(VIRTUAL_CHANNELS);

  static readonly wiring = ['limits'];

  /** By channel: most credits that a sender may have in use. */
  constructor(private readonly limits: Uint32Array) {}

  /** A frame has come in and is stored. */
  take(channel: number, credits: number): void {
    this.consumed[channel] = (this.consumed[channel] + credits) & CREDIT_COUNT_MASK;
    this.stored[channel] += credits;
  }

  /** One is stored for which no credit was used: a copy, or a message of the device's own. */
  takeCopy(channel: number, credits: number): void {
    this.stored[channel] += credits;
  }

  /** A frame has left the buffer. */
  free(channel: number, credits: number): void {
    assert(credits <= this.stored[channel], 'receiver.free');
    this.stored[channel] -= credits;
  }

  /** Credits freed: all that were consumed, but for those of what is stored. */
  freed(channel: number): number {
    return (this.consumed[channel] - this.stored[channel]) & CREDIT_COUNT_MASK;
  }

  /** Credits freed that no update has reported yet. */
  unreported(channel: number): number {
    return (this.freed(channel) - this.reported[channel]) & CREDIT_COUNT_MASK;
  }

  /** An update is made: the low bits of what is freed. */
  tell(channel: number): number {
    this.reported[channel] = this.freed(channel);
    return this.reported[channel] & CF_COUNT_MASK;
  }

  /**
   * CC_Update: what is missing was lost on the way, and is freed. A total that cannot be true is
   * believed when the next one is not true either: then it is this end that counts wrongly.
   */
  onConsumed(channel: number, total: number): void {
    const missing = (total - this.consumed[channel]) & CREDIT_COUNT_MASK;
    const isPlausible = missing <= this.limits[channel];
    if (this.isSynchronised[channel] !== 0 && !isPlausible && this.doubted[channel] === 0) {
      this.doubted[channel] = 1;
      this.implausible++;
      return;
    }
    if (this.isSynchronised[channel] !== 0 && missing < HALF_TURN) this.leaked += missing;
    this.doubted[channel] = 0;
    this.isSynchronised[channel] = 1;
    this.consumed[channel] = total;
  }

  /** The sender may count anew: its next update comes before one is sent to it. */
  desynchronise(channel: number): void {
    this.isSynchronised[channel] = 0;
  }

  /** Counters are lost, as of a device that restarts; what is stored is not. */
  reset(channel: number): void {
    this.consumed[channel] = 0;
    this.reported[channel] = 0;
    this.doubted[channel] = 0;
    this.isSynchronised[channel] = 0;
  }
}
