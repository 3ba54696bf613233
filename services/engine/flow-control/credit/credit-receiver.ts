import { CREDIT_STEP } from '../../contract/probe.js';
import type { CreditPortSpec } from '../../contract/spec.js';
import type { Tables } from '../../kernel/tables.js';
import type { CreditAccounts } from './credit-accounts.js';
import type { CreditCarrier } from './credit-machine.js';
import {
  ahead,
  COUNT_MASK,
  EAGER_PERIODS,
  SAY_ACCEPT,
  SAY_GRANT,
  SAY_RESYNC,
  WINDOW_MOST,
} from './credit-machine.js';
import { shareOfBuffer } from './credit-shares.js';

// Words of an account.

const OPENED = 0;
/** Units that came past: received, or known to be missing. */
export const PASSED = 1;
/** Units in the buffer now. */
export const OCCUPIED = 2;
/** The highest count allowed. */
export const LIMIT = 3;
export const LIMIT_SAID = 4;
const EPOCH = 5;
/** The neighbour has asked since it last was idle. */
const WANTED = 6;
/** Refreshes since the last change. */
const PERIODS = 7;
export const OCCUPIED_PEAK = 8;
const WORDS = 10;

// Doubles of an account.

const REFRESH_AT = 0;
const TOLD_AT = 1;
const ACTIVE_AT = 2;
export const RECEIVED = 3;
/** Units of lost frames and of aged credit that came home. */
export const RECOVERED = 4;
/** The neighbour says that it sent less than was seen. */
export const CONTRADICTIONS = 5;
export const RESYNCS = 6;
/** Units that came without having been granted: the neighbour goes by another method still. */
export const VIOLATIONS = 7;
const DOUBLES = 8;

/**
 * The receiving half of an account: it counts what came past and what is in the buffer, and grants
 * no more than the buffer can hold. In incremental mode the same counts are kept, and only what
 * they grew by is told.
 */
export class CreditReceiver {
  private readonly words: Int32Array;
  private readonly doubles: Float64Array;

  constructor(
    tables: Tables,
    private readonly accounts: CreditAccounts,
    private readonly carrier: CreditCarrier,
  ) {
    this.words = tables.int32('credit', WORDS);
    this.doubles = tables.float64('credit', DOUBLES).fill(-Infinity);
    for (let row = 0; row < accounts.count; row++) {
      this.doubles.fill(0, row * DOUBLES + RECEIVED, (row + 1) * DOUBLES);
    }
  }

  /** The link is up. */
  start(row: number): void {
    if (this.accounts.isCumulative(row)) {
      this.refreshSoon(row);
      return;
    }
    this.words[row * WORDS + OPENED] = 1;
    this.raise(row);
    this.carrier.say(row, SAY_GRANT);
  }

  /** The neighbour may have asked already, before this end would have answered. */
  invite(row: number): void {
    if (this.accounts.isCumulative(row)) this.tellResync(row);
  }

  /** Nobody grants any more; what is in the buffer goes on being counted. */
  stop(row: number): void {
    const w = row * WORDS;
    this.words[w + OPENED] = 0;
    this.words[w + LIMIT] = this.words[w + PASSED];
    this.words[w + LIMIT_SAID] = this.words[w + PASSED];
  }

  /** The link has been down: whatever is in the buffer, the rest is granted anew. */
  linkUp(row: number): void {
    if (this.spec(row).counts === 'cumulative') {
      this.startOver(row);
      return;
    }
    const w = row * WORDS;
    this.words[w + LIMIT] = this.words[w + PASSED];
    this.words[w + LIMIT_SAID] = this.words[w + PASSED];
    this.raise(row);
    this.carrier.say(row, SAY_GRANT);
  }

  /** All counts are forgotten; what is in the buffer goes on being there. */
  startOver(row: number): void {
    this.words[row * WORDS + OPENED] = 0;
    this.doubles[row * DOUBLES + TOLD_AT] = -Infinity;
    this.refreshSoon(row);
  }

  /** Memory is taken, by a frame that came in or by a copy of it. */
  store(row: number, units: number): void {
    const w = row * WORDS;
    const { words } = this;
    const occupied = words[w + OCCUPIED] + units;
    words[w + OCCUPIED] = occupied;
    if (occupied > words[w + OCCUPIED_PEAK]) words[w + OCCUPIED_PEAK] = occupied;
  }

  /** A frame came in intact. */
  take(row: number, units: number): void {
    const w = row * WORDS;
    const { words, doubles } = this;
    this.store(row, units);
    if (words[w + OPENED] !== 0) {
      const granted = ahead(words[w + LIMIT], words[w + PASSED]);
      if (granted < units || granted > WINDOW_MOST) {
        doubles[row * DOUBLES + VIOLATIONS] += units;
      }
      words[w + PASSED] = (words[w + PASSED] + units) & COUNT_MASK;
    }
    doubles[row * DOUBLES + RECEIVED] += units;
    doubles[row * DOUBLES + ACTIVE_AT] = this.carrier.clock.now;
    this.carrier.announce(row, CREDIT_STEP.RECEIVED, units);
  }

  /** A frame's memory is free. */
  free(row: number, units: number): void {
    const w = row * WORDS;
    const { words } = this;
    words[w + OCCUPIED] -= units;
    this.carrier.announce(row, CREDIT_STEP.ACCOUNTED, units);
    if (words[w + OPENED] === 0) return;
    this.raise(row);
    if (!this.accounts.grantsUnasked(row)) return;
    const untold = ahead(words[w + LIMIT], words[w + LIMIT_SAID]);
    if (untold === 0) return;
    const step = this.accounts.stepUnits(row);
    if (untold >= step || (words[w + OCCUPIED] < step && this.isShort(row)))
      this.carrier.say(row, SAY_GRANT);
  }

  get(row: number, field: number): number {
    return this.doubles[row * DOUBLES + field];
  }

  count(row: number, word: number): number {
    return this.words[row * WORDS + word];
  }

  isOpen(row: number): boolean {
    return this.words[row * WORDS + OPENED] !== 0;
  }

  epoch(row: number): number {
    return this.words[row * WORDS + EPOCH];
  }

  /** Units that the neighbour may still send, or has in the buffer. */
  outstanding(row: number): number {
    const w = row * WORDS;
    const { words } = this;
    if (words[w + OPENED] === 0) return words[w + OCCUPIED];
    return ahead(words[w + LIMIT], words[w + PASSED]) + words[w + OCCUPIED];
  }

  /** Whether the neighbour has shown lately that it needs credit. */
  isActive(row: number): boolean {
    if (this.words[row * WORDS + WANTED] === 0) return false;
    const { idlePs } = this.spec(row).granting;
    return this.carrier.clock.now - this.doubles[row * DOUBLES + ACTIVE_AT] < idlePs;
  }

  /** What an answer says; it is on its way when this is read. */
  answerWord(row: number): number {
    const w = row * WORDS;
    const { words } = this;
    const said = words[w + LIMIT_SAID];
    words[w + LIMIT_SAID] = words[w + LIMIT];
    const limit = words[w + LIMIT];
    const word = this.accounts.isCumulative(row) ? limit : ahead(limit, said);
    this.carrier.announce(row, CREDIT_STEP.GRANTED, word);
    return word;
  }

  onSync(row: number, epoch: number, word: number): void {
    const w = row * WORDS;
    const { words } = this;
    // Said twice, it may come long after frames of its epoch: what they counted stands.
    if (words[w + OPENED] === 0 || words[w + EPOCH] !== epoch) {
      words[w + PASSED] = word;
      words[w + LIMIT] = word;
      words[w + EPOCH] = epoch;
      words[w + OPENED] = 1;
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
      this.doubles[row * DOUBLES + ACTIVE_AT] = this.carrier.clock.now;
    }
    this.raise(row);
    // A demand is always answered, if only by saying again what was said.
    if (!isReport) this.carrier.say(row, SAY_GRANT);
  }

  /** Does what is due; returns when to look again. */
  onTimer(row: number): number {
    if (!this.refreshes(row)) return Infinity;
    const { granting, keepAlivePs } = this.spec(row);
    const at = row * DOUBLES + REFRESH_AT;
    const { now } = this.carrier.clock;
    if (now < this.doubles[at]) return this.doubles[at];
    if (this.words[row * WORDS + OPENED] === 0) this.tellResync(row);
    else {
      this.raise(row);
      this.carrier.say(row, SAY_GRANT);
    }
    const periods = ++this.words[row * WORDS + PERIODS];
    this.doubles[at] = now + (periods < EAGER_PERIODS ? granting.refreshPs : keepAlivePs);
    return this.doubles[at];
  }

  private spec(row: number): CreditPortSpec {
    return this.accounts.specOf(row);
  }

  /** False if the counts cannot be compared: the neighbour has to start over. */
  private compare(row: number, epoch: number, word: number): boolean {
    const w = row * WORDS;
    const { words } = this;
    if (words[w + OPENED] === 0 || epoch !== words[w + EPOCH]) {
      this.tellResync(row);
      return false;
    }
    const missing = ahead(word, words[w + PASSED]);
    if (missing > WINDOW_MOST) {
      this.doubles[row * DOUBLES + CONTRADICTIONS]++;
      words[w + OPENED] = 0;
      this.tellResync(row);
      return false;
    }
    this.doubles[row * DOUBLES + RECOVERED] += missing;
    words[w + PASSED] = word;
    return true;
  }

  private tellResync(row: number): void {
    const at = row * DOUBLES + TOLD_AT;
    const { now } = this.carrier.clock;
    if (now - this.doubles[at] < this.spec(row).granting.tellPs) return;
    this.doubles[at] = now;
    this.carrier.say(row, SAY_RESYNC);
  }

  private isShort(row: number): boolean {
    const w = row * WORDS;
    const inHand = ahead(this.words[w + LIMIT_SAID], this.words[w + PASSED]);
    return inHand < this.accounts.frameUnits(row);
  }

  /** Grants what the buffer allows now; within an epoch a limit never goes back. */
  private raise(row: number): void {
    const w = row * WORDS;
    const { words } = this;
    const fixed = this.accounts.fixedTarget(row);
    const target = fixed >= 0 ? fixed : shareOfBuffer(this, this.accounts, row);
    const limit = (words[w + PASSED] + target - words[w + OCCUPIED]) & COUNT_MASK;
    const more = ahead(limit, words[w + LIMIT]);
    if (more === 0 || more > WINDOW_MOST) return;
    words[w + LIMIT] = limit;
    this.changed(row);
  }

  /** Something is different: the neighbour hears of it soon, and again. */
  private changed(row: number): void {
    this.words[row * WORDS + PERIODS] = 0;
    if (this.refreshes(row)) this.refreshSoon(row);
  }

  private refreshes(row: number): boolean {
    return this.accounts.isCumulative(row) && this.accounts.grantsUnasked(row);
  }

  private refreshSoon(row: number): void {
    const at = row * DOUBLES + REFRESH_AT;
    const { now } = this.carrier.clock;
    const refreshPs = this.accounts.refreshPs(row);
    if (this.doubles[at] <= now + refreshPs && this.doubles[at] > now) return;
    const soon = now + refreshPs;
    this.doubles[at] = soon;
    this.carrier.wake(row, soon);
  }
}
