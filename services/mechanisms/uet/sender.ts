/**
 * The sending end: which packet goes next, on which path, and whether the window admits it. What
 * was sent leaves the window as the receiver counts what it has received, in whatever order; the
 * bitmap only says what is missing. It relies on a window of packets, so that a bit, a time and an
 * EV of a ring stand for one packet each.
 */

import { firstBroken } from '../../engine/contract/broken.js';
import type { SendSpec } from '../../engine/contract/spec.js';
import type {
  TrackedRows,
  TransportEnds,
  TransportSender,
} from '../../engine/contract/transport.js';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import {
  CLASS,
  ECHO_FLAG,
  HASH,
  KIND_MASK,
  KIND_NAK,
  REMAINING,
  SEQUENCE,
} from '../../engine/frame/frame-pool.js';
import { assert } from '../../engine/kernel/assert.js';
import {
  clear,
  countFrom,
  firstMissing,
  firstPresent,
  has,
  set,
} from '../../engine/kernel/bit-window.js';
import { assertFields, field } from '../../engine/kernel/fields.js';
import { unknown } from '../../engine/kernel/kinds.js';
import type { Tables } from '../../engine/kernel/tables.js';
import type { FrameRef } from '../../engine/units/indices.js';
import {
  CONTROL_CREDIT,
  NACK_TRIMMED_LAST_HOP,
  RECEIVED_MODULO,
  RECEIVED_UNIT,
} from '../../engine/wire/uet.js';
import { cameGood, entropyOf, hashOf, nextEntropy, penalise, PENALTY } from './entropy.js';
import {
  askFor,
  beginCredit,
  brokenCredit,
  CREDIT_WORDS,
  endSpeculation,
  grantCredit,
  hasCredit,
  isUnheard,
  spendCredit,
} from './credit.js';
import { ofSenders } from './invariants.js';
import type { Window } from './layout.js';
import { baseOf, bitmapOf, offsetOf, outOfOrderOf, unitsOf, windowOf } from './layout.js';
import type { Feedback } from './machine.js';
import {
  delayOf,
  initialise,
  IN_FLIGHT,
  NSCC_WORDS,
  onAck,
  onLoss,
  onTimeout,
  WINDOW,
} from './machine.js';
import type { UetSpec } from './spec.js';

// Words of a sending end behind those of NSCC, in doubles.

/** Up to here, without it, acknowledgements have cleared the bitmap. */
const CLEARED = NSCC_WORDS;
/** One past the highest packet that is known to have arrived. */
const SACKED_TO = NSCC_WORDS + 1;
/** Packets that are lost and not sent again: so many bits are set. */
const LOST = NSCC_WORDS + 2;
/** Until it is acknowledged, packets out of order tell no further loss. */
const RECOVER_TO = NSCC_WORDS + 3;
/** Units that the receiver had at the newest acknowledgement. */
const UNITS = NSCC_WORDS + 4;
/** When the newest packet was sent, and whether it requests an answer. */
const SENT_AT = NSCC_WORDS + 5;
const IS_ASKED = NSCC_WORDS + 6;
/** First word of its credit. */
const CREDIT = NSCC_WORDS + 7;
const STRIDE = CREDIT + CREDIT_WORDS;
assertFields(CREDIT - NSCC_WORDS, 0, 1, 2, 3, 4, 5, 6);

/** Not timed: it was sent more than once. */
const UNTIMED = -1;
/** Out of order by more than so many packets, and by so much of the window: a loss (SLEEK). */
const LOSS_PACKETS = 5;
const LOSS_WINDOWS = 1.5;

export function makeSender(
  tables: Tables,
  ends: TransportEnds,
  words: Int32Array,
): TransportSender {
  const state = tables.float64('transport', field('uet sender', unknown(0), STRIDE));
  const times = new Float64Array(words.buffer, words.byteOffset, words.length / 2);
  const octets = new Uint8Array(words.buffer, words.byteOffset, 4 * words.length);
  const specs: UetSpec[] = [];
  const sends: SendSpec[] = [];
  const windows: Window[] = [];
  const told: Feedback = { newOctets: 0, marked: false, delayPs: 0, now: 0 };

  function configure(c: number, send: SendSpec, rows: TrackedRows): void {
    specs[c] = send.transport as UetSpec;
    sends[c] = send;
    windows[c] = windowOf(specs[c], rows);
    const s = windows[c].row * STRIDE;
    const { nscc, credit } = specs[c];
    initialise(state, s, nscc);
    if (credit !== null) beginCredit(state, s + CREDIT, credit);
  }

  /** The oldest packet is always sent again: nothing else may be left to come. */
  function permittedAt(c: number): number {
    const [next, unacked, highest] = [ends.next(c), ends.unacked(c), ends.highest(c)];
    if (next === unacked && next < highest) return 0;
    const s = windows[c].row * STRIDE;
    const { credit, hasWindow, fullOctets, askPs } = specs[c];
    const isFull = hasWindow && state[s + WINDOW] < state[s + IN_FLIGHT] + fullOctets;
    if (!isFull && (credit === null || hasCredit(state, s + CREDIT))) return 0;
    if (!isFull && isUnheard(state, s + CREDIT)) return 0;
    // The window has shrunk, or the answer to all that was sent is lost: nothing else would come.
    const isQuiet = state[s + IS_ASKED] === 0 || unacked === highest;
    return isQuiet ? state[s + SENT_AT] + askPs : Infinity;
  }

  function departs(c: number, pool: FramePool, frame: FrameRef, isResent: boolean): void {
    const { row, bits, times: first, evs, lost, entropy: w } = windows[c];
    const { entropy: how, nscc, fullOctets, hasWindow, credit } = specs[c];
    const s = row * STRIDE;
    const { hash } = sends[c];
    const { words: fields, ends: further } = pool;
    const at = fields[frame + SEQUENCE] % bits;
    const entropy = nextEntropy(words, w, how, hash);
    fields[frame + HASH] = hashOf(hash, entropy, how);
    octets[4 * evs + at] = entropy;
    times[first + at] = isResent ? UNTIMED : ends.clock.now;
    if (isResent) found(s, lost, bits, fields[frame + SEQUENCE]);
    const isLast = further[frame + REMAINING] === 0;
    state[s + IN_FLIGHT] += octetsOf(c, fields[frame + SEQUENCE]);
    charge(c, pool, frame, isResent);
    const isFull =
      (hasWindow && state[s + WINDOW] < state[s + IN_FLIGHT] + fullOctets) ||
      (credit !== null && !hasCredit(state, s + CREDIT));
    // One packet that only asks for an answer may be beyond it.
    const isKept = isResent || !hasWindow || state[s + IN_FLIGHT] <= nscc.maxWindow + fullOctets;
    assert(isKept, 'uet.window-is-kept');
    const asks = isLast || isResent || isFull;
    if (asks) fields[frame + CLASS] |= ECHO_FLAG;
    state[s + SENT_AT] = ends.clock.now;
    state[s + IS_ASKED] = asks ? 1 : 0;
  }

  /** A packet takes credit, and says how much its sender wants in all. */
  function charge(c: number, pool: FramePool, frame: FrameRef, isResent: boolean): void {
    const { fullOctets, hasWindow, credit } = specs[c];
    if (credit === null) return;
    const s = windows[c].row * STRIDE;
    spendCredit(state, s + CREDIT, octetsOf(c, pool.words[frame + SEQUENCE]));
    const waiting = ends.waiting(c) - (isResent ? 0 : 1) + state[s + LOST];
    const window = hasWindow ? state[s + WINDOW] + fullOctets : Infinity;
    const octetsWaiting = Math.min(waiting * fullOctets, window);
    pool.setSlot(frame, askFor(state, s + CREDIT, credit, octetsWaiting));
  }

  function octetsOf(c: number, packet: number): number {
    const { fullOctets, lastOctets } = specs[c];
    const { packetsPerMessage } = sends[c];
    return (packet + 1) % packetsPerMessage === 0 ? lastOctets : fullOctets;
  }

  /** Losses are the transport's own business: no other rate control runs beside it. */
  function tellsLoss(): boolean {
    return false;
  }

  function answered(c: number, pool: FramePool, frame: FrameRef): boolean {
    const { row, first, bits, entropy: w } = windows[c];
    const { entropy: how, nscc, hasWindow, credit } = specs[c];
    const s = row * STRIDE;
    if (credit !== null) endSpeculation(state, s + CREDIT);
    const expected = pool.words[frame + SEQUENCE];
    const said = pool.said(frame);
    const counts = pool.ends[frame + REMAINING];
    if ((pool.words[frame + CLASS] & KIND_MASK) === KIND_NAK) {
      if (counts !== CONTROL_CREDIT) return refused(c, s, pool, frame);
      grantCredit(state, s + CREDIT, credit!, said);
      return true;
    }
    told.marked = (pool.words[frame + CLASS] & ECHO_FLAG) !== 0;
    told.now = ends.clock.now;
    told.delayPs = delay(c, s, expected + offsetOf(said));
    told.newOctets = received(s, unitsOf(counts));
    note(c, s, expected, said);
    if (ends.acknowledge(c, expected)) {
      forget(s, windows[c], expected);
      clear(words, first, bits, state[s + CLEARED], expected);
      state[s + CLEARED] = expected;
    }
    if (ends.unacked(c) === ends.highest(c)) state[s + IN_FLIGHT] = 0;
    const entropy = entropyOf(pool.words[frame + HASH], how);
    if (told.marked) penalise(words, w, entropy, PENALTY.marked);
    else cameGood(words, w, how, entropy);
    if (hasWindow) onAck(state, s, nscc, told);
    if (specs[c].sleek && isLoss(c, s, outOfOrderOf(counts))) loseHoles(c, s);
    turn(c, s);
    return true;
  }

  /** A switch has cut off the payload of a packet: it is lost, and its window is too large. */
  function refused(c: number, s: number, pool: FramePool, frame: FrameRef): boolean {
    const { first, bits, lost, entropy: w } = windows[c];
    const { entropy: how, nscc, hasWindow, credit } = specs[c];
    const { words: fields, ends: further } = pool;
    const packet = fields[frame + SEQUENCE] + offsetOf(pool.said(frame));
    if (packet < ends.unacked(c) || has(words, first, bits, packet)) return false;
    assert(packet < ends.highest(c), 'uet.refused-was-sent');
    if (has(words, lost, bits, packet)) return false;
    // All paths meet at the last hop, so none of them is better.
    const isPath = further[frame + REMAINING] !== NACK_TRIMMED_LAST_HOP;
    const isMarked = (fields[frame + CLASS] & ECHO_FLAG) !== 0;
    const entropy = entropyOf(fields[frame + HASH], how);
    if (isPath) penalise(words, w, entropy, PENALTY.lost);
    else if (isMarked) penalise(words, w, entropy, PENALTY.marked);
    else cameGood(words, w, how, entropy);
    lose(c, s, packet);
    // What arrives at the last hop is limited by its receiver, where that grants it.
    if (hasWindow && (isPath || credit === null)) {
      onLoss(state, s, nscc, octetsOf(c, packet), ends.clock.now);
    }
    turn(c, s);
    return true;
  }

  /** What is sent next: the first that is lost, or else a new one. */
  function turn(c: number, s: number): void {
    const packet = nextOf(c, s);
    if (packet !== ends.next(c)) ends.goTo(c, packet);
  }

  /** The delay of a packet that was sent once; negative: it cannot be timed. */
  function delay(c: number, s: number, packet: number): number {
    const { bits, times: first } = windows[c];
    // Its place in the ring may be that of a later one.
    if (packet < 0 || packet + bits < ends.highest(c)) return -1;
    const sentAt = times[first + (packet % bits)];
    return sentAt === UNTIMED ? -1 : delayOf(state, s, ends.clock.now - sentAt);
  }

  /** Octets that came since the newest acknowledgement; one that was overtaken has none. */
  function received(s: number, units: number): number {
    const newUnits = (units - state[s + UNITS] + RECEIVED_MODULO) % RECEIVED_MODULO;
    if (newUnits >= RECEIVED_MODULO / 2) return 0;
    state[s + UNITS] = units;
    const newOctets = newUnits * RECEIVED_UNIT;
    state[s + IN_FLIGHT] = Math.max(0, state[s + IN_FLIGHT] - newOctets);
    return newOctets;
  }

  function note(c: number, s: number, expected: number, said: number): void {
    const { first, bits, lost } = windows[c];
    const base = expected + baseOf(said);
    const unacked = ends.unacked(c);
    for (let rest = bitmapOf(said); rest !== 0; rest &= rest - 1) {
      const packet = base + 31 - Math.clz32(rest & -rest);
      if (packet < unacked) continue;
      assert(packet < ends.highest(c), 'uet.acknowledged-was-sent');
      set(words, first, bits, packet);
      found(s, lost, bits, packet);
      if (packet >= state[s + SACKED_TO]) state[s + SACKED_TO] = packet + 1;
    }
  }

  /** SLEEK: so much has overtaken the oldest packet that it will not come. */
  function isLoss(c: number, s: number, outOfOrder: number): boolean {
    if (ends.unacked(c) < state[s + RECOVER_TO]) return false;
    const { maxWindow } = specs[c].nscc;
    const { fullOctets } = specs[c];
    const most = Math.min(LOSS_WINDOWS * state[s + WINDOW], maxWindow);
    return outOfOrder * fullOctets > Math.max(most, LOSS_PACKETS * fullOctets);
  }

  /** All holes below the highest packet that arrived are lost. */
  function loseHoles(c: number, s: number): void {
    const { first, bits, lost, evs, entropy: w } = windows[c];
    const { nscc, hasWindow } = specs[c];
    const to = Math.max(ends.unacked(c), state[s + SACKED_TO]);
    state[s + RECOVER_TO] = ends.highest(c);
    const missing = (from: number): number => firstMissing(words, first, bits, from, to);
    for (let hole = missing(ends.unacked(c)); hole < to; hole = missing(hole + 1)) {
      if (has(words, lost, bits, hole)) continue;
      penalise(words, w, octets[4 * evs + (hole % bits)], PENALTY.lost);
      lose(c, s, hole);
      if (hasWindow) onLoss(state, s, nscc, octetsOf(c, hole), ends.clock.now);
    }
  }

  /** A packet is in flight no more. */
  function lose(c: number, s: number, packet: number): void {
    const { lost, bits } = windows[c];
    set(words, lost, bits, packet);
    state[s + LOST]++;
    state[s + IN_FLIGHT] = Math.max(0, state[s + IN_FLIGHT] - octetsOf(c, packet));
  }

  /** A packet has arrived after all, or is sent again. */
  function found(s: number, lost: number, bits: number, packet: number): void {
    if (state[s + LOST] === 0 || !has(words, lost, bits, packet)) return;
    clear(words, lost, bits, packet, packet + 1);
    state[s + LOST]--;
  }

  /** The same of all before one. */
  function forget(s: number, { lost, bits }: Window, expected: number): void {
    if (state[s + LOST] === 0) return;
    for (let packet = state[s + CLEARED]; packet < expected; packet++) found(s, lost, bits, packet);
  }

  /** The first packet that is lost and not sent again; or else the next new one. */
  function nextOf(c: number, s: number): number {
    const highest = ends.highest(c);
    if (state[s + LOST] === 0) return highest;
    const { lost, bits } = windows[c];
    return firstPresent(words, lost, bits, ends.unacked(c), highest);
  }

  function follows(c: number): number {
    return nextOf(c, windows[c].row * STRIDE);
  }

  /** All that is not known to have arrived is lost, what was sent again included. */
  function timedOut(c: number): void {
    const { row, first, bits, lost, evs, entropy: w } = windows[c];
    const s = row * STRIDE;
    const [unacked, highest] = [ends.unacked(c), ends.highest(c)];
    state[s + RECOVER_TO] = highest;
    penalise(words, w, octets[4 * evs + (unacked % bits)], PENALTY.timeout);
    const missing = (from: number): number => firstMissing(words, first, bits, from, highest);
    for (let hole = missing(unacked); hole < highest; hole = missing(hole + 1)) {
      if (!has(words, lost, bits, hole)) lose(c, s, hole);
    }
    state[s + IN_FLIGHT] = 0;
    if (specs[c].hasWindow) onTimeout(state, s, specs[c].nscc);
    ends.goTo(c, unacked);
  }

  function broken(c: number): string | null {
    const { row, first, bits, packets, lost } = windows[c];
    const s = row * STRIDE;
    const { nscc, credit } = specs[c];
    const { minWindow, maxWindow } = nscc;
    const [unacked, highest, next] = [ends.unacked(c), ends.highest(c), ends.next(c)];
    const broken = firstBroken('uet', ofSenders, {
      ...{ unacked, highest, next, lost: nextOf(c, s), packets },
      ...{ cleared: state[s + CLEARED], sackedTo: state[s + SACKED_TO] },
      hasOldest: has(words, first, bits, unacked),
      lostCount: state[s + LOST],
      lostBits: countFrom(words, lost, bits, unacked, highest),
      lostAndArrived: lostAndArrived(c),
      ...{ window: state[s + WINDOW], minWindow, maxWindow, inFlight: state[s + IN_FLIGHT] },
    });
    if (broken !== null || credit === null) return broken;
    return brokenCredit(state, s + CREDIT, credit);
  }

  function lostAndArrived(c: number): number {
    const { first, bits, lost } = windows[c];
    let count = 0;
    for (let packet = ends.unacked(c); packet < ends.highest(c); packet++) {
      if (has(words, lost, bits, packet) && has(words, first, bits, packet)) count++;
    }
    return count;
  }

  return { configure, permittedAt, departs, tellsLoss, answered, follows, timedOut, broken };
}
