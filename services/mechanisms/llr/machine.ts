/**
 * Link-level retry between the two ends of a link: transitions of a sender and of a receiver, in
 * words of a table. Numbers have 20 bits and are cyclic; less than half of them are outstanding.
 */

import { LLR_NUMBERS } from '../../engine/wire/llr.js';
import { assert } from '../../engine/kernel/assert.js';
import { assertFields } from '../../engine/kernel/fields.js';

const MASK = LLR_NUMBERS - 1;
const HALF = LLR_NUMBERS / 2;
const DATA_MASK = 0xffff;

/** Words of a port. */
export const TX_STATE = 0;
/** Number of the next new frame, of the oldest that is outstanding, of the next sent again. */
export const TX_NEXT = 1;
export const TX_OLDEST = 2;
export const TX_AGAIN = 3;
/** Replays since a frame was acknowledged. */
export const TX_REPLAYS = 4;
/** Tells this initialisation from others. */
export const TX_DATA = 5;
export const RX_STATE = 6;
export const RX_EXPECTED = 7;
/** The last number that came while another was expected. */
const RX_SEEN = 8;
/** Of the last initialisation: its number, and what tells it from others. */
export const RX_INIT = 9;
export const RX_DATA = 10;
export const LLR_WORDS = 11;
assertFields(
  LLR_WORDS,
  TX_STATE,
  TX_NEXT,
  TX_OLDEST,
  TX_AGAIN,
  TX_REPLAYS,
  TX_DATA,
  RX_STATE,
  RX_EXPECTED,
  RX_SEEN,
  RX_INIT,
  RX_DATA,
);

export const TX_OFF = 0;
export const TX_INIT = 1;
export const TX_ADVANCE = 2;
export const TX_REPLAY = 3;
export const TX_FLUSH = 4;

export const RX_OFF = 0;
export const RX_SEND_ACKS = 1;
export const RX_SEND_NACK = 2;
export const RX_NACK_SENT = 3;

/** Of an ACK or NACK whose number is of no outstanding frame. */
export const SEQUENCE_ERROR = -1;

/** What becomes of a numbered frame without error. */
export const ACCEPT = 0;
export const DUPLICATE = 1;
export const MISSING = 2;

export type LlrWords = Int32Array;

export function outstanding(w: LlrWords, at: number): number {
  return (w[at + TX_NEXT] - w[at + TX_OLDEST]) & MASK;
}

/** The sender begins anew; what was outstanding is forgotten. */
export function begin(w: LlrWords, at: number): void {
  w[at + TX_STATE] = TX_INIT;
  // Never 0, so that an ACK with one bit changed is no INIT.
  w[at + TX_DATA] = (w[at + TX_DATA] % DATA_MASK) + 1;
  assert(w[at + TX_DATA] > 0 && w[at + TX_DATA] <= DATA_MASK, 'llr.data-of-initialisation');
  forget(w, at);
}

/** An echo came; true if it is of this initialisation. */
export function echoed(w: LlrWords, at: number, number: number, data: number): boolean {
  if (w[at + TX_STATE] !== TX_INIT) return false;
  if (number !== w[at + TX_NEXT] || data !== w[at + TX_DATA]) return false;
  w[at + TX_STATE] = TX_ADVANCE;
  return true;
}

/** Number of a new frame. */
export function sendNew(w: LlrWords, at: number): number {
  const number = w[at + TX_NEXT];
  w[at + TX_NEXT] = (number + 1) & MASK;
  assert(outstanding(w, at) > 0 && outstanding(w, at) < HALF, 'llr.outstanding-numbers');
  return number;
}

/** Frames that an ACK up to a number, or a NACK, frees; or SEQUENCE_ERROR. */
export function acknowledge(w: LlrWords, at: number, number: number): number {
  const state = w[at + TX_STATE];
  if (state !== TX_ADVANCE && state !== TX_REPLAY) return SEQUENCE_ERROR;
  const oldest = w[at + TX_OLDEST];
  if (number === ((oldest - 1) & MASK)) return 0;
  const place = (number - oldest) & MASK;
  if (place >= outstanding(w, at)) return SEQUENCE_ERROR;
  const sentAgain = (w[at + TX_AGAIN] - oldest) & MASK;
  w[at + TX_OLDEST] = (number + 1) & MASK;
  w[at + TX_REPLAYS] = 0;
  if (state === TX_REPLAY && sentAgain <= place) w[at + TX_AGAIN] = w[at + TX_OLDEST];
  endReplay(w, at);
  return place + 1;
}

/** Frames up to a number, from the oldest outstanding on; more than those if it is of none. */
export function freedBy(w: LlrWords, at: number, number: number): number {
  return ((number - w[at + TX_OLDEST]) & MASK) + 1;
}

/** All that is outstanding is to be sent again; false if that was tried too often. */
export function replay(w: LlrWords, at: number, most: number): boolean {
  if (w[at + TX_REPLAYS] >= most) return false;
  assert(outstanding(w, at) > 0, 'llr.replays-what-is-outstanding');
  w[at + TX_REPLAYS]++;
  w[at + TX_AGAIN] = w[at + TX_OLDEST];
  w[at + TX_STATE] = TX_REPLAY;
  return true;
}

/** Number of the frame that is sent again now. */
export function sendAgain(w: LlrWords, at: number): number {
  const number = w[at + TX_AGAIN];
  assert(w[at + TX_STATE] === TX_REPLAY, 'llr.sends-again-in-a-replay');
  assert(number !== w[at + TX_NEXT], 'llr.sends-again-what-was-sent');
  w[at + TX_AGAIN] = (number + 1) & MASK;
  endReplay(w, at);
  return number;
}

function endReplay(w: LlrWords, at: number): void {
  if (w[at + TX_STATE] === TX_REPLAY && w[at + TX_AGAIN] === w[at + TX_NEXT]) {
    w[at + TX_STATE] = TX_ADVANCE;
  }
}

/** Gives up; returns how many frames were outstanding. */
export function flush(w: LlrWords, at: number): number {
  const frames = outstanding(w, at);
  w[at + TX_STATE] = TX_FLUSH;
  forget(w, at);
  return frames;
}

function forget(w: LlrWords, at: number): void {
  w[at + TX_OLDEST] = w[at + TX_NEXT];
  w[at + TX_AGAIN] = w[at + TX_NEXT];
  w[at + TX_REPLAYS] = 0;
}

/** An INIT came; one that came before changes nothing, and is echoed as well. */
export function initialise(w: LlrWords, at: number, number: number, data: number): void {
  const isKnown = w[at + RX_INIT] === number && w[at + RX_DATA] === data;
  if (w[at + RX_STATE] !== RX_OFF && isKnown) return;
  w[at + RX_STATE] = RX_SEND_ACKS;
  w[at + RX_EXPECTED] = number;
  w[at + RX_INIT] = number;
  w[at + RX_DATA] = data;
}

/** A number that has not been accepted yet. */
export function lacks(w: LlrWords, at: number, number: number): boolean {
  return ((number - w[at + RX_EXPECTED]) & MASK) < HALF;
}

export function numberAfter(number: number): number {
  return (number + 1) & MASK;
}

/** A numbered frame came without error. */
export function arrived(w: LlrWords, at: number, number: number): number {
  if (w[at + RX_STATE] === RX_OFF) return MISSING;
  const expected = w[at + RX_EXPECTED];
  const ahead = (number - expected) & MASK;
  if (ahead === 0) {
    w[at + RX_EXPECTED] = (expected + 1) & MASK;
    w[at + RX_STATE] = RX_SEND_ACKS;
    return ACCEPT;
  }
  if (ahead >= HALF) return DUPLICATE;
  // A replay has begun, as numbers went back, and the expected one was not in it.
  const wentBack = ahead <= ((w[at + RX_SEEN] - expected) & MASK);
  if (w[at + RX_STATE] === RX_SEND_ACKS || wentBack) w[at + RX_STATE] = RX_SEND_NACK;
  w[at + RX_SEEN] = number;
  return MISSING;
}

/** A frame came whose number is unknown, as it has an error; true if a NACK is due. */
export function bad(w: LlrWords, at: number): boolean {
  if (w[at + RX_STATE] !== RX_SEND_ACKS) return false;
  w[at + RX_STATE] = RX_SEND_NACK;
  w[at + RX_SEEN] = w[at + RX_EXPECTED];
  return true;
}

/** The ACK or NACK that is sent now: the number of the last good frame. */
export function lastGood(w: LlrWords, at: number): number {
  return (w[at + RX_EXPECTED] - 1) & MASK;
}

export function nackSent(w: LlrWords, at: number): void {
  if (w[at + RX_STATE] === RX_SEND_NACK) w[at + RX_STATE] = RX_NACK_SENT;
}
