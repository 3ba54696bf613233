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

// Words of an account.

const STATE = 0;
/** Units used since the epoch began. */
export const CONSUMED = 1;
/** The highest count allowed. */
export const LIMIT = 2;
const EPOCH = 3;
const TRIES = 4;
/** Reports since the last change. */
const PERIODS = 5;
const BLOCKED = 6;
const WORDS = 8;

// Doubles of an account.

// What every frame touches comes first.
const REPORT_AT = 0;
const LAST_USE = 1;
export const SPENT = 2;
export const GRANTED = 3;
const POLL_AT = 4;
const SYNC_AT = 5;
const BLOCKED_SINCE = 6;
const BLOCKED_PS = 7;
const BLOCKS = 8;
export const AGED = 9;
/** Credit that a resynchronisation took back. */
export const REVOKED = 10;
/** Answers from another epoch, and totals older than the last. */
export const STALE = 11;
/** Incremental credit beyond what a count can hold. */
export const OVERFLOW = 12;
export const FAILED_SYNCS = 13;
const DOUBLES = 14;

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

  constructor(
    tables: Tables,
    private readonly accounts: CreditAccounts,
    private readonly carrier: CreditCarrier,
  ) {
    this.words = tables.int32('credit', WORDS);
    this.doubles = tables.float64('credit', DOUBLES);
  }

  /** The link is up. */
  start(row: number): void {
    if (this.accounts.isCumulative(row)) this.startOver(row);
    else this.words[row * WORDS + STATE] = OPEN;
  }

  /** The neighbour no longer exchanges credit: what it granted is not worth anything. */
  stop(row: number): void {
    const w = row * WORDS;
    this.doubles[row * DOUBLES + REVOKED] += this.available(row);
    this.words[w + STATE] = DOWN;
    this.words[w + LIMIT] = this.words[w + CONSUMED];
    this.unblock(row);
    this.carrier.withdraw(row);
  }

  /** All counts are forgotten; the next epoch begins when the neighbour agrees. */
  startOver(row: number): void {
    const w = row * WORDS;
    const d = row * DOUBLES;
    this.doubles[d + REVOKED] += this.available(row);
    this.words[w + EPOCH] = (this.words[w + EPOCH] + 1) & EPOCH_MASK;
    this.words[w + CONSUMED] = 0;
    this.words[w + LIMIT] = 0;
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
    const w = row * WORDS;
    this.words[w + CONSUMED] = (this.words[w + CONSUMED] + lost) & COUNT_MASK;
    this.doubles[row * DOUBLES + REVOKED] += lost;
    if (this.spec(row).counts === 'cumulative') this.changed(row);
    this.carrier.withdraw(row);
    this.carrier.permit(row);
  }

  available(row: number): number {
    const w = row * WORDS;
    if (this.words[w + STATE] !== OPEN) return 0;
    return ahead(this.words[w + LIMIT], this.words[w + CONSUMED]);
  }

  isOpen(row: number): boolean {
    return this.words[row * WORDS + STATE] === OPEN;
  }

  cost(row: number, octets: number): number {
    return costOf(octets, this.accounts.askedUnitOctets(row));
  }

  /** A frame starts on the wire. */
  spend(row: number, units: number): void {
    const w = row * WORDS;
    const d = row * DOUBLES;
    this.words[w + CONSUMED] = (this.words[w + CONSUMED] + units) & COUNT_MASK;
    this.doubles[d + SPENT] += units;
    this.doubles[d + LAST_USE] = this.carrier.clock.now;
    this.carrier.announce(row, CREDIT_STEP.TRANSMITTED, units);
    if (this.accounts.isCumulative(row)) this.changed(row);
    if (this.accounts.asksAhead(row)) this.lookAhead(row);
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
    return this.words[row * WORDS + word];
  }

  epoch(row: number): number {
    return this.words[row * WORDS + EPOCH];
  }

  /** What a request says, read when it starts on the wire. */
  requestWord(row: number, what: number): number {
    const word = this.accounts.isCumulative(row) ? this.words[row * WORDS + CONSUMED] : 0;
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
    const more = ahead(word, this.words[w + LIMIT]);
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
    this.doubles[row * DOUBLES + LAST_USE] = this.carrier.clock.now;
    this.carrier.announce(row, CREDIT_STEP.AGREED, word);
    this.changed(row);
    this.raise(row, word, word);
  }

  /** The neighbour lost its counts, or found them contradicted, or takes credit back. */
  onResync(row: number): void {
    const state = this.words[row * WORDS + STATE];
    if (state === OPEN) this.startOver(row);
    else if (state === SYNC) this.trySync(row);
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

  private raise(row: number, limit: number, more: number): void {
    this.words[row * WORDS + LIMIT] = limit;
    this.doubles[row * DOUBLES + GRANTED] += more;
    this.carrier.permit(row);
  }

  /** Incremental credit is a number that cannot grow beyond what a count holds. */
  private add(row: number, units: number): void {
    const room = COUNT_MASK - this.available(row);
    const taken = Math.min(units, room);
    this.doubles[row * DOUBLES + OVERFLOW] += units - taken;
    if (taken === 0) return;
    this.raise(row, (this.words[row * WORDS + LIMIT] + taken) & COUNT_MASK, taken);
  }

  /** Something is different: the neighbour hears of it soon, and again. */
  private changed(row: number): void {
    this.words[row * WORDS + PERIODS] = 0;
    const d = row * DOUBLES;
    const wait = this.accounts.reportPs(row);
    const soon = this.carrier.clock.now + wait;
    if (this.doubles[d + REPORT_AT] <= soon && this.doubles[d + REPORT_AT] > soon - wait) return;
    this.doubles[d + REPORT_AT] = soon;
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
    const waiting = this.cost(row, this.carrier.waitingOctets(row));
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
    const at = row * DOUBLES + REPORT_AT;
    const { now } = this.carrier.clock;
    if (now < this.doubles[at]) return this.doubles[at];
    const { asking, keepAlivePs } = this.spec(row);
    const periods = ++this.words[row * WORDS + PERIODS];
    this.carrier.say(row, SAY_REPORT);
    this.doubles[at] = now + (periods < EAGER_PERIODS ? asking.reportPs : keepAlivePs);
    return this.doubles[at];
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
    const at = this.doubles[d + LAST_USE] + agePs;
    if (this.carrier.clock.now < at) return at;
    const w = row * WORDS;
    this.words[w + CONSUMED] = (this.words[w + CONSUMED] + spare) & COUNT_MASK;
    this.doubles[d + AGED] += spare;
    this.changed(row);
    this.carrier.say(row, SAY_REPORT);
    return Infinity;
  }
}
