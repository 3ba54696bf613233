import { GRANT_STEP } from '../../engine/contract/probe.js';
import type { Tables } from '../../engine/kernel/tables.js';
import type { CreditAccounts } from './accounts.js';
import {
  ahead,
  COUNT_MASK,
  type CreditCarrier,
  isEagerYet,
  quickCost,
  SAY_ACCEPT,
  SAY_GRANT,
  SAY_RESYNC,
  totalOf,
  WINDOW_MOST,
} from './machine.js';
import {
  ACTIVE_AT,
  CONTRADICTIONS,
  CUMULATIVE,
  DEMANDED,
  EMPTY_SINCE,
  FRAME,
  LIMIT,
  LIMIT_SENT,
  MODES,
  OCCUPIED,
  OCCUPIED_PEAK,
  OPENED,
  PASSED,
  RECEIVED,
  RECEIVED_MARK,
  RECEIVER_DOUBLES,
  RECEIVER_FIELDS,
  RECEIVER_EPOCH,
  RECLAIMED,
  RECORD_SHIFT,
  RECOVERED,
  REFRESHED,
  REFRESHES,
  REFRESH_AT,
  REFRESH_PS,
  REFUSED,
  RESYNCS,
  SHAPED,
  SHARES,
  STEP,
  SYNC_ASKED_AT,
  TARGET,
  TIMES_SHIFT,
  UNASKED,
  UNIT,
  UNIT_SHIFT,
  UNSOLICITED,
  VIOLATIONS,
  WANTED,
  WORDS_SHIFT,
} from './records.js';
import { makeLateTotals } from './late-totals.js';
import { makeCreditLoans } from './loans.js';
import { makeCreditRefusals } from './refusals.js';
import { makeCreditRequests } from './requests.js';
import { makeCreditShaper } from './shaper.js';
import { assert } from '../../engine/kernel/assert.js';

/** Modes of an account whose limit follows from its other counts, and that repeats its limits. */
const FOLLOWS = OPENED | UNSOLICITED;
const FOLLOWING = OPENED | UNSOLICITED | SHARES | SHAPED;
const REPEATS = CUMULATIVE | UNSOLICITED;

/**
 * The receiving half of an account: it counts what was received and what is in the buffer, and
 * grants no more than the buffer can store. In incremental mode the same counts are kept, and
 * messages carry their increments.
 */
export type CreditReceiver = ReturnType<typeof makeCreditReceiver>;

export function makeCreditReceiver(
  tables: Tables,
  accounts: CreditAccounts,
  carrier: CreditCarrier,
) {
  const { clock, hasListeners } = carrier;
  const { counts, words, times } = accounts.records;
  const doubles = tables.float64('credit', RECEIVER_FIELDS);
  for (let row = 0; row < accounts.count; row++)
    doubles[row * RECEIVER_DOUBLES + SYNC_ASKED_AT] = -Infinity;
  const lender = { occupied, outstanding, isActive, isOpen, unused, reclaim };
  const loans = makeCreditLoans(tables, accounts, clock, lender);
  const requests = makeCreditRequests(tables);
  const refusals = makeCreditRefusals(accounts, carrier, loans, requestSync);
  const lateTotals = makeLateTotals(tables, accounts, clock);
  const shaper = makeCreditShaper(tables, accounts, carrier);

  /** The link is up. */
  function start(row: number): void {
    if (accounts.isCumulative(row)) {
      refreshSoon(row);
      return;
    }
    counts[(row << RECORD_SHIFT) | MODES] |= OPENED;
    raise(row);
    carrier.say(row, SAY_GRANT);
  }

  /**
   * Closes the account until its sender begins a new epoch, whatever the reason: a contradiction, a
   * violation, or credit to be revoked. Nothing is granted meanwhile, and what the sender may still
   * use remains outstanding. No effect on incremental counts, which have no epoch.
   */
  function resynchronise(row: number): void {
    if (!accounts.isCumulative(row)) return;
    if (isOpen(row)) close(row);
    changed(row);
    requestSync(row);
  }

  /** Grants nothing any more; what is in the buffer is still counted. */
  function stop(row: number): void {
    const r = row << RECORD_SHIFT;
    const w = row << WORDS_SHIFT;
    counts[r | MODES] &= ~(OPENED | REFUSED);
    words[w | LIMIT] = words[w | LIMIT_SENT] = words[w | PASSED];
    shaper.leave(row);
  }

  /** The link has been down: the buffer, without what is stored, is granted again. */
  function linkUp(row: number): void {
    if (accounts.isCumulative(row)) startOver(row);
    else {
      const w = row << WORDS_SHIFT;
      words[w | LIMIT] = words[w | LIMIT_SENT] = words[w | PASSED];
      requests.add(row, 0, 0);
      raise(row);
      carrier.say(row, SAY_GRANT);
    }
  }

  /** Resets all counts but that of the buffer. */
  function startOver(row: number): void {
    stop(row);
    doubles[row * RECEIVER_DOUBLES + SYNC_ASKED_AT] = -Infinity;
    refreshSoon(row);
  }

  /** Grants no more credit in this epoch than was advertised, and less the more of it is used. */
  function close(row: number): void {
    const r = row << RECORD_SHIFT;
    addUp(row);
    counts[r | MODES] &= ~OPENED;
    shaper.leave(row);
    const w = row << WORDS_SHIFT;
    const isUsedUp = ahead(words[w | LIMIT_SENT], words[w | PASSED]) > WINDOW_MOST;
    words[w | LIMIT] = words[w | (isUsedUp ? PASSED : LIMIT_SENT)];
    assert(unused(row) <= WINDOW_MOST, 'credit.closed-leaves-a-window');
    doubles[row * RECEIVER_DOUBLES + SYNC_ASKED_AT] = -Infinity;
  }

  /** Units of a received frame. */
  function cost(row: number, octets: number): number {
    const r = row << RECORD_SHIFT;
    return quickCost(octets, counts[r | UNIT], counts[r | UNIT_SHIFT]);
  }

  /** A copy of a frame takes buffer that the link partner does not count. */
  function storeCopy(row: number, units: number): void {
    words[(row << WORDS_SHIFT) | LIMIT] = limit(row);
    store(row, units);
  }

  function store(row: number, units: number): void {
    const w = row << WORDS_SHIFT;
    const after = words[w | OCCUPIED] + units;
    assert(units > 0 && after <= WINDOW_MOST, 'credit.stored-units');
    words[w | OCCUPIED] = after;
    if (after > words[w | OCCUPIED_PEAK]) words[w | OCCUPIED_PEAK] = after;
  }

  /** A frame was received intact: so many units, for so many octets. */
  function take(row: number, units: number, octets: number): void {
    const w = row << WORDS_SHIFT;
    const modes = counts[(row << RECORD_SHIFT) | MODES];
    store(row, units);
    if ((modes & OPENED) === 0) takeClosed(row, units);
    else {
      const passed = words[w | PASSED];
      const granted = ahead(words[w | LIMIT_SENT], passed);
      words[w | PASSED] = (passed + units) & COUNT_MASK;
      if (granted < units || granted > WINDOW_MOST) violated(row, units);
    }
    if ((modes & (SHARES | SHAPED)) !== 0) noteTaken(row, units, octets);
    if (hasListeners[0] !== 0) carrier.announce(row, GRANT_STEP.RECEIVED, units);
  }

  /** For the accounts that share its buffer, and for its shaper. */
  function noteTaken(row: number, units: number, octets: number): void {
    const modes = counts[(row << RECORD_SHIFT) | MODES];
    if ((modes & SHARES) !== 0) {
      times[(row << TIMES_SHIFT) | ACTIVE_AT] = clock.now;
      if ((modes & UNASKED) !== 0) counts[(row << RECORD_SHIFT) | WANTED] = 1;
    }
    if ((modes & SHAPED) !== 0) shaper.settle(row, units, octets);
  }

  /** So many more units were granted, by what has been received so far. */
  function isGranted(row: number, units: number): boolean {
    const w = row << WORDS_SHIFT;
    const granted = ahead(words[w | (isOpen(row) ? LIMIT_SENT : LIMIT)], words[w | PASSED]);
    return granted >= units && granted <= WINDOW_MOST;
  }

  /** Of what a closed account had granted, less is outstanding. */
  function takeClosed(row: number, units: number): void {
    const w = row << WORDS_SHIFT;
    times[(row << TIMES_SHIFT) | RECEIVED] += units;
    const left = ahead(words[w | LIMIT], words[w | PASSED]) - units;
    words[w | LIMIT] = (words[w | PASSED] + (left > 0 ? left : 0)) & COUNT_MASK;
  }

  /** Units were received without a grant: the sender has used a total that was never sent. */
  function violated(row: number, units: number): void {
    doubles[row * RECEIVER_DOUBLES + VIOLATIONS] += units;
    resynchronise(row);
  }

  /** A frame's buffer is free. */
  function free(row: number, units: number): void {
    const r = row << RECORD_SHIFT;
    const w = row << WORDS_SHIFT;
    const left = occupied(row) - units;
    assert(units > 0 && left >= 0, 'credit.freed-was-stored');
    words[(row << WORDS_SHIFT) | OCCUPIED] = left;
    if (left === 0) doubles[row * RECEIVER_DOUBLES + EMPTY_SINCE] = clock.now;
    if (hasListeners[0] !== 0) carrier.announce(row, GRANT_STEP.ACCOUNTED, units);
    const modes = counts[r | MODES];
    const stands = modes & (OPENED | SHARES | REFRESHED | SHAPED);
    if (stands === OPENED ? isTooLittle(row, left) : (modes & OPENED) === 0) return;
    raise(row);
    const ungranted = ahead(words[w | LIMIT], words[w | LIMIT_SENT]);
    if (ungranted === 0 || (modes & UNSOLICITED) === 0) return;
    const step = words[w | STEP];
    if (ungranted < step && (left >= step || !isShort(row))) return;
    carrier.say(row, SAY_GRANT);
  }

  /**
   * What is free is not worth a grant yet. Where the target is fixed and nothing was repeated,
   * nothing need be stored: until a copy is stored the limit only grows, and is a function of the
   * other counts.
   */
  function isTooLittle(row: number, left: number): boolean {
    const r = row << RECORD_SHIFT;
    const w = row << WORDS_SHIFT;
    const passed = words[w | PASSED];
    const sent = words[w | LIMIT_SENT];
    const step = words[w | STEP];
    if (ahead(passed + words[w | TARGET] - left, sent) >= step) return false;
    return left >= step || ahead(sent, passed) >= counts[r | FRAME];
  }

  function get(row: number, field: number): number {
    return doubles[row * RECEIVER_DOUBLES + field];
  }

  /** The highest count granted. */
  function limit(row: number): number {
    const r = row << RECORD_SHIFT;
    const w = row << WORDS_SHIFT;
    const follows = (counts[r | MODES] & FOLLOWING) === FOLLOWS;
    return follows ? limitFor(row, words[w | TARGET]) : words[w | LIMIT];
  }

  /** Within an epoch a limit never decreases. */
  function limitFor(row: number, target: number): number {
    const w = row << WORDS_SHIFT;
    const limit = (words[w | PASSED] + target - occupied(row)) & COUNT_MASK;
    return ahead(limit, words[w | LIMIT]) > WINDOW_MOST ? words[w | LIMIT] : limit;
  }

  function count(row: number, word: number): number {
    return words[(row << WORDS_SHIFT) | word];
  }

  function occupied(row: number): number {
    return words[(row << WORDS_SHIFT) | OCCUPIED];
  }

  /** Since when nothing has been stored; null while something is. */
  function emptySincePs(row: number): number | null {
    return occupied(row) === 0 ? doubles[row * RECEIVER_DOUBLES + EMPTY_SINCE] : null;
  }

  function occupiedPeak(row: number): number {
    return words[(row << WORDS_SHIFT) | OCCUPIED_PEAK];
  }

  /** Units received so far, over all epochs. */
  function received(row: number): number {
    const more = ahead(count(row, PASSED), doubles[row * RECEIVER_DOUBLES + RECEIVED_MARK]);
    return times[(row << TIMES_SHIFT) | RECEIVED] + more;
  }

  function isOpen(row: number): boolean {
    return (counts[(row << RECORD_SHIFT) | MODES] & OPENED) !== 0;
  }

  function epoch(row: number): number {
    return counts[(row << RECORD_SHIFT) | RECEIVER_EPOCH];
  }

  /** Units that the link partner may still send, or that are in the buffer. */
  function outstanding(row: number): number {
    return unused(row) + occupied(row);
  }

  /** Of these, what it may still send. */
  function unused(row: number): number {
    const w = row << WORDS_SHIFT;
    return ahead(words[w | LIMIT], words[w | PASSED]);
  }

  /** Whether the link partner has recently shown that it needs credit. */
  function isActive(row: number): boolean {
    if (counts[(row << RECORD_SHIFT) | WANTED] === 0) return false;
    const { idlePs } = accounts.specOf(row).granting;
    return clock.now - times[(row << TIMES_SHIFT) | ACTIVE_AT] < idlePs;
  }

  /** Word of an answer; it is sent when this is read. */
  function answerWord(row: number): number {
    const r = row << RECORD_SHIFT;
    const w = row << WORDS_SHIFT;
    const modes = counts[r | MODES];
    counts[r | MODES] &= ~DEMANDED;
    // Where grants are only answers to demands, a report is answered with what was granted before.
    const repeats = (modes & (CUMULATIVE | UNSOLICITED | DEMANDED)) === CUMULATIVE;
    if (!repeats && (modes & UNSOLICITED) === 0) raise(row);
    const now = repeats ? words[w | LIMIT_SENT] : limit(row);
    const word = accounts.isCumulative(row) ? now : ahead(now, words[w | LIMIT_SENT]);
    if (!repeats) words[w | LIMIT] = now;
    if (!repeats) requests.answer(row, now);
    words[w | LIMIT_SENT] = now;
    addUp(row);
    // It is the total: a pending repetition is done.
    if (counts[r | REFRESHES] === 0) {
      times[(row << TIMES_SHIFT) | REFRESH_AT] =
        clock.now + times[(row << TIMES_SHIFT) | REFRESH_PS];
    }
    carrier.announce(row, GRANT_STEP.GRANTED, word);
    return word;
  }

  /** A new epoch, with a request as in `onDemand`. */
  function onSync(row: number, epoch: number, word: number, amount: number): void {
    const r = row << RECORD_SHIFT;
    const w = row << WORDS_SHIFT;
    // A repetition may arrive long after frames of its epoch: their counts remain.
    const isNew = !isOpen(row) || counts[r | RECEIVER_EPOCH] !== epoch;
    if (isNew && !loans.hasRoom(row)) {
      refusals.add(row);
      return;
    }
    if (isNew) {
      jump(row, word);
      words[w | LIMIT] = words[w | LIMIT_SENT] = word;
      lateTotals.inTime(row);
      counts[r | RECEIVER_EPOCH] = epoch;
      counts[r | MODES] = (counts[r | MODES] & ~REFUSED) | OPENED;
      doubles[row * RECEIVER_DOUBLES + RESYNCS]++;
      requests.add(row, word, amount);
    }
    counts[r | MODES] |= DEMANDED;
    raise(row);
    changed(row);
    carrier.say(row, SAY_ACCEPT);
    if (isNew && (counts[r | MODES] & SHARES) !== 0) raiseOthers(row);
  }

  /** What the link partner has used in all. */
  function onReport(row: number, epoch: number, word: number): void {
    if (accounts.isCumulative(row) && !compare(row, epoch, word)) return;
    raise(row);
    if (answersReport(row)) carrier.say(row, SAY_GRANT);
  }

  /** The same, and a request for credit: for so many units, or (0) for as much as there is. */
  function onDemand(row: number, epoch: number, word: number, amount: number): void {
    const isCumulative = accounts.isCumulative(row);
    if (isCumulative && !compare(row, epoch, word)) return;
    counts[(row << RECORD_SHIFT) | WANTED] = 1;
    counts[(row << RECORD_SHIFT) | MODES] |= DEMANDED;
    times[(row << TIMES_SHIFT) | ACTIVE_AT] = clock.now;
    requests.add(row, words[(row << WORDS_SHIFT) | (isCumulative ? PASSED : LIMIT_SENT)], amount);
    raise(row);
    // A demand is always answered, if only by a repetition.
    carrier.say(row, SAY_GRANT);
  }

  /**
   * A sender that never demands credit may lack a total that was lost, and a receiver that does not
   * repeat its totals would not detect a wrong one: reports are answered there, unless a total
   * follows soon.
   */
  function answersReport(row: number): boolean {
    const modes = counts[(row << RECORD_SHIFT) | MODES];
    if ((modes & CUMULATIVE) === 0) return false;
    if ((modes & UNSOLICITED) === 0) return true;
    if ((modes & UNASKED) === 0) return false;
    const t = row << TIMES_SHIFT;
    if (times[t | REFRESH_AT] - clock.now <= times[t | REFRESH_PS]) return false;
    times[t | REFRESH_AT] = clock.now + accounts.specOf(row).keepAlivePs;
    return true;
  }

  /** Does what is due; returns when it is to be called next. */
  function onTimer(row: number): number {
    const refreshAt = Math.min(refreshAgain(row), refusals.onTimer(row));
    return shaper.isWaiting(row) ? Math.min(refreshAt, grantPaced(row)) : refreshAt;
  }

  /** Grants as much as there are tokens for. */
  function grantPaced(row: number): number {
    const dueAt = shaper.dueAt(row);
    if (clock.now < dueAt) return dueAt;
    raise(row);
    const isUnsolicited = (counts[(row << RECORD_SHIFT) | MODES] & UNSOLICITED) !== 0;
    if (isUnsolicited && count(row, LIMIT) !== count(row, LIMIT_SENT)) carrier.say(row, SAY_GRANT);
    return Math.max(clock.now + 1, shaper.dueAt(row));
  }

  function refreshAgain(row: number): number {
    if (!refreshes(row)) return Infinity;
    const t = row << TIMES_SHIFT;
    if (clock.now < times[t | REFRESH_AT]) return times[t | REFRESH_AT];
    if (!isOpen(row)) requestSync(row);
    else {
      raise(row);
      carrier.say(row, SAY_GRANT);
    }
    counts[(row << RECORD_SHIFT) | MODES] |= REFRESHED;
    const isEager = isEagerYet(counts, (row << RECORD_SHIFT) | REFRESHES) || mayBeStuck(row);
    const wait = isEager ? times[t | REFRESH_PS] : accounts.specOf(row).keepAlivePs;
    times[t | REFRESH_AT] = clock.now + wait;
    return times[t | REFRESH_AT];
  }

  /** The sender may lack credit because a message was lost, and may not demand any. */
  function mayBeStuck(row: number): boolean {
    if (!isOpen(row)) return true;
    const modes = counts[(row << RECORD_SHIFT) | MODES];
    if ((modes & UNASKED) === 0 || !isShort(row)) return false;
    return (modes & SHARES) === 0 || isActive(row);
  }

  /** False if the counts cannot be compared: the link partner has to begin a new epoch. */
  function compare(row: number, epoch: number, word: number): boolean {
    const w = row << WORDS_SHIFT;
    if (!isOpen(row)) {
      requestSync(row);
      return false;
    }
    if (epoch !== counts[(row << RECORD_SHIFT) | RECEIVER_EPOCH]) {
      // A late message says nothing about this epoch, until the next repeats it.
      if (maySyncAgain(row)) resynchronise(row);
      return false;
    }
    const passed = words[w | PASSED];
    const total = accounts.specOf(row).granting.isWide ? word : totalOf(word, passed);
    const missing = ahead(total, passed);
    if (missing > WINDOW_MOST && lateTotals.mayBeRight(row, total, passed)) return true;
    // A sender has used neither less than was received, nor more than was ever granted.
    if (missing > ahead(words[w | LIMIT_SENT], passed)) {
      doubles[row * RECEIVER_DOUBLES + CONTRADICTIONS]++;
      resynchronise(row);
      return false;
    }
    assert(missing <= WINDOW_MOST, 'credit.recovered-units');
    doubles[row * RECEIVER_DOUBLES + RECOVERED] += missing;
    if (missing !== 0) {
      jump(row, total);
      carrier.announce(row, GRANT_STEP.RECOVERED, missing);
    }
    lateTotals.inTime(row);
    return true;
  }

  /** Units were sent, or never will be, that were not received. */
  function jump(row: number, passed: number): void {
    addUp(row);
    words[(row << WORDS_SHIFT) | PASSED] = passed;
    doubles[row * RECEIVER_DOUBLES + RECEIVED_MARK] = passed;
  }

  /** In time: a word holds all that can be received from one answer to the next. */
  function addUp(row: number): void {
    const w = row << WORDS_SHIFT;
    const mark = row * RECEIVER_DOUBLES + RECEIVED_MARK;
    times[(row << TIMES_SHIFT) | RECEIVED] += ahead(words[w | PASSED], doubles[mark]);
    doubles[mark] = words[w | PASSED];
  }

  function requestSync(row: number): void {
    if (!maySyncAgain(row)) return;
    doubles[row * RECEIVER_DOUBLES + SYNC_ASKED_AT] = clock.now;
    carrier.say(row, SAY_RESYNC);
  }

  /** Whether the answer to an earlier request would have come. */
  function maySyncAgain(row: number): boolean {
    const { resyncPs } = accounts.specOf(row).granting;
    return clock.now - doubles[row * RECEIVER_DOUBLES + SYNC_ASKED_AT] >= resyncPs;
  }

  /** The link partner may lack the credit for a frame. */
  function isShort(row: number): boolean {
    const w = row << WORDS_SHIFT;
    return ahead(words[w | LIMIT_SENT], words[w | PASSED]) < counts[(row << RECORD_SHIFT) | FRAME];
  }

  /** Grants what the buffer allows now. */
  function raise(row: number): void {
    const w = row << WORDS_SHIFT;
    const follows = (counts[(row << RECORD_SHIFT) | MODES] & FOLLOWING & ~OPENED) === UNSOLICITED;
    const limit = follows ? limitFor(row, words[w | TARGET]) : limitByModes(row);
    if (limit === words[w | LIMIT]) return;
    assert(ahead(limit, words[w | LIMIT]) <= WINDOW_MOST, 'credit.limit-grows');
    words[w | LIMIT] = limit;
    if (counts[(row << RECORD_SHIFT) | REFRESHES] !== 0) changed(row);
  }

  /** What other accounts, requests and the shaper leave of it. */
  function limitByModes(row: number): number {
    const w = row << WORDS_SHIFT;
    const modes = counts[(row << RECORD_SHIFT) | MODES];
    const backed = limitFor(row, (modes & SHARES) !== 0 ? loans.shareOf(row) : words[w | TARGET]);
    const before = words[w | LIMIT];
    const limit = (modes & UNSOLICITED) !== 0 ? backed : requests.bound(row, backed, before);
    if ((modes & SHAPED) === 0) return limit;
    return (before + shaper.grant(row, ahead(limit, before))) & COUNT_MASK;
  }

  function reclaim(row: number): void {
    doubles[row * RECEIVER_DOUBLES + RECLAIMED]++;
    resynchronise(row);
  }

  /** An account has returned credit: those that share its buffer are granted more. */
  function raiseOthers(row: number): void {
    const { channels } = accounts.specOf(row);
    for (let slot = 0; slot < channels.length; slot++) {
      const other = accounts.row(accounts.port(row), slot, accounts.priority(row));
      if (other === row || !isOpen(other) || !isActive(other)) continue;
      raise(other);
      const w = other << WORDS_SHIFT;
      if ((counts[(other << RECORD_SHIFT) | MODES] & UNSOLICITED) === 0) continue;
      if (words[w | LIMIT] !== words[w | LIMIT_SENT]) carrier.say(other, SAY_GRANT);
    }
  }

  /** The limit has changed: it is advertised soon, and repeated. */
  function changed(row: number): void {
    counts[(row << RECORD_SHIFT) | MODES] &= ~REFRESHED;
    counts[(row << RECORD_SHIFT) | REFRESHES] = 0;
    if (refreshes(row)) refreshSoon(row);
  }

  function refreshes(row: number): boolean {
    return (counts[(row << RECORD_SHIFT) | MODES] & REPEATS) === REPEATS;
  }

  function refreshSoon(row: number): void {
    const t = row << TIMES_SHIFT;
    const soon = clock.now + times[t | REFRESH_PS];
    if (times[t | REFRESH_AT] <= soon && times[t | REFRESH_AT] > clock.now) return;
    times[t | REFRESH_AT] = soon;
    carrier.wake(row, soon);
  }

  return {
    start,
    isRecalled: loans.isRecalled,
    waitsForRoom: refusals.isWaiting,
    ...{ resynchronise, stop, linkUp, startOver, cost, storeCopy, take, isGranted, free },
    ...{ get, count, occupied, emptySincePs },
    isExhausted: loans.isExhausted,
    crowdedFrom: (row: number) => accounts.crowdedFrom(row),
    occupiedPeak,
    limit,
    received,
    isOpen,
    epoch,
    outstanding,
    isActive,
    answerWord,
    onSync,
    onReport,
    onDemand,
    onTimer,
  };
}
