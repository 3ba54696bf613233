import { CREDIT_STEP } from '../../contract/probe.js';
import type { CreditPortSpec } from '../../contract/spec.js';
import type { Tables } from '../../kernel/tables.js';
import type { CreditAccounts } from './credit-accounts.js';
import type { CreditCarrier } from './credit-machine.js';
import {
  ahead,
  costOf,
  COUNT_MASK,
  EAGER_PERIODS,
  SAY_ACCEPT,
  SAY_GRANT,
  SAY_RESYNC,
  WINDOW_MOST,
} from './credit-machine.js';
import {
  ACTIVE_AT,
  CUMULATIVE,
  FRAME,
  LIMIT,
  LIMIT_SAID,
  MODES,
  OCCUPIED,
  OCCUPIED_PEAK,
  OPENED,
  PASSED,
  RECEIVED,
  RECORD_SHIFT,
  REFRESH_AT,
  REFRESH_PS,
  REFRESHES,
  STEP,
  TARGET,
  TIMES_SHIFT,
  UNIT,
  UNSOLICITED,
} from './credit-records.js';
import { shareOfBuffer } from './credit-shares.js';

// Words of an account that only some frames touch.

const EPOCH = 0;
/** The neighbour has asked since it last was idle. */
const WANTED = 1;
const WORDS = 2;

// Doubles of an account that only some frames touch.

const TOLD_AT = 0;
/** Units of lost frames and of aged credit that came home. */
export const RECOVERED = 1;
/** The neighbour says that it sent less than was seen. */
export const CONTRADICTIONS = 2;
export const RESYNCS = 3;
const DOUBLES = 4;

/**
 * The receiving half of an account: it counts what came past and what is in the buffer, and grants
 * no more than the buffer can hold. In incremental mode the same counts are kept, and only what
 * they grew by is told.
 */
export class CreditReceiver {
  private readonly words: Int32Array;
  private readonly doubles: Float64Array;
  /** What every frame touches. */
  private readonly counts: Int32Array;
  private readonly times: Float64Array;

  constructor(
    tables: Tables,
    private readonly accounts: CreditAccounts,
    private readonly carrier: CreditCarrier,
  ) {
    this.words = tables.int32('credit', WORDS);
    this.doubles = tables.float64('credit', DOUBLES);
    this.counts = accounts.records.words;
    this.times = accounts.records.doubles;
    for (let row = 0; row < accounts.count; row++) {
      this.doubles[row * DOUBLES + TOLD_AT] = -Infinity;
    }
  }

  /** The link is up. */
  start(row: number): void {
    if (this.accounts.isCumulative(row)) {
      this.refreshSoon(row);
      return;
    }
    this.counts[(row << RECORD_SHIFT) | OPENED] = 1;
    this.raise(row);
    this.carrier.say(row, SAY_GRANT);
  }

  /** The link has been down: whatever is in the buffer, the rest is granted anew. */
  linkUp(row: number): void {
    if (this.spec(row).counts === 'cumulative') {
      this.startOver(row);
      return;
    }
    const r = row << RECORD_SHIFT;
    this.counts[r | LIMIT] = this.counts[r | PASSED];
    this.counts[r | LIMIT_SAID] = this.counts[r | PASSED];
    this.raise(row);
    this.carrier.say(row, SAY_GRANT);
  }

  /** All counts are forgotten; what is in the buffer goes on being there. */
  startOver(row: number): void {
    this.counts[(row << RECORD_SHIFT) | OPENED] = 0;
    this.doubles[row * DOUBLES + TOLD_AT] = -Infinity;
    this.refreshSoon(row);
  }

  /** Units of a frame that comes in. */
  cost(row: number, octets: number): number {
    return costOf(octets, this.counts[(row << RECORD_SHIFT) | UNIT]);
  }

  /** Memory is taken, by a frame that came in or by a copy of it. */
  store(row: number, units: number): void {
    const r = row << RECORD_SHIFT;
    const { counts } = this;
    const occupied = counts[r | OCCUPIED] + units;
    counts[r | OCCUPIED] = occupied;
    if (occupied > counts[r | OCCUPIED_PEAK]) counts[r | OCCUPIED_PEAK] = occupied;
  }

  /** A frame came in intact. */
  take(row: number, units: number): void {
    const r = row << RECORD_SHIFT;
    const t = row << TIMES_SHIFT;
    const { counts, times } = this;
    this.store(row, units);
    if (counts[r | OPENED] !== 0) counts[r | PASSED] = (counts[r | PASSED] + units) & COUNT_MASK;
    times[t | RECEIVED] += units;
    times[t | ACTIVE_AT] = this.carrier.clock.now;
    this.carrier.announce(row, CREDIT_STEP.RECEIVED, units);
  }

  /** A frame's memory is free. */
  free(row: number, units: number): void {
    const r = row << RECORD_SHIFT;
    const { counts } = this;
    counts[r | OCCUPIED] -= units;
    this.carrier.announce(row, CREDIT_STEP.ACCOUNTED, units);
    if (counts[r | OPENED] === 0) return;
    this.raise(row);
    const untold = ahead(counts[r | LIMIT], counts[r | LIMIT_SAID]);
    if (untold === 0 || (counts[r | MODES] & UNSOLICITED) === 0) return;
    const step = counts[r | STEP];
    if (untold < step && (counts[r | OCCUPIED] >= step || !this.isShort(row))) return;
    this.carrier.say(row, SAY_GRANT);
  }

  get(row: number, field: number): number {
    return this.doubles[row * DOUBLES + field];
  }

  count(row: number, word: number): number {
    return this.counts[(row << RECORD_SHIFT) | word];
  }

  /** Units received so far, over all epochs. */
  received(row: number): number {
    return this.times[(row << TIMES_SHIFT) | RECEIVED];
  }

  isOpen(row: number): boolean {
    return this.counts[(row << RECORD_SHIFT) | OPENED] !== 0;
  }

  epoch(row: number): number {
    return this.words[row * WORDS + EPOCH];
  }

  /** Units that the neighbour may still send, or has in the buffer. */
  outstanding(row: number): number {
    const r = row << RECORD_SHIFT;
    const { counts } = this;
    if (counts[r | OPENED] === 0) return counts[r | OCCUPIED];
    return ahead(counts[r | LIMIT], counts[r | PASSED]) + counts[r | OCCUPIED];
  }

  /** Whether the neighbour has shown lately that it needs credit. */
  isActive(row: number): boolean {
    if (this.words[row * WORDS + WANTED] === 0) return false;
    const { idlePs } = this.spec(row).granting;
    return this.carrier.clock.now - this.times[(row << TIMES_SHIFT) | ACTIVE_AT] < idlePs;
  }

  /** What an answer says; it is on its way when this is read. */
  answerWord(row: number): number {
    const r = row << RECORD_SHIFT;
    const { counts } = this;
    const limit = counts[r | LIMIT];
    const word = this.accounts.isCumulative(row) ? limit : ahead(limit, counts[r | LIMIT_SAID]);
    counts[r | LIMIT_SAID] = limit;
    this.carrier.announce(row, CREDIT_STEP.GRANTED, word);
    return word;
  }

  onSync(row: number, epoch: number, word: number): void {
    const w = row * WORDS;
    const r = row << RECORD_SHIFT;
    const { words, counts } = this;
    // Said twice, it may come long after frames of its epoch: what they counted stands.
    if (counts[r | OPENED] === 0 || words[w + EPOCH] !== epoch) {
      counts[r | PASSED] = word;
      counts[r | LIMIT] = word;
      words[w + EPOCH] = epoch;
      counts[r | OPENED] = 1;
      this.doubles[row * DOUBLES + RESYNCS]++;
    }
    this.raise(row);
    this.changed(row);
    this.carrier.say(row, SAY_ACCEPT);
  }

  /** A demand, or a report, of what the neighbour has used in all. */
  onRequest(row: number, epoch: number, word: number, isReport: boolean): void {
    if (this.accounts.isCumulative(row) && !this.compare(row, epoch, word)) return;
    if (!isReport) {
      this.words[row * WORDS + WANTED] = 1;
      this.times[(row << TIMES_SHIFT) | ACTIVE_AT] = this.carrier.clock.now;
    }
    this.raise(row);
    // A demand is always answered, if only by saying again what was said.
    if (!isReport) this.carrier.say(row, SAY_GRANT);
  }

  /** Does what is due; returns when to look again. */
  onTimer(row: number): number {
    if (!this.refreshes(row)) return Infinity;
    const { granting, keepAlivePs } = this.spec(row);
    const at = (row << TIMES_SHIFT) | REFRESH_AT;
    const { now } = this.carrier.clock;
    if (now < this.times[at]) return this.times[at];
    if (!this.isOpen(row)) this.tellResync(row);
    else {
      this.raise(row);
      this.carrier.say(row, SAY_GRANT);
    }
    const periods = ++this.counts[(row << RECORD_SHIFT) | REFRESHES];
    this.times[at] = now + (periods < EAGER_PERIODS ? granting.refreshPs : keepAlivePs);
    return this.times[at];
  }

  private spec(row: number): CreditPortSpec {
    return this.accounts.specOf(row);
  }

  /** False if the counts cannot be compared: the neighbour has to start over. */
  private compare(row: number, epoch: number, word: number): boolean {
    const r = row << RECORD_SHIFT;
    const { counts } = this;
    if (counts[r | OPENED] === 0 || epoch !== this.epoch(row)) {
      this.tellResync(row);
      return false;
    }
    const missing = ahead(word, counts[r | PASSED]);
    if (missing > WINDOW_MOST) {
      this.doubles[row * DOUBLES + CONTRADICTIONS]++;
      counts[r | OPENED] = 0;
      this.tellResync(row);
      return false;
    }
    this.doubles[row * DOUBLES + RECOVERED] += missing;
    counts[r | PASSED] = word;
    return true;
  }

  private tellResync(row: number): void {
    const at = row * DOUBLES + TOLD_AT;
    const { now } = this.carrier.clock;
    if (now - this.doubles[at] < this.spec(row).granting.tellPs) return;
    this.doubles[at] = now;
    this.carrier.say(row, SAY_RESYNC);
  }

  /** The neighbour may lack the credit for a frame. */
  private isShort(row: number): boolean {
    const r = row << RECORD_SHIFT;
    const { counts } = this;
    return ahead(counts[r | LIMIT_SAID], counts[r | PASSED]) < counts[r | FRAME];
  }

  /** Grants what the buffer allows now; within an epoch a limit never goes back. */
  private raise(row: number): void {
    const r = row << RECORD_SHIFT;
    const { counts } = this;
    const fixed = counts[r | TARGET];
    const target = fixed >= 0 ? fixed : shareOfBuffer(this, this.accounts, row);
    const limit = (counts[r | PASSED] + target - counts[r | OCCUPIED]) & COUNT_MASK;
    const more = ahead(limit, counts[r | LIMIT]);
    if (more === 0 || more > WINDOW_MOST) return;
    counts[r | LIMIT] = limit;
    if (counts[r | REFRESHES] !== 0) this.changed(row);
  }

  /** Something is different: the neighbour hears of it soon, and again. */
  private changed(row: number): void {
    this.counts[(row << RECORD_SHIFT) | REFRESHES] = 0;
    if (this.refreshes(row)) this.refreshSoon(row);
  }

  private refreshes(row: number): boolean {
    const both = CUMULATIVE | UNSOLICITED;
    return (this.counts[(row << RECORD_SHIFT) | MODES] & both) === both;
  }

  private refreshSoon(row: number): void {
    const t = row << TIMES_SHIFT;
    const { now } = this.carrier.clock;
    const soon = now + this.times[t | REFRESH_PS];
    if (this.times[t | REFRESH_AT] <= soon && this.times[t | REFRESH_AT] > now) return;
    this.times[t | REFRESH_AT] = soon;
    this.carrier.wake(row, soon);
  }
}
