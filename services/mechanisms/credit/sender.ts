import { GRANT_STEP } from '../../engine/contract/probe.js';
import { assert } from '../../engine/kernel/assert.js';
import { UNKNOWN } from '../../engine/kernel/kinds.js';
import type { Tables } from '../../engine/kernel/tables.js';
import type { CreditAccounts } from './accounts.js';
import type { CreditCarrier } from './machine.js';
import {
  ahead,
  costOf,
  COUNT_MASK,
  EPOCH_MASK,
  isEagerYet,
  quickCost,
  SAY_DEMAND,
  SAY_REPORT,
  SAY_SYNC,
  totalOf,
  WINDOW_MOST,
} from './machine.js';
import {
  AGES,
  ALLOWED,
  ASKED_SHIFT,
  ASKED_UNIT,
  ASKS,
  BLOCKED,
  CONSUMED,
  CUMULATIVE,
  LAST_USE,
  LOOKS_AHEAD,
  USES_BACKLOG,
  MODES,
  RECORD_SHIFT,
  REPORT_AT,
  REPORT_PS,
  REPORTED,
  REPORTS,
  SENDER_EPOCH,
  SPENT,
  STATE,
  TIMES_SHIFT,
  WORDS_SHIFT,
  WENT_BACK,
} from './records.js';
import { assertFields, field } from '../../engine/kernel/fields.js';

// Doubles of an account that only some frames touch.

const POLL_AT = 0;
const SYNC_AT = 1;
const BLOCKED_SINCE = 2;
const BLOCKED_PS = 3;
const BLOCKS = 4;
export const GRANTED = 5;
export const AGED = 6;
/** Credit that a resynchronisation revoked. */
export const REVOKED = 7;
/** Answers from another epoch, and totals older than the last. */
export const STALE = 8;
/** Incremental credit beyond what the link partner's buffer can back. */
export const OVERFLOW = 9;
export const FAILED_SYNCS = 10;
/** Requests to begin that have not been answered. */
const TRIES = 11;
/** CONSUMED when SPENT was last updated. */
const SPENT_MARK = 12;
/** Totals that are implausible. */
export const WRONG_TOTALS = 13;
const DOUBLES = 14;
assertFields(
  DOUBLES,
  POLL_AT,
  SYNC_AT,
  BLOCKED_SINCE,
  BLOCKED_PS,
  BLOCKS,
  GRANTED,
  AGED,
  REVOKED,
  STALE,
  OVERFLOW,
  FAILED_SYNCS,
  TRIES,
  SPENT_MARK,
  WRONG_TOTALS,
);

const DOWN = 0;
const SYNC = 1;
const OPEN = 2;

/**
 * The sending half of an account: it counts what it uses, and never uses more than it was granted.
 * Whatever is lost, it can repeat its total.
 */
export type CreditSender = ReturnType<typeof makeCreditSender>;

export function makeCreditSender(tables: Tables, accounts: CreditAccounts, carrier: CreditCarrier) {
  const { clock, hasListeners } = carrier;
  const { counts, words, times } = accounts.records;
  const doubles = tables.float64('credit', field('credit sender', UNKNOWN, DOUBLES));

  /** The link is up. */
  function start(row: number): void {
    if (accounts.isCumulative(row)) startOver(row);
    else counts[(row << RECORD_SHIFT) | STATE] = OPEN;
  }

  /** The link partner no longer exchanges credit: what it granted is void. */
  function stop(row: number): void {
    const w = row << WORDS_SHIFT;
    revoke(row, available(row));
    counts[(row << RECORD_SHIFT) | STATE] = DOWN;
    words[w | ALLOWED] = words[w | CONSUMED];
    unblock(row);
    carrier.withdraw(row);
  }

  /** Resets all counts; the next epoch begins when the link partner agrees. */
  function startOver(row: number): void {
    const r = row << RECORD_SHIFT;
    const w = row << WORDS_SHIFT;
    const d = row * DOUBLES;
    revoke(row, available(row));
    counts[r | SENDER_EPOCH] = (counts[r | SENDER_EPOCH] + 1) & EPOCH_MASK;
    addUp(row);
    words[w | CONSUMED] = 0;
    doubles[d + SPENT_MARK] = 0;
    words[w | ALLOWED] = 0;
    counts[r | STATE] = SYNC;
    counts[r | MODES] &= ~WENT_BACK;
    doubles[d + TRIES] = 0;
    carrier.withdraw(row);
    trySync(row);
  }

  /** The link has been down: earlier grants are void. */
  function linkUp(row: number): void {
    if (accounts.isCumulative(row)) {
      startOver(row);
      return;
    }
    forfeit(row, available(row));
  }

  /** Units are lost without a frame. */
  function forfeit(row: number, units: number): void {
    const lost = Math.min(units, available(row));
    if (lost === 0) return;
    waste(row, lost);
    revoke(row, lost);
    if (accounts.isCumulative(row)) changed(row);
    carrier.withdraw(row);
    carrier.permit(row);
  }

  function revoke(row: number, units: number): void {
    doubles[row * DOUBLES + REVOKED] += units;
    if (units > 0) carrier.announce(row, GRANT_STEP.REVOKED, units);
  }

  /** Without an epoch nothing is allowed. */
  function available(row: number): number {
    const w = row << WORDS_SHIFT;
    return ahead(words[w | ALLOWED], words[w | CONSUMED]);
  }

  /** There is credit for a frame of so many octets. */
  function mayStart(row: number, octets: number): boolean {
    const r = row << RECORD_SHIFT;
    const w = row << WORDS_SHIFT;
    return ahead(words[w | ALLOWED], words[w | CONSUMED]) * counts[r | ASKED_UNIT] >= octets;
  }

  function isOpen(row: number): boolean {
    return counts[(row << RECORD_SHIFT) | STATE] === OPEN;
  }

  function cost(row: number, octets: number): number {
    const r = row << RECORD_SHIFT;
    return quickCost(octets, counts[r | ASKED_UNIT], counts[r | ASKED_SHIFT]);
  }

  /** A frame starts on the wire. */
  function spend(row: number, units: number): void {
    const r = row << RECORD_SHIFT;
    const w = row << WORDS_SHIFT;
    assert(units > 0, 'credit.frame-costs-units');
    assert(units <= ahead(words[w | ALLOWED], words[w | CONSUMED]), 'credit.spend');
    words[w | CONSUMED] = (words[w | CONSUMED] + units) & COUNT_MASK;
    if (hasListeners[0] !== 0) carrier.announce(row, GRANT_STEP.TRANSMITTED, units);
    const modes = counts[r | MODES];
    if ((modes & (REPORTED | USES_BACKLOG)) !== 0) noteUse(row, modes);
  }

  function noteUse(row: number, modes: number): void {
    if ((modes & REPORTED) !== 0) changed(row);
    if ((modes & USES_BACKLOG) === 0) return;
    times[(row << TIMES_SHIFT) | LAST_USE] = clock.now;
    if ((modes & LOOKS_AHEAD) !== 0) lookAhead(row);
  }

  /** The first frame in line lacks credit. */
  function block(row: number): void {
    const r = row << RECORD_SHIFT;
    const d = row * DOUBLES;
    if (counts[r | BLOCKED] === 0) {
      counts[r | BLOCKED] = 1;
      doubles[d + BLOCKED_SINCE] = clock.now;
      doubles[d + BLOCKS]++;
      if (accounts.specOf(row).asking.isPatient) waitForGrant(row);
      if ((counts[r | MODES] & (ASKS | CUMULATIVE)) === CUMULATIVE) changed(row);
      carrier.lacks(row, true);
    } else if (clock.now < doubles[d + POLL_AT]) return;
    demand(row);
  }

  function unblock(row: number): void {
    const r = row << RECORD_SHIFT;
    if (counts[r | BLOCKED] === 0) return;
    counts[r | BLOCKED] = 0;
    const d = row * DOUBLES;
    assert(clock.now >= doubles[d + BLOCKED_SINCE], 'credit.blocked-since');
    doubles[d + BLOCKED_PS] += clock.now - doubles[d + BLOCKED_SINCE];
    carrier.lacks(row, false);
  }

  function isBlocked(row: number): boolean {
    return counts[(row << RECORD_SHIFT) | BLOCKED] !== 0;
  }

  /** Since when its first frame waits for credit; null if none does. */
  function blockedSincePs(row: number): number | null {
    return isBlocked(row) ? doubles[row * DOUBLES + BLOCKED_SINCE] : null;
  }

  function blockedPs(row: number, now: number): number {
    const d = row * DOUBLES;
    const since = isBlocked(row) ? now - doubles[d + BLOCKED_SINCE] : 0;
    return doubles[d + BLOCKED_PS] + since;
  }

  function blocks(row: number): number {
    return doubles[row * DOUBLES + BLOCKS];
  }

  function get(row: number, field: number): number {
    return doubles[row * DOUBLES + field];
  }

  function count(row: number, word: number): number {
    return words[(row << WORDS_SHIFT) | word];
  }

  /** Units used so far, over all epochs. */
  function spent(row: number): number {
    return (
      times[(row << TIMES_SHIFT) | SPENT] +
      ahead(count(row, CONSUMED), doubles[row * DOUBLES + SPENT_MARK])
    );
  }

  function epoch(row: number): number {
    return counts[(row << RECORD_SHIFT) | SENDER_EPOCH];
  }

  /**
   * Word of a request, read when it starts on the wire. It overtakes frames that a link layer may
   * send again, and does not count them: they are not lost.
   */
  function requestWord(row: number, what: number): number {
    const word = accounts.isCumulative(row)
      ? (count(row, CONSUMED) - carrier.repeatableUnits(row)) & COUNT_MASK
      : 0;
    // It is the total: a pending repetition is done.
    if (counts[(row << RECORD_SHIFT) | REPORTS] === 0) {
      times[(row << TIMES_SHIFT) | REPORT_AT] = clock.now + times[(row << TIMES_SHIFT) | REPORT_PS];
    }
    if (what === SAY_DEMAND) carrier.announce(row, GRANT_STEP.REQUESTED, word);
    return word;
  }

  /** A grant or a refresh. */
  function onGrant(row: number, epoch: number, word: number): void {
    if (!accounts.isCumulative(row)) add(row, word);
    else onTotal(row, epoch, word);
  }

  /** The link partner accepts the epoch; a repetition is a total like others. */
  function onAccept(row: number, epoch: number, word: number): void {
    const r = row << RECORD_SHIFT;
    if (counts[r | STATE] !== SYNC || epoch !== counts[r | SENDER_EPOCH]) {
      onTotal(row, epoch, word);
      return;
    }
    if (!isBacked(row, word)) {
      distrust(row);
      return;
    }
    counts[r | STATE] = OPEN;
    doubles[row * DOUBLES + TRIES] = 0;
    times[(row << TIMES_SHIFT) | LAST_USE] = clock.now;
    carrier.announce(row, GRANT_STEP.AGREED, word);
    changed(row);
    raise(row, word, word);
  }

  function onTotal(row: number, epoch: number, word: number): void {
    const r = row << RECORD_SHIFT;
    if (counts[r | STATE] !== OPEN || epoch !== counts[r | SENDER_EPOCH]) {
      doubles[row * DOUBLES + STALE]++;
      return;
    }
    const allowed = count(row, ALLOWED);
    const limit = accounts.isWide(row, false) ? word : totalOf(word, allowed);
    const more = ahead(limit, allowed);
    if (more <= WINDOW_MOST && isBacked(row, limit)) {
      counts[r | MODES] &= ~WENT_BACK;
      if (more !== 0) raise(row, limit, more);
    } else if (mayBeLate(row, limit)) {
      counts[r | MODES] |= WENT_BACK;
      doubles[row * DOUBLES + STALE]++;
    } else distrust(row);
  }

  /** The link partner's buffer can back what the sender would then have. */
  function isBacked(row: number, limit: number): boolean {
    return ahead(limit, count(row, CONSUMED)) <= accounts.backed[row];
  }

  /**
   * A total may be overtaken by the next, but is then no older than what is in flight; and the one
   * after it is not older again, unless the total before them was wrong.
   */
  function mayBeLate(row: number, limit: number): boolean {
    const isSecond = (counts[(row << RECORD_SHIFT) | MODES] & WENT_BACK) !== 0;
    return !isSecond && ahead(count(row, ALLOWED), limit) <= accounts.backed[row];
  }

  /** An implausible total is not used: totals used before may be as wrong. */
  function distrust(row: number): void {
    doubles[row * DOUBLES + WRONG_TOTALS]++;
    startOverAlone(row);
  }

  /** One account starts over; others of the port go on with what they have. */
  function startOverAlone(row: number): void {
    startOver(row);
    carrier.permit(row);
  }

  /** The link partner lost its counts, or found them contradicted, or revokes credit. */
  function onResync(row: number): void {
    const state = counts[(row << RECORD_SHIFT) | STATE];
    if (state === OPEN) startOverAlone(row);
    else if (state === SYNC) trySync(row);
  }

  /** Does what is due; returns when it is to be called next. */
  function onTimer(row: number): number {
    if (counts[(row << RECORD_SHIFT) | STATE] === DOWN) return Infinity;
    const poll = pollWhileBlocked(row);
    if (!accounts.isCumulative(row)) return poll;
    if (counts[(row << RECORD_SHIFT) | STATE] === SYNC) return syncAgain(row);
    return Math.min(poll, age(row), reportAgain(row));
  }

  /** Uses units without a frame. */
  function waste(row: number, units: number): void {
    const w = row << WORDS_SHIFT;
    assert(units > 0 && units <= available(row), 'credit.wasted-was-available');
    addUp(row);
    words[w | CONSUMED] = (words[w | CONSUMED] + units) & COUNT_MASK;
    doubles[row * DOUBLES + SPENT_MARK] = words[w | CONSUMED];
  }

  /** In time: a word holds all that can be used from one grant to the next. */
  function addUp(row: number): void {
    const w = row << WORDS_SHIFT;
    const mark = row * DOUBLES + SPENT_MARK;
    times[(row << TIMES_SHIFT) | SPENT] += ahead(words[w | CONSUMED], doubles[mark]);
    doubles[mark] = words[w | CONSUMED];
  }

  function raise(row: number, limit: number, more: number): void {
    const w = row << WORDS_SHIFT;
    assert(ahead(limit, words[w | CONSUMED]) <= accounts.backed[row], 'credit.backed-by-buffer');
    assert(more <= WINDOW_MOST, 'credit.window');
    words[w | ALLOWED] = limit;
    addUp(row);
    doubles[row * DOUBLES + GRANTED] += more;
    carrier.permit(row);
  }

  /** Incremental credit cannot grow beyond the link partner's buffer. */
  function add(row: number, units: number): void {
    const room = Math.max(0, accounts.backed[row] - available(row));
    const taken = Math.min(units, room);
    doubles[row * DOUBLES + OVERFLOW] += units - taken;
    if (taken === 0) return;
    raise(row, (count(row, ALLOWED) + taken) & COUNT_MASK, taken);
  }

  /** The count has changed: it is reported soon, and repeated. */
  function changed(row: number): void {
    counts[(row << RECORD_SHIFT) | MODES] &= ~REPORTED;
    counts[(row << RECORD_SHIFT) | REPORTS] = 0;
    const t = row << TIMES_SHIFT;
    const { now } = carrier.clock;
    const soon = now + times[t | REPORT_PS];
    if (times[t | REPORT_AT] <= soon && times[t | REPORT_AT] > now) return;
    times[t | REPORT_AT] = soon;
    carrier.wake(row, soon);
  }

  function demand(row: number): void {
    const r = row << RECORD_SHIFT;
    const d = row * DOUBLES;
    const { now } = carrier.clock;
    if ((counts[r | MODES] & ASKS) === 0 || counts[r | STATE] !== OPEN) return;
    if (now < doubles[d + POLL_AT]) {
      carrier.wake(row, doubles[d + POLL_AT]);
      return;
    }
    doubles[d + POLL_AT] = now + accounts.specOf(row).asking.pollPs;
    carrier.say(row, SAY_DEMAND);
    carrier.wake(row, doubles[d + POLL_AT]);
  }

  /** A grant is in flight, or was lost: only then is credit requested. */
  function waitForGrant(row: number): void {
    const at = row * DOUBLES + POLL_AT;
    const patientUntil = clock.now + accounts.specOf(row).asking.pollPs;
    if (patientUntil > doubles[at]) doubles[at] = patientUntil;
  }

  function lookAhead(row: number): void {
    if (clock.now < doubles[row * DOUBLES + POLL_AT]) return;
    if (available(row) < wanted(row)) demand(row);
  }

  /**
   * Units that it requests in advance: for what waits, and for what its slice may send until a
   * later request is answered. No more than the link partner's buffer can back.
   */
  function wanted(row: number): number {
    const unit = counts[(row << RECORD_SHIFT) | ASKED_UNIT];
    const units = costOf(carrier.waitingOctets(row), unit) + predicted(row);
    assert(units >= 0 && accounts.backed[row] >= 1, 'credit.wanted-units');
    return Math.max(1, Math.min(units, accounts.backed[row]));
  }

  /** What its slice may send in that time, at its share of the port among the slices in line. */
  function predicted(row: number): number {
    const { asking, channels } = accounts.specOf(row);
    const priority = accounts.priority(row);
    const units = asking.aheadUnits[priority];
    if (channels.length === 1) return units;
    const own = accounts.share(row);
    let shares = own;
    for (let slot = 0; slot < channels.length; slot++) {
      const other = accounts.row(accounts.port(row), slot, priority);
      if (other !== row && carrier.waitingOctets(other) > 0) shares += channels[slot].share;
    }
    return Math.ceil((units * own) / shares);
  }

  /** Units of a request: beyond those used so far or, as an increment, available. */
  function amount(row: number): number {
    const units = wanted(row);
    return accounts.isCumulative(row) ? units : Math.max(1, units - available(row));
  }

  function pollWhileBlocked(row: number): number {
    const r = row << RECORD_SHIFT;
    if (counts[r | BLOCKED] === 0 || (counts[r | MODES] & ASKS) === 0) return Infinity;
    const at = row * DOUBLES + POLL_AT;
    if (clock.now >= doubles[at]) demand(row);
    return Math.max(doubles[at], clock.now + 1);
  }

  function trySync(row: number): void {
    const { asking, keepAlivePs } = accounts.specOf(row);
    const d = row * DOUBLES;
    if (carrier.repeatableUnits(row) > 0) {
      // The epoch begins behind what may still come of the one before.
      doubles[d + SYNC_AT] = clock.now + asking.syncPs;
      carrier.wake(row, doubles[d + SYNC_AT]);
      return;
    }
    const tries = ++doubles[d + TRIES];
    if (tries === asking.syncTries + 1) doubles[d + FAILED_SYNCS]++;
    const wait = tries <= asking.syncTries ? asking.syncPs : keepAlivePs;
    const at = clock.now + wait;
    doubles[d + SYNC_AT] = at;
    carrier.say(row, SAY_SYNC);
    carrier.wake(row, at);
  }

  function syncAgain(row: number): number {
    const at = row * DOUBLES + SYNC_AT;
    if (clock.now >= doubles[at]) trySync(row);
    assert(doubles[at] > clock.now, 'credit.synchronises-again-later');
    return doubles[at];
  }

  function reportAgain(row: number): number {
    const t = row << TIMES_SHIFT;
    const { now } = carrier.clock;
    if (now < times[t | REPORT_AT]) return times[t | REPORT_AT];
    counts[(row << RECORD_SHIFT) | MODES] |= REPORTED;
    const isEager = isEagerYet(counts, (row << RECORD_SHIFT) | REPORTS) || waitsSilently(row);
    carrier.say(row, SAY_REPORT);
    const wait = isEager ? times[t | REPORT_PS] : accounts.specOf(row).keepAlivePs;
    times[t | REPORT_AT] = now + wait;
    return times[t | REPORT_AT];
  }

  /** A frame lacks credit, and only reports can recover what was lost with a message. */
  function waitsSilently(row: number): boolean {
    return isBlocked(row) && (counts[(row << RECORD_SHIFT) | MODES] & ASKS) === 0;
  }

  /**
   * Credit ages at the sender, as a use without a frame: the link partner cannot distinguish it
   * from a lost frame and recovers the buffer, so no two clocks have to agree.
   */
  function age(row: number): number {
    if ((counts[(row << RECORD_SHIFT) | MODES] & AGES) === 0) return Infinity;
    const { agePs, keepUnits } = accounts.specOf(row).asking;
    const spare = available(row) - keepUnits[accounts.priority(row)];
    if (spare <= 0 || carrier.waitingOctets(row) > 0) return Infinity;
    const d = row * DOUBLES;
    const at = times[(row << TIMES_SHIFT) | LAST_USE] + agePs;
    if (clock.now < at) return at;
    waste(row, spare);
    doubles[d + AGED] += spare;
    carrier.announce(row, GRANT_STEP.AGED, spare);
    changed(row);
    carrier.say(row, SAY_REPORT);
    return Infinity;
  }

  return {
    start,
    stop,
    startOver,
    linkUp,
    forfeit,
    available,
    mayStart,
    isOpen,
    cost,
    spend,
    block,
    unblock,
    isBlocked,
    blockedSincePs,
    blockedPs,
    blocks,
    get,
    count,
    spent,
    epoch,
    requestWord,
    amount,
    onGrant,
    onAccept,
    onResync,
    onTimer,
  };
}
