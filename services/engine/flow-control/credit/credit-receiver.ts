import { CREDIT_STEP } from '../../contract/probe.js';
import type { Tables } from '../../kernel/tables.js';
import type { CreditAccounts } from './credit-accounts.js';
import type { CreditCarrier } from './credit-machine.js';
import {
  ahead,
  COUNT_MASK,
  isEagerYet,
  quickCost,
  SAY_ACCEPT,
  SAY_GRANT,
  SAY_RESYNC,
  totalOf,
  WINDOW_MOST,
} from './credit-machine.js';
import {
  ACTIVE_AT,
  CUMULATIVE,
  DEMANDED,
  FRAME,
  LIMIT,
  LIMIT_SAID,
  MODES,
  OCCUPIED,
  OCCUPIED_PEAK,
  OPENED,
  PASSED,
  RECEIVED,
  RECEIVER_EPOCH,
  RECORD_SHIFT,
  REFRESH_AT,
  REFRESH_PS,
  REFRESHED,
  REFRESHES,
  SHARES,
  STEP,
  TARGET,
  TIMES_SHIFT,
  UNIT,
  UNIT_SHIFT,
  UNASKED,
  UNSOLICITED,
  WANTED,
  WORDS_SHIFT,
} from './credit-records.js';
import type { Share } from './credit-shares.js';
import { shareOfBuffer } from './credit-shares.js';

// Doubles of an account that only some frames touch.

const SYNC_ASKED_AT = 0;
/** Units of lost frames and of aged credit that came home. */
export const RECOVERED = 1;
/** The neighbour says that it sent less than was seen. */
export const CONTRADICTIONS = 2;
export const RESYNCS = 3;
/** Units that came without having been granted: the neighbour goes by another method still. */
export const VIOLATIONS = 4;
/** PASSED when RECEIVED was last brought up to date. */
const RECEIVED_MARK = 5;
/** Since when it has been kept from its share, and when that was last so. */
const SHORT_SINCE = 6;
const SHORT_AT = 7;
/** How often it had to give back credit that it did not use. */
export const RECLAIMED = 8;
/** Since when nothing has been stored, if nothing is. */
const EMPTY_SINCE = 9;
const DOUBLES = 10;

/**
 * The receiving half of an account: it counts what came past and what is in the buffer, and grants
 * no more than the buffer can hold. In incremental mode the same counts are kept, and only what
 * they grew by is told.
 */
export type CreditReceiver = ReturnType<typeof makeCreditReceiver>;

export function makeCreditReceiver(
  tables: Tables,
  accounts: CreditAccounts,
  carrier: CreditCarrier,
) {
  const { clock, ears } = carrier;
  const { counts, words, times } = accounts.records;
  const doubles = tables.float64('credit', DOUBLES);
  for (let row = 0; row < accounts.count; row++) doubles[row * DOUBLES + SYNC_ASKED_AT] = -Infinity;
  for (let row = 0; row < accounts.count; row++) doubles[row * DOUBLES + SHORT_AT] = -Infinity;
  const sharers = { outstanding, isActive };
  const share: Share = { target: 0, entitled: 0 };

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

  /** The link partner may have requested already, before this end would have answered. */
  function invite(row: number): void {
    resynchronise(row);
  }

  /**
   * Closes the account until its sender begins a new epoch, whatever the reason: a contradiction,
   * a violation, or credit to be revoked. Nothing is granted meanwhile, and what the sender may
   * still use stays outstanding. Without effect on incremental counts, which know no epoch.
   */
  function resynchronise(row: number): void {
    if (!accounts.isCumulative(row)) return;
    if (isOpen(row)) close(row);
    changed(row);
    requestSync(row);
  }

  /** Nobody grants any more; what is in the buffer goes on being counted. */
  function stop(row: number): void {
    const r = row << RECORD_SHIFT;
    const w = row << WORDS_SHIFT;
    counts[r | MODES] &= ~OPENED;
    words[w | LIMIT] = words[w | PASSED];
    words[w | LIMIT_SAID] = words[w | PASSED];
  }

  /** The link has been down: whatever is in the buffer, the rest is granted anew. */
  function linkUp(row: number): void {
    if (accounts.isCumulative(row)) {
      startOver(row);
      return;
    }
    const w = row << WORDS_SHIFT;
    words[w | LIMIT] = words[w | PASSED];
    words[w | LIMIT_SAID] = words[w | PASSED];
    raise(row);
    carrier.say(row, SAY_GRANT);
  }

  /** All counts are forgotten; what is in the buffer goes on being there. */
  function startOver(row: number): void {
    stop(row);
    doubles[row * DOUBLES + SYNC_ASKED_AT] = -Infinity;
    refreshSoon(row);
  }

  /** No more credit is granted in this epoch than was sent, and less the more of it is used. */
  function close(row: number): void {
    const r = row << RECORD_SHIFT;
    addUp(row);
    counts[r | MODES] &= ~OPENED;
    const w = row << WORDS_SHIFT;
    const sent = words[w | LIMIT_SAID];
    const isUsedUp = ahead(sent, words[w | PASSED]) > WINDOW_MOST;
    words[w | LIMIT] = isUsedUp ? words[w | PASSED] : sent;
    doubles[row * DOUBLES + SYNC_ASKED_AT] = -Infinity;
  }

  /** Units of a frame that comes in. */
  function cost(row: number, octets: number): number {
    const r = row << RECORD_SHIFT;
    return quickCost(octets, counts[r | UNIT], counts[r | UNIT_SHIFT]);
  }

  /** A copy of a frame takes memory that the neighbour knows nothing of. */
  function storeCopy(row: number, units: number): void {
    words[(row << WORDS_SHIFT) | LIMIT] = limit(row);
    store(row, units);
  }

  function store(row: number, units: number): void {
    const w = row << WORDS_SHIFT;
    const after = words[w | OCCUPIED] + units;
    words[w | OCCUPIED] = after;
    if (after > words[w | OCCUPIED_PEAK]) words[w | OCCUPIED_PEAK] = after;
  }

  /** A frame came in intact. */
  function take(row: number, units: number): void {
    const r = row << RECORD_SHIFT;
    const w = row << WORDS_SHIFT;
    const modes = counts[r | MODES];
    store(row, units);
    if ((modes & OPENED) === 0) takeClosed(row, units);
    else {
      const passed = words[w | PASSED];
      const granted = ahead(words[w | LIMIT_SAID], passed);
      words[w | PASSED] = (passed + units) & COUNT_MASK;
      if (granted < units || granted > WINDOW_MOST) violated(row, units);
    }
    if ((modes & SHARES) !== 0) {
      times[(row << TIMES_SHIFT) | ACTIVE_AT] = clock.now;
      if ((modes & UNASKED) !== 0) counts[r | WANTED] = 1;
    }
    if (ears[0] !== 0) carrier.announce(row, CREDIT_STEP.RECEIVED, units);
  }

  /** So many units more were granted, by what has come so far. */
  function isGranted(row: number, units: number): boolean {
    const w = row << WORDS_SHIFT;
    const granted = ahead(words[w | (isOpen(row) ? LIMIT_SAID : LIMIT)], words[w | PASSED]);
    return granted >= units && granted <= WINDOW_MOST;
  }

  /** Of what a closed account had granted, less can still come. */
  function takeClosed(row: number, units: number): void {
    const w = row << WORDS_SHIFT;
    times[(row << TIMES_SHIFT) | RECEIVED] += units;
    const left = ahead(words[w | LIMIT], words[w | PASSED]) - units;
    words[w | LIMIT] = (words[w | PASSED] + (left > 0 ? left : 0)) & COUNT_MASK;
  }

  /** Units came that were never granted: the sender believes a total that this end never sent. */
  function violated(row: number, units: number): void {
    doubles[row * DOUBLES + VIOLATIONS] += units;
    resynchronise(row);
  }

  /** A frame's memory is free. */
  function free(row: number, units: number): void {
    const r = row << RECORD_SHIFT;
    const w = row << WORDS_SHIFT;
    const left = occupied(row) - units;
    words[(row << WORDS_SHIFT) | OCCUPIED] = left;
    if (left === 0) doubles[row * DOUBLES + EMPTY_SINCE] = clock.now;
    if (ears[0] !== 0) carrier.announce(row, CREDIT_STEP.ACCOUNTED, units);
    const modes = counts[r | MODES];
    const stands = modes & (OPENED | SHARES | REFRESHED);
    if (stands === OPENED ? isTooLittle(row, left) : (modes & OPENED) === 0) return;
    raise(row);
    const untold = ahead(words[w | LIMIT], words[w | LIMIT_SAID]);
    if (untold === 0 || (modes & UNSOLICITED) === 0) return;
    const step = words[w | STEP];
    if (untold < step && (left >= step || !isShort(row))) return;
    carrier.say(row, SAY_GRANT);
  }

  /**
   * What is free is not worth a grant yet. Where the target is fixed and nothing was said again,
   * nothing need be kept of it: until a copy is stored the limit only grows, and follows from the
   * other counts.
   */
  function isTooLittle(row: number, left: number): boolean {
    const r = row << RECORD_SHIFT;
    const w = row << WORDS_SHIFT;
    const passed = words[w | PASSED];
    const said = words[w | LIMIT_SAID];
    const step = words[w | STEP];
    if (ahead(passed + words[w | TARGET] - left, said) >= step) return false;
    return left >= step || ahead(said, passed) >= counts[r | FRAME];
  }

  function get(row: number, field: number): number {
    return doubles[row * DOUBLES + field];
  }

  /** The highest count granted. */
  function limit(row: number): number {
    const r = row << RECORD_SHIFT;
    const w = row << WORDS_SHIFT;
    const follows = (counts[r | MODES] & (OPENED | SHARES)) === OPENED;
    return follows ? limitFor(row, words[w | TARGET]) : words[w | LIMIT];
  }

  /** Within an epoch a limit never goes back. */
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
    return occupied(row) === 0 ? doubles[row * DOUBLES + EMPTY_SINCE] : null;
  }

  function occupiedPeak(row: number): number {
    return words[(row << WORDS_SHIFT) | OCCUPIED_PEAK];
  }

  /** Units received so far, over all epochs. */
  function received(row: number): number {
    const more = ahead(count(row, PASSED), doubles[row * DOUBLES + RECEIVED_MARK]);
    return times[(row << TIMES_SHIFT) | RECEIVED] + more;
  }

  function isOpen(row: number): boolean {
    return (counts[(row << RECORD_SHIFT) | MODES] & OPENED) !== 0;
  }

  function epoch(row: number): number {
    return counts[(row << RECORD_SHIFT) | RECEIVER_EPOCH];
  }

  /** Units that the link partner may still send, or has in the buffer. */
  function outstanding(row: number): number {
    const w = row << WORDS_SHIFT;
    return ahead(words[w | LIMIT], words[w | PASSED]) + occupied(row);
  }

  /** Whether the neighbour has shown lately that it needs credit. */
  function isActive(row: number): boolean {
    if (counts[(row << RECORD_SHIFT) | WANTED] === 0) return false;
    const { idlePs } = accounts.specOf(row).granting;
    return clock.now - times[(row << TIMES_SHIFT) | ACTIVE_AT] < idlePs;
  }

  /** What an answer says; it is on its way when this is read. */
  function answerWord(row: number): number {
    const r = row << RECORD_SHIFT;
    const w = row << WORDS_SHIFT;
    const modes = counts[r | MODES];
    counts[r | MODES] &= ~DEMANDED;
    // Where grants are answers to demands only, a report is answered with what was granted before.
    const repeats = (modes & (CUMULATIVE | UNSOLICITED | DEMANDED)) === CUMULATIVE;
    const now = repeats ? words[w | LIMIT_SAID] : limit(row);
    const word = accounts.isCumulative(row) ? now : ahead(now, words[w | LIMIT_SAID]);
    if (!repeats) words[w | LIMIT] = now;
    words[w | LIMIT_SAID] = now;
    addUp(row);
    // It is the total: what was to be said again is said.
    if (counts[r | REFRESHES] === 0) {
      times[(row << TIMES_SHIFT) | REFRESH_AT] =
        clock.now + times[(row << TIMES_SHIFT) | REFRESH_PS];
    }
    carrier.announce(row, CREDIT_STEP.GRANTED, word);
    return word;
  }

  function onSync(row: number, epoch: number, word: number): void {
    const r = row << RECORD_SHIFT;
    const w = row << WORDS_SHIFT;
    // Said twice, it may come long after frames of its epoch: what they counted stands.
    const isNew = !isOpen(row) || counts[r | RECEIVER_EPOCH] !== epoch;
    if (isNew) {
      jump(row, word);
      words[w | LIMIT] = word;
      words[w | LIMIT_SAID] = word;
      counts[r | RECEIVER_EPOCH] = epoch;
      counts[r | MODES] |= OPENED;
      doubles[row * DOUBLES + RESYNCS]++;
    }
    counts[r | MODES] |= DEMANDED;
    raise(row);
    changed(row);
    carrier.say(row, SAY_ACCEPT);
    if (isNew && (counts[r | MODES] & SHARES) !== 0) raiseOthers(row);
  }

  /** A demand, or a report, of what the neighbour has used in all. */
  function onRequest(row: number, epoch: number, word: number, isReport: boolean): void {
    if (accounts.isCumulative(row) && !compare(row, epoch, word)) return;
    if (!isReport) {
      counts[(row << RECORD_SHIFT) | WANTED] = 1;
      counts[(row << RECORD_SHIFT) | MODES] |= DEMANDED;
      times[(row << TIMES_SHIFT) | ACTIVE_AT] = clock.now;
    }
    raise(row);
    // A demand is always answered, if only by saying again what was said.
    if (!isReport || answersReport(row)) carrier.say(row, SAY_GRANT);
  }

  /**
   * A sender that never demands credit may lack a total that was lost, and a receiver that repeats
   * none by itself learns of no wrong one: reports are answered there, unless a total follows soon.
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

  /** Does what is due; returns when to look again. */
  function onTimer(row: number): number {
    if (!refreshes(row)) return Infinity;
    const t = row << TIMES_SHIFT;
    const { now } = carrier.clock;
    if (now < times[t | REFRESH_AT]) return times[t | REFRESH_AT];
    if (!isOpen(row)) requestSync(row);
    else {
      raise(row);
      carrier.say(row, SAY_GRANT);
    }
    counts[(row << RECORD_SHIFT) | MODES] |= REFRESHED;
    const isEager = isEagerYet(counts, (row << RECORD_SHIFT) | REFRESHES) || mayBeStuck(row);
    const wait = isEager ? times[t | REFRESH_PS] : accounts.specOf(row).keepAlivePs;
    times[t | REFRESH_AT] = now + wait;
    return times[t | REFRESH_AT];
  }

  /** The sender may lack credit, and a lost message is what it lacks: it may not demand any. */
  function mayBeStuck(row: number): boolean {
    if (!isOpen(row)) return true;
    const modes = counts[(row << RECORD_SHIFT) | MODES];
    if ((modes & UNASKED) === 0 || !isShort(row)) return false;
    return (modes & SHARES) === 0 || isActive(row);
  }

  /** False if the counts cannot be compared: the link partner has to start over. */
  function compare(row: number, epoch: number, word: number): boolean {
    const r = row << RECORD_SHIFT;
    const w = row << WORDS_SHIFT;
    if (!isOpen(row)) {
      requestSync(row);
      return false;
    }
    if (epoch !== counts[r | RECEIVER_EPOCH]) {
      // One that is late says nothing against this epoch, until the next says the same.
      if (maySyncAgain(row)) resynchronise(row);
      return false;
    }
    const passed = words[w | PASSED];
    const total = accounts.specOf(row).granting.isWide ? word : totalOf(word, passed);
    const missing = ahead(total, passed);
    // A sender has used neither less than was received, nor more than was ever granted.
    if (missing > ahead(words[w | LIMIT_SAID], passed)) {
      doubles[row * DOUBLES + CONTRADICTIONS]++;
      resynchronise(row);
      return false;
    }
    doubles[row * DOUBLES + RECOVERED] += missing;
    if (missing !== 0) jump(row, total);
    return true;
  }

  /** Units came past, or never will, that were not received. */
  function jump(row: number, passed: number): void {
    addUp(row);
    const w = row << WORDS_SHIFT;
    words[w | PASSED] = passed;
    doubles[row * DOUBLES + RECEIVED_MARK] = passed;
  }

  /** In time: a word holds all that can come from one answer to the next. */
  function addUp(row: number): void {
    const w = row << WORDS_SHIFT;
    const mark = row * DOUBLES + RECEIVED_MARK;
    times[(row << TIMES_SHIFT) | RECEIVED] += ahead(words[w | PASSED], doubles[mark]);
    doubles[mark] = words[w | PASSED];
  }

  function requestSync(row: number): void {
    if (!maySyncAgain(row)) return;
    doubles[row * DOUBLES + SYNC_ASKED_AT] = clock.now;
    carrier.say(row, SAY_RESYNC);
  }

  /** Whether the answer to an earlier request would have come. */
  function maySyncAgain(row: number): boolean {
    return (
      clock.now - doubles[row * DOUBLES + SYNC_ASKED_AT] >= accounts.specOf(row).granting.tellPs
    );
  }

  /** The neighbour may lack the credit for a frame. */
  function isShort(row: number): boolean {
    const r = row << RECORD_SHIFT;
    const w = row << WORDS_SHIFT;
    return ahead(words[w | LIMIT_SAID], words[w | PASSED]) < counts[r | FRAME];
  }

  /** Grants what the buffer allows now. */
  function raise(row: number): void {
    const r = row << RECORD_SHIFT;
    const w = row << WORDS_SHIFT;
    const shares = (counts[r | MODES] & SHARES) !== 0;
    const target = shares ? shareOf(row) : words[w | TARGET];
    const limit = limitFor(row, target);
    if (limit === words[w | LIMIT]) return;
    words[w | LIMIT] = limit;
    if (counts[r | REFRESHES] !== 0) changed(row);
  }

  /** What an account may have outstanding; others give back what keeps it from its share. */
  function shareOf(row: number): number {
    shareOfBuffer(sharers, accounts, row, share);
    const { target, entitled } = share;
    if (target < entitled && accounts.isCumulative(row)) reclaim(row);
    else doubles[row * DOUBLES + SHORT_AT] = -Infinity;
    return target;
  }

  /**
   * An active account has less than its share. Who sends gives back what he has beyond his own in
   * a loop; who does not is made to by a resynchronisation after that.
   */
  function reclaim(row: number): void {
    const { granting, channels } = accounts.specOf(row);
    const d = row * DOUBLES;
    const { now } = clock;
    const isAnew = now - doubles[d + SHORT_AT] >= granting.idlePs;
    doubles[d + SHORT_AT] = now;
    if (isAnew) doubles[d + SHORT_SINCE] = now;
    if (now - doubles[d + SHORT_SINCE] < granting.tellPs) return;
    doubles[d + SHORT_SINCE] = now;
    for (let slot = 0; slot < channels.length; slot++) {
      const other = accounts.row(accounts.port(row), slot, accounts.priority(row));
      if (other === row || !isOpen(other) || unusedLoan(other) < granting.frameUnits) continue;
      doubles[other * DOUBLES + RECLAIMED]++;
      resynchronise(other);
    }
  }

  /** Units that an account has beyond its share, and has not used. */
  function unusedLoan(row: number): number {
    const w = row << WORDS_SHIFT;
    shareOfBuffer(sharers, accounts, row, share);
    const unused = ahead(words[w | LIMIT], words[w | PASSED]);
    return Math.min(unused, outstanding(row) - share.entitled);
  }

  /** An account has given back what it had: those that share its buffer are granted more. */
  function raiseOthers(row: number): void {
    const { channels } = accounts.specOf(row);
    for (let slot = 0; slot < channels.length; slot++) {
      const other = accounts.row(accounts.port(row), slot, accounts.priority(row));
      if (other === row || !isOpen(other) || !isActive(other)) continue;
      raise(other);
      const w = other << WORDS_SHIFT;
      if ((counts[(other << RECORD_SHIFT) | MODES] & UNSOLICITED) === 0) continue;
      if (words[w | LIMIT] !== words[w | LIMIT_SAID]) carrier.say(other, SAY_GRANT);
    }
  }

  /** Something is different: the neighbour hears of it soon, and again. */
  function changed(row: number): void {
    counts[(row << RECORD_SHIFT) | MODES] &= ~REFRESHED;
    counts[(row << RECORD_SHIFT) | REFRESHES] = 0;
    if (refreshes(row)) refreshSoon(row);
  }

  function refreshes(row: number): boolean {
    const both = CUMULATIVE | UNSOLICITED;
    return (counts[(row << RECORD_SHIFT) | MODES] & both) === both;
  }

  function refreshSoon(row: number): void {
    const t = row << TIMES_SHIFT;
    const { now } = carrier.clock;
    const soon = now + times[t | REFRESH_PS];
    if (times[t | REFRESH_AT] <= soon && times[t | REFRESH_AT] > now) return;
    times[t | REFRESH_AT] = soon;
    carrier.wake(row, soon);
  }

  return {
    start,
    invite,
    resynchronise,
    stop,
    linkUp,
    startOver,
    cost,
    storeCopy,
    take,
    isGranted,
    free,
    get,
    count,
    occupied,
    emptySincePs,
    occupiedPeak,
    limit,
    received,
    isOpen,
    epoch,
    outstanding,
    isActive,
    answerWord,
    onSync,
    onRequest,
    onTimer,
  };
}
