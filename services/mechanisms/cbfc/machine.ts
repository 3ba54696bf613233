/**
 * The two machines of a link's direction: what a sender may start, and what a receiver has freed.
 * Both count in credits, by virtual channel, with cyclic counters of 20 bits; neither has a clock.
 */

import { assert } from '../../engine/kernel/assert.js';
import { CF_COUNT_MASK, VIRTUAL_CHANNELS } from '../../engine/wire/cf-update.js';
import { CREDIT_COUNT_MASK } from '../../engine/wire/mac-control/cc-update.js';
import type { CreditSize, SenderTerms } from './spec.js';
import type { PortRow } from '../../engine/units/indices.js';
import { assertFields } from '../../engine/kernel/fields.js';

/**
 * Most credits in use of a channel: an update has 15 bits of the counter, so with fewer in use it
 * says all, whatever was lost before it.
 */
export const CHANNEL_CREDITS_MOST = CF_COUNT_MASK;
/** Most credits of a port. */
export const PORT_CREDITS_MOST = CREDIT_COUNT_MASK;

const SIZE_BITS = 4;
const SIZE_MASK = (1 << SIZE_BITS) - 1;

/** A counter is behind another if it is ahead by more than half a turn. */
const HALF_TURN = (CREDIT_COUNT_MASK + 1) / 2;

/** Credits of a frame of so many octets; `shift` is the exponent of the size of a credit. */
export function costOf(octets: number, overhead: number, shift: number): number {
  const credits = (octets + overhead + (1 << shift) - 1) >> shift;
  return credits < 1 ? 1 : credits;
}

/** Size and overhead of credits in one word: specifications have many shapes. */
export function packSize({ shift, overhead }: CreditSize): number {
  return (overhead << SIZE_BITS) | shift;
}

/** Credits of a frame of so many octets, by such a word. */
export function costBySize(octets: number, size: number): number {
  return costOf(octets, size >> SIZE_BITS, size & SIZE_MASK);
}

/** Counts of a sender: what the channel is in. */
export const CLOSED = 0;
/** Its receiver may count otherwise: nothing starts until it has reported what is freed. */
export const SYNCHRONISING = 1;
export const OPEN = 2;

export const NO_POOL = 0;

// Words of a channel at a sender. With those of the receiver they are one line of memory.

/** How far it is: CLOSED, SYNCHRONISING or OPEN. */
export const TX_STATE = 0;
export const TX_CONSUMED = 1;
export const TX_FREED = 2;
/** Most credits in use that it may have; the most that it had. */
export const TX_LIMIT = 3;
export const TX_PEAK = 4;
/** Its pool, counted from 1; 0: none. */
export const TX_POOL = 5;
/** What frames cost that it sends: see `packSize`. */
export const TX_SIZE = 6;

// The same at a receiver.

/** As the sender counts, as far as it is known. */
export const RX_CONSUMED = 7;
/** Credits of frames that are stored. */
export const RX_STORED = 8;
/** What the last update reported. */
export const RX_REPORTED = 9;
/** 1 where the sender's counter is known since the link is up. */
export const RX_SYNCHRONISED = 10;
/** Most credits that a sender may have in use. */
export const RX_LIMIT = 11;
/** 1 where the last total was implausible. */
const RX_DOUBTED = 12;
/** What frames cost that it receives. */
export const RX_SIZE = 13;
/** Credits freed that are worth an update. */
export const RX_STEP = 14;
/** Credits stored from which on it fills its buffer; below 0: those below which it does no more. */
export const RX_FULL_FROM = 15;

const CHANNEL_SHIFT = 4;
export const CHANNEL_WORDS = 1 << CHANNEL_SHIFT;
assertFields(
  CHANNEL_WORDS,
  TX_STATE,
  TX_CONSUMED,
  TX_FREED,
  TX_LIMIT,
  TX_PEAK,
  TX_POOL,
  TX_SIZE,
  RX_CONSUMED,
  RX_STORED,
  RX_REPORTED,
  RX_SYNCHRONISED,
  RX_LIMIT,
  RX_DOUBTED,
  RX_SIZE,
  RX_STEP,
  RX_FULL_FROM,
);

/** Of a port. */
const SUM_PEAK = 1;
export const SUM_WORDS = 2;

/** Rows of all channels of all ports, channel by channel: fabrics use few of them. */
export interface ChannelRows {
  readonly words: Int32Array;
  readonly ports: number;
  /** By port: credits that are plausibly in use of all its channels, and the most of it. */
  readonly sums: Int32Array;
}

/** Those of one port of its own. */
function rowsOfPort(): ChannelRows {
  const words = new Int32Array(VIRTUAL_CHANNELS * CHANNEL_WORDS);
  return { words, ports: 1, sums: new Int32Array(SUM_WORDS) };
}

/** Place of the row of a channel of a port. */
export function rowOf({ ports }: ChannelRows, port: PortRow, channel: number): number {
  return (channel * ports + port) << CHANNEL_SHIFT;
}

/** Place of a word of a channel in rows of one port. */
export function wordOf(channel: number, word: number): number {
  return (channel << CHANNEL_SHIFT) | word;
}

export function inUseAt(w: Int32Array, at: number): number {
  return (w[at + TX_CONSUMED] - w[at + TX_FREED]) & CREDIT_COUNT_MASK;
}

/** The same, and 0 where an update reported more than the limit: that cannot be. */
function plausibleAt(w: Int32Array, at: number): number {
  const inUse = inUseAt(w, at);
  return inUse > w[at + TX_LIMIT] ? 0 : inUse;
}

/** A frame of so many credits starts. */
export function consume(w: Int32Array, at: number, credits: number): void {
  assert(credits > 0 && credits <= CHANNEL_CREDITS_MOST, 'cbfc.frame-costs-credits');
  w[at + TX_CONSUMED] = (w[at + TX_CONSUMED] + credits) & CREDIT_COUNT_MASK;
  const inUse = inUseAt(w, at);
  if (inUse > w[at + TX_PEAK]) w[at + TX_PEAK] = inUse;
}

/** So many more credits of a port are in use, plausibly. */
export function addToPort(sums: Int32Array, port: PortRow, credits: number): void {
  const at = port * SUM_WORDS;
  const inUse = sums[at] + credits;
  sums[at] = inUse;
  if (inUse > sums[at + SUM_PEAK]) sums[at + SUM_PEAK] = inUse;
}

/** A frame has come in and is stored. */
export function take(w: Int32Array, at: number, credits: number): void {
  assert(credits > 0, 'cbfc.taken-frame-has-credits');
  w[at + RX_CONSUMED] = (w[at + RX_CONSUMED] + credits) & CREDIT_COUNT_MASK;
  w[at + RX_STORED] += credits;
}

/** A frame has left the buffer. */
export function free(w: Int32Array, at: number, credits: number): void {
  assert(credits <= w[at + RX_STORED], 'receiver.free');
  w[at + RX_STORED] -= credits;
}

/** Credits freed: all that were consumed, but for those of what is stored. */
function freedAt(w: Int32Array, at: number): number {
  return (w[at + RX_CONSUMED] - w[at + RX_STORED]) & CREDIT_COUNT_MASK;
}

/** Credits freed that no update has reported yet. */
export function unreportedAt(w: Int32Array, at: number): number {
  return (freedAt(w, at) - w[at + RX_REPORTED]) & CREDIT_COUNT_MASK;
}

/** The sender of all channels of a port. */
export class Sender {
  readonly #terms: SenderTerms;
  readonly #rows: ChannelRows;
  readonly #port: PortRow;
  readonly #words: Int32Array;
  /** Updates that say that more is in use than a channel may have. */
  implausible = 0;
  /** By pool: credits in use beyond what is reserved. */
  private readonly drawn: Int32Array;

  constructor(terms: SenderTerms, rows: ChannelRows = rowsOfPort(), port = 0) {
    this.#terms = terms;
    this.#rows = rows;
    this.#port = port;
    const { words } = rows;
    this.#words = words;
    this.drawn = new Int32Array(terms.pools.length);
    terms.channels.forEach((own, channel) => {
      if (own === null) return;
      const at = this.at(channel);
      words[at + TX_LIMIT] = own.limit;
      words[at + TX_POOL] = own.pool + 1;
    });
  }

  /** Place of the row of a channel. */
  at(channel: number): number {
    return rowOf(this.#rows, this.#port, channel);
  }

  state(channel: number): number {
    return this.#words[this.at(channel) + TX_STATE];
  }

  consumed(channel: number): number {
    return this.#words[this.at(channel) + TX_CONSUMED];
  }

  limit(channel: number): number {
    return this.#words[this.at(channel) + TX_LIMIT];
  }

  /** The receiver grants so many credits, of those that this end is configured for. */
  agree(channel: number, credits: number): void {
    const most = this.#terms.channels[channel]?.limit ?? 0;
    assert(credits >= 0 && most <= CHANNEL_CREDITS_MOST, 'cbfc.agreed-credits');
    const was = this.plausible(channel);
    this.#words[this.at(channel) + TX_LIMIT] = Math.min(credits, most);
    this.account(channel, this.plausible(channel) - was, this.drawnBy(channel));
  }

  inUse(channel: number): number {
    return inUseAt(this.#words, this.at(channel));
  }

  /** Of all channels but those whose receiver reported more than their limit. */
  inUseOfPort(): number {
    return this.#rows.sums[this.#port * SUM_WORDS];
  }

  /** The most of it. */
  peakOfPort(): number {
    return this.#rows.sums[this.#port * SUM_WORDS + SUM_PEAK];
  }

  /** Some channel waits for an answer of its receiver. */
  isSynchronising(): boolean {
    for (let channel = 0; channel < VIRTUAL_CHANNELS; channel++) {
      if (this.state(channel) === SYNCHRONISING) return true;
    }
    return false;
  }

  /** A frame of so many credits may start. */
  mayStart(channel: number, credits: number): boolean {
    const { words } = this;
    const at = this.at(channel);
    if (words[at + TX_STATE] !== OPEN) return false;
    const inUse = this.inUse(channel);
    if (inUse + credits > words[at + TX_LIMIT]) return false;
    return words[at + TX_POOL] === NO_POOL || this.hasInPool(channel, inUse, credits);
  }

  /** A frame of so many credits starts. Only one of a channel that is open needs them. */
  spend(channel: number, credits: number): void {
    const before = this.drawnBy(channel);
    consume(this.#words, this.at(channel), credits);
    this.account(channel, credits, before);
  }

  /**
   * CF_Update: the low bits of what the receiver has freed. Returns whether less may start than
   * before it: the update is late, or wrong.
   */
  onFreed(channel: number, count: number): boolean {
    const { words } = this;
    const at = this.at(channel);
    if (words[at + TX_STATE] === CLOSED) return false;
    words[at + TX_STATE] = OPEN;
    const had = this.inUse(channel);
    const was = this.plausible(channel);
    const before = this.drawnBy(channel);
    const consumed = words[at + TX_CONSUMED];
    const inUse = (consumed - count) & CF_COUNT_MASK;
    words[at + TX_FREED] = (consumed - inUse) & CREDIT_COUNT_MASK;
    this.account(channel, this.plausible(channel) - was, before);
    if (inUse > words[at + TX_LIMIT]) this.implausible++;
    return inUse > had;
  }

  /** From now on, or again: nothing starts until the receiver has answered. */
  synchronise(channel: number): void {
    this.#words[this.at(channel) + TX_STATE] = SYNCHRONISING;
  }

  open(channel: number): void {
    this.#words[this.at(channel) + TX_STATE] = OPEN;
  }

  close(channel: number): void {
    this.#words[this.at(channel) + TX_STATE] = CLOSED;
  }

  /** Counters are lost, as of a device that restarts. */
  reset(channel: number): void {
    const before = this.drawnBy(channel);
    const was = this.plausible(channel);
    this.#words[this.at(channel) + TX_CONSUMED] = 0;
    this.#words[this.at(channel) + TX_FREED] = 0;
    this.account(channel, -was, before);
  }

  /** What is in use adds up, of the port and of each pool. */
  addsUp(): boolean {
    let port = 0;
    const drawn = this.#terms.pools.map(() => 0);
    for (let channel = 0; channel < VIRTUAL_CHANNELS; channel++) {
      port += this.plausible(channel);
      const pool = this.#words[this.at(channel) + TX_POOL];
      if (pool !== NO_POOL) drawn[pool - 1] += this.drawnBy(channel);
    }
    const isSum = port === this.inUseOfPort();
    return isSum && drawn.every((credits, pool) => credits === this.drawn[pool]);
  }

  private plausible(channel: number): number {
    return plausibleAt(this.#words, this.at(channel));
  }

  /** Credits that a channel has in use beyond those reserved for it. */
  private drawnBy(channel: number): number {
    if (this.#words[this.at(channel) + TX_POOL] === NO_POOL) return 0;
    const beyond = this.inUse(channel) - this.#terms.channels[channel]!.reserved;
    return beyond > 0 ? beyond : 0;
  }

  private hasInPool(channel: number, inUse: number, credits: number): boolean {
    const own = this.#terms.channels[channel]!;
    const beyond = inUse + credits - own.reserved;
    if (beyond <= 0) return true;
    if (own.sharing === 'none') return false;
    const free = this.#terms.pools[own.pool] - this.drawn[own.pool];
    const more = inUse > own.reserved ? credits : beyond;
    if (more > free) return false;
    if (own.sharing === 'static') return own.threshold === 0 || beyond <= own.threshold;
    return beyond <= free * 2 ** own.threshold;
  }

  private account(channel: number, change: number, before: number): void {
    const rows = this.#rows;
    const { words } = this;
    const at = this.at(channel);
    addToPort(rows.sums, this.#port, change);
    const inUse = plausibleAt(words, at);
    if (inUse > words[at + TX_PEAK]) words[at + TX_PEAK] = inUse;
    const pool = words[at + TX_POOL];
    if (pool === NO_POOL) return;
    this.drawn[pool - 1] += this.drawnBy(channel) - before;
    assert(this.drawn[pool - 1] >= 0, 'cbfc.drawn-of-pool');
  }

  get words(): Int32Array {
    return this.#words;
  }
}

/** The receiver of all channels of a port. */
export class Receiver {
  readonly #rows: ChannelRows;
  readonly #port: PortRow;
  readonly #words: Int32Array;
  /** Credits that the sender consumed for frames that never came. */
  leaked = 0;
  /** Totals that cannot be true. */
  implausible = 0;

  /** By channel: most credits that a sender may have in use. */
  constructor(limits: readonly number[], rows: ChannelRows = rowsOfPort(), port = 0) {
    this.#rows = rows;
    this.#port = port;
    this.#words = rows.words;
    limits.forEach((limit, channel) => {
      // Memory of channels that are not in use is never touched.
      if (limit > 0) this.#words[this.at(channel) + RX_LIMIT] = limit;
    });
  }

  /** Place of the row of a channel. */
  at(channel: number): number {
    return rowOf(this.#rows, this.#port, channel);
  }

  stored(channel: number): number {
    return this.#words[this.at(channel) + RX_STORED];
  }

  limit(channel: number): number {
    return this.#words[this.at(channel) + RX_LIMIT];
  }

  isSynchronised(channel: number): boolean {
    return this.#words[this.at(channel) + RX_SYNCHRONISED] !== 0;
  }

  /** Both ends count from nothing. */
  begin(channel: number): void {
    this.#words[this.at(channel) + RX_SYNCHRONISED] = 1;
  }

  /** A frame has come in and is stored. */
  take(channel: number, credits: number): void {
    take(this.#words, this.at(channel), credits);
  }

  /** One is stored for which no credit was used: a copy, or a message of the device's own. */
  takeCopy(channel: number, credits: number): void {
    this.#words[this.at(channel) + RX_STORED] += credits;
  }

  /** A frame has left the buffer. */
  free(channel: number, credits: number): void {
    free(this.#words, this.at(channel), credits);
  }

  freed(channel: number): number {
    return freedAt(this.#words, this.at(channel));
  }

  unreported(channel: number): number {
    return unreportedAt(this.#words, this.at(channel));
  }

  /** An update is made: the low bits of what is freed. */
  report(channel: number): number {
    const freed = this.freed(channel);
    this.#words[this.at(channel) + RX_REPORTED] = freed;
    return freed & CF_COUNT_MASK;
  }

  /**
   * CC_Update: what is missing was lost on the way, and is freed. A total that cannot be true is
   * believed when the next one is not true either: then it is this end that counts wrongly.
   */
  onConsumed(channel: number, total: number): void {
    const { words } = this;
    const at = this.at(channel);
    const isKnown = words[at + RX_SYNCHRONISED] !== 0;
    const missing = (total - words[at + RX_CONSUMED]) & CREDIT_COUNT_MASK;
    const isPlausible = missing <= words[at + RX_LIMIT];
    if (isKnown && !isPlausible && words[at + RX_DOUBTED] === 0) {
      words[at + RX_DOUBTED] = 1;
      this.implausible++;
      return;
    }
    if (isKnown && missing < HALF_TURN) this.leaked += missing;
    words[at + RX_DOUBTED] = 0;
    words[at + RX_SYNCHRONISED] = 1;
    words[at + RX_CONSUMED] = total;
  }

  /** The sender may count anew: its next update comes before one is sent to it. */
  desynchronise(channel: number): void {
    this.#words[this.at(channel) + RX_SYNCHRONISED] = 0;
  }

  /** Counters are lost, as of a device that restarts; what is stored is not. */
  reset(channel: number): void {
    const { words } = this;
    const at = this.at(channel);
    words[at + RX_CONSUMED] = 0;
    words[at + RX_REPORTED] = 0;
    words[at + RX_DOUBTED] = 0;
    words[at + RX_SYNCHRONISED] = 0;
  }

  get words(): Int32Array {
    return this.#words;
  }
}
