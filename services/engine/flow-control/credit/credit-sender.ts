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
  EPOCH_MASK,
  SAY_DEMAND,
  SAY_REPORT,
  SAY_SYNC,
  WINDOW_MOST,
} from './credit-machine.js';
import {
  ALLOWED,
  ASKED_UNIT,
  CONSUMED,
  LAST_USE,
  LOOKS_AHEAD,
  MODES,
  RECORD_SHIFT,
  REPORT_AT,
  REPORT_PS,
  REPORTS,
  SPENT,
  TIMES_SHIFT,
} from './credit-records.js';

// Words of an account that only some frames touch.

const STATE = 0;
const EPOCH = 1;
const TRIES = 2;
const BLOCKED = 3;
const WORDS = 4;

// Doubles of an account that only some frames touch.

const POLL_AT = 0;
const SYNC_AT = 1;
const BLOCKED_SINCE = 2;
const BLOCKED_PS = 3;
const BLOCKS = 4;
export const GRANTED = 5;
export const AGED = 6;
/** Credit that a resynchronisation took back. */
export const REVOKED = 7;
/** Answers from another epoch, and totals older than the last. */
export const STALE = 8;
/** Incremental credit beyond what a count can hold. */
export const OVERFLOW = 9;
export const FAILED_SYNCS = 10;
const DOUBLES = 11;

const DOWN = 0;
const SYNC = 1;
const OPEN = 2;

/**
 * The sending half of an account: it counts what it uses, and never uses more than it was
 * granted. Whatever is lost, it can say its total again.
 */
export class CreditSender {
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
    this.counts = accounts.records.words;
    this.times = accounts.records.doubles;
    this.words = tables.int32('credit', WORDS);
    this.doubles = tables.float64('credit', DOUBLES);
  }

  /** The link is up. */
  start(row: number): void {
    if (this.accounts.isCumulative(row)) this.startOver(row);
    else this.words[row * WORDS + STATE] = OPEN;
  }

  /** All counts are forgotten; the next epoch begins when the neighbour agrees. */
  startOver(row: number): void {
    const w = row * WORDS;
    const d = row * DOUBLES;
    this.doubles[d + REVOKED] += this.available(row);
    this.words[w + EPOCH] = (this.words[w + EPOCH] + 1) & EPOCH_MASK;
    this.counts[(row << RECORD_SHIFT) | CONSUMED] = 0;
    this.counts[(row << RECORD_SHIFT) | ALLOWED] = 0;
    this.words[w + STATE] = SYNC;
    this.words[w + TRIES] = 0;
    this.carrier.withdraw(row);
    this.trySync(row);
  }

  /** The link has been down: what was granted before is not worth anything. */
  linkUp(row: number): void {
    if (this.spec(row).counts === 'cumulative') {
      this.startOver(row);
      return;
    }
    this.forfeit(row, this.available(row));
  }

  /** Units are gone without a frame. */
  forfeit(row: number, units: number): void {
    const lost = Math.min(units, this.available(row));
    if (lost === 0) return;
    this.consume(row, lost);
    this.doubles[row * DOUBLES + REVOKED] += lost;
    if (this.spec(row).counts === 'cumulative') this.changed(row);
    this.carrier.withdraw(row);
    this.carrier.permit(row);
  }

  /** Without an epoch nothing is allowed. */
  available(row: number): number {
    const r = row << RECORD_SHIFT;
    return ahead(this.counts[r | ALLOWED], this.counts[r | CONSUMED]);
  }

  /** There is credit for a frame of so many octets. */
  mayStart(row: number, octets: number): boolean {
    const r = row << RECORD_SHIFT;
    const { counts } = this;
    return ahead(counts[r | ALLOWED], counts[r | CONSUMED]) * counts[r | ASKED_UNIT] >= octets;
  }

  isOpen(row: number): boolean {
    return this.words[row * WORDS + STATE] === OPEN;
  }

  cost(row: number, octets: number): number {
    return costOf(octets, this.counts[(row << RECORD_SHIFT) | ASKED_UNIT]);
  }

  /** A frame starts on the wire. */
  spend(row: number, units: number): void {
    const r = row << RECORD_SHIFT;
    const t = row << TIMES_SHIFT;
    const { counts, times } = this;
    this.consume(row, units);
    times[t | SPENT] += units;
    times[t | LAST_USE] = this.carrier.clock.now;
    this.carrier.announce(row, CREDIT_STEP.TRANSMITTED, units);
    if (counts[r | REPORTS] !== 0) this.changed(row);
    if ((counts[r | MODES] & LOOKS_AHEAD) !== 0) this.lookAhead(row);
  }

  /** The first frame in line lacks credit. */
  block(row: number): void {
    const w = row * WORDS;
    const d = row * DOUBLES;
    if (this.words[w + BLOCKED] === 0) {
      this.words[w + BLOCKED] = 1;
      this.doubles[d + BLOCKED_SINCE] = this.carrier.clock.now;
      this.doubles[d + BLOCKS]++;
      this.carrier.lacks(row, true);
    }
    this.demand(row);
  }

  unblock(row: number): void {
    const w = row * WORDS;
    if (this.words[w + BLOCKED] === 0) return;
    this.words[w + BLOCKED] = 0;
    const d = row * DOUBLES;
    this.doubles[d + BLOCKED_PS] += this.carrier.clock.now - this.doubles[d + BLOCKED_SINCE];
    this.carrier.lacks(row, false);
  }

  isBlocked(row: number): boolean {
    return this.words[row * WORDS + BLOCKED] !== 0;
  }

  /** Since when its first frame waits for credit; null if none does. */
  blockedSincePs(row: number): number | null {
    return this.isBlocked(row) ? this.doubles[row * DOUBLES + BLOCKED_SINCE] : null;
  }

  blockedPs(row: number, now: number): number {
    const d = row * DOUBLES;
    const since = this.isBlocked(row) ? now - this.doubles[d + BLOCKED_SINCE] : 0;
    return this.doubles[d + BLOCKED_PS] + since;
  }

  blocks(row: number): number {
    return this.doubles[row * DOUBLES + BLOCKS];
  }

  get(row: number, field: number): number {
    return this.doubles[row * DOUBLES + field];
  }

  count(row: number, word: number): number {
    return this.counts[(row << RECORD_SHIFT) | word];
  }

  /** Units used so far, over all epochs. */
  spent(row: number): number {
    return this.times[(row << TIMES_SHIFT) | SPENT];
  }

  epoch(row: number): number {
    return this.words[row * WORDS + EPOCH];
  }

  /** What a request says, read when it starts on the wire. */
  requestWord(row: number, what: number): number {
    const word = this.accounts.isCumulative(row) ? this.count(row, CONSUMED) : 0;
    if (what === SAY_DEMAND) this.carrier.announce(row, CREDIT_STEP.REQUESTED, word);
    return word;
  }

  /** A grant or a refresh. */
  onGrant(row: number, epoch: number, word: number): void {
    const w = row * WORDS;
    if (!this.accounts.isCumulative(row)) {
      this.add(row, word);
      return;
    }
    if (this.words[w + STATE] !== OPEN || epoch !== this.words[w + EPOCH]) {
      this.doubles[row * DOUBLES + STALE]++;
      return;
    }
    const more = ahead(word, this.count(row, ALLOWED));
    if (more === 0) return;
    if (more > WINDOW_MOST) this.doubles[row * DOUBLES + STALE]++;
    else this.raise(row, word, more);
  }

  /** The neighbour agrees to the epoch. */
  onAccept(row: number, epoch: number, word: number): void {
    const w = row * WORDS;
    if (this.words[w + STATE] !== SYNC || epoch !== this.words[w + EPOCH]) {
      this.doubles[row * DOUBLES + STALE]++;
      return;
    }
    this.words[w + STATE] = OPEN;
    this.words[w + TRIES] = 0;
    this.times[(row << TIMES_SHIFT) | LAST_USE] = this.carrier.clock.now;
    this.carrier.announce(row, CREDIT_STEP.AGREED, word);
    this.changed(row);
    this.raise(row, word, word);
  }

  /** The neighbour lost its counts, or found them contradicted, or takes credit back. */
  onResync(row: number): void {
    if (this.words[row * WORDS + STATE] === OPEN) this.startOver(row);
  }

  /** Does what is due; returns when to look again. */
  onTimer(row: number): number {
    const spec = this.spec(row);
    if (this.words[row * WORDS + STATE] === DOWN) return Infinity;
    const poll = this.pollWhileBlocked(row);
    if (spec.counts === 'incremental') return poll;
    if (this.words[row * WORDS + STATE] === SYNC) return this.syncAgain(row);
    return Math.min(poll, this.age(row), this.reportAgain(row));
  }

  private spec(row: number): CreditPortSpec {
    return this.accounts.specOf(row);
  }

  private consume(row: number, units: number): void {
    const at = (row << RECORD_SHIFT) | CONSUMED;
    this.counts[at] = (this.counts[at] + units) & COUNT_MASK;
  }

  private raise(row: number, limit: number, more: number): void {
    this.counts[(row << RECORD_SHIFT) | ALLOWED] = limit;
    this.doubles[row * DOUBLES + GRANTED] += more;
    this.carrier.permit(row);
  }

  /** Incremental credit is a number that cannot grow beyond what a count holds. */
  private add(row: number, units: number): void {
    const room = COUNT_MASK - this.available(row);
    const taken = Math.min(units, room);
    this.doubles[row * DOUBLES + OVERFLOW] += units - taken;
    if (taken === 0) return;
    this.raise(row, (this.count(row, ALLOWED) + taken) & COUNT_MASK, taken);
  }

  /** Something is different: the neighbour hears of it soon, and again. */
  private changed(row: number): void {
    this.counts[(row << RECORD_SHIFT) | REPORTS] = 0;
    const t = row << TIMES_SHIFT;
    const { now } = this.carrier.clock;
    const soon = now + this.times[t | REPORT_PS];
    if (this.times[t | REPORT_AT] <= soon && this.times[t | REPORT_AT] > now) return;
    this.times[t | REPORT_AT] = soon;
    this.carrier.wake(row, soon);
  }

  private demand(row: number): void {
    const { asking } = this.spec(row);
    const d = row * DOUBLES;
    const { now } = this.carrier.clock;
    if (asking.when === 'never' || this.words[row * WORDS + STATE] !== OPEN) return;
    if (now < this.doubles[d + POLL_AT]) {
      this.carrier.wake(row, this.doubles[d + POLL_AT]);
      return;
    }
    this.doubles[d + POLL_AT] = now + asking.pollPs;
    this.carrier.say(row, SAY_DEMAND);
    this.carrier.wake(row, now + asking.pollPs);
  }

  private lookAhead(row: number): void {
    const { asking } = this.spec(row);
    if (this.carrier.clock.now < this.doubles[row * DOUBLES + POLL_AT]) return;
    const waiting = costOf(this.carrier.waitingOctets(row), asking.unitOctets);
    if (this.available(row) < waiting + asking.aheadUnits) this.demand(row);
  }

  private pollWhileBlocked(row: number): number {
    const { asking } = this.spec(row);
    if (asking.when === 'never' || this.words[row * WORDS + BLOCKED] === 0) return Infinity;
    const at = row * DOUBLES + POLL_AT;
    if (this.carrier.clock.now >= this.doubles[at]) this.demand(row);
    return Math.max(this.doubles[at], this.carrier.clock.now + 1);
  }

  private trySync(row: number): void {
    const { asking, keepAlivePs } = this.spec(row);
    const w = row * WORDS;
    const tries = ++this.words[w + TRIES];
    if (tries === asking.syncTries + 1) this.doubles[row * DOUBLES + FAILED_SYNCS]++;
    const wait = tries <= asking.syncTries ? asking.syncPs : keepAlivePs;
    const at = this.carrier.clock.now + wait;
    this.doubles[row * DOUBLES + SYNC_AT] = at;
    this.carrier.say(row, SAY_SYNC);
    this.carrier.wake(row, at);
  }

  private syncAgain(row: number): number {
    const at = row * DOUBLES + SYNC_AT;
    if (this.carrier.clock.now >= this.doubles[at]) this.trySync(row);
    return this.doubles[at];
  }

  private reportAgain(row: number): number {
    const at = (row << TIMES_SHIFT) | REPORT_AT;
    const { now } = this.carrier.clock;
    if (now < this.times[at]) return this.times[at];
    const { asking, keepAlivePs } = this.spec(row);
    const periods = ++this.counts[(row << RECORD_SHIFT) | REPORTS];
    this.carrier.say(row, SAY_REPORT);
    this.times[at] = now + (periods < EAGER_PERIODS ? asking.reportPs : keepAlivePs);
    return this.times[at];
  }

  /**
   * Credit ages at the sender, as a use without a frame: the neighbour cannot tell it from a lost
   * frame and takes the memory back, so no two clocks have to agree.
   */
  private age(row: number): number {
    const { agePs, keepUnits } = this.spec(row).asking;
    if (agePs === Infinity) return Infinity;
    const spare = this.available(row) - keepUnits;
    if (spare <= 0 || this.carrier.waitingOctets(row) > 0) return Infinity;
    const d = row * DOUBLES;
    const at = this.times[(row << TIMES_SHIFT) | LAST_USE] + agePs;
    if (this.carrier.clock.now < at) return at;
    this.consume(row, spare);
    this.doubles[d + AGED] += spare;
    this.changed(row);
    this.carrier.say(row, SAY_REPORT);
    return Infinity;
  }
}
