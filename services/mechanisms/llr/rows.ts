import { LLR_COUNTERS, type LlrCounter } from './counters.js';
import { LLR_WORDS } from './machine.js';
import { assertFields } from '../../engine/kernel/fields.js';

// Words of a port behind those of the machine: with them one line of memory.

/** Ordered sets that are due, one bit each by their type. */
export const DUE = LLR_WORDS;
/** 1: priorities are blocked. */
export const BLOCKED = LLR_WORDS + 1;
/** 1: frames came in that are not acknowledged yet. */
export const OWES_ACK = LLR_WORDS + 2;
/** 1: the link has no carrier. */
export const DOWN = LLR_WORDS + 3;
/** Priorities whose frames have a number, one bit each; 0 where it does not run. */
export const ELIGIBLE = LLR_WORDS + 4;
export const STRIDE = 16;
assertFields(STRIDE, DUE, BLOCKED, OWES_ACK, DOWN, ELIGIBLE);

// Doubles of a port, one line of memory.

/** When the sender gives up waiting for an acknowledgement. */
export const DEADLINE = 0;
/** For when the timer of the sender is armed. */
export const SENDER_ARMED = 1;
/** When the last acknowledgement was sent; the least time between two. */
export const ACKED_AT = 2;
export const SPACING_PS = 3;
/** From when on the next one is due; Infinity: none is. */
export const OWES_AT = 4;
/** Most frames, and octets of them, that may be outstanding. */
export const FRAMES_MOST = 5;
export const OCTETS_MOST = 6;
export const REPLAY_TIMER_PS = 7;
export const DOUBLES = 8;
assertFields(
  DOUBLES,
  DEADLINE,
  SENDER_ARMED,
  ACKED_AT,
  SPACING_PS,
  OWES_AT,
  FRAMES_MOST,
  OCTETS_MOST,
  REPLAY_TIMER_PS,
);

/** Counters of every frame and its acknowledgement, in this order: they share a line of memory. */
const FREQUENT: readonly LlrCounter[] = [
  'LLR_TX_OK',
  'LLR_RX_OK',
  'LLR_RX_EXPECTED_SEQ_GOOD',
  'LLR_TX_ACK_CTL_OS',
  'LLR_RX_ACK_CTL_OS',
];
export const COUNT_TX_OK = 0;
export const COUNT_RX_OK = 1;
export const COUNT_RX_GOOD = 2;
export const COUNT_TX_ACK = 3;
export const COUNT_RX_ACK = 4;
assertFields(FREQUENT.length, COUNT_TX_OK, COUNT_RX_OK, COUNT_RX_GOOD, COUNT_TX_ACK, COUNT_RX_ACK);

/** Place of a counter in the row of a port. */
export const COUNT = Object.fromEntries(
  [...new Set([...FREQUENT, ...LLR_COUNTERS])].map((name, place) => [name, place]),
) as Readonly<Record<LlrCounter, number>>;

/** All of them, in whole lines. */
export const COUNTS = 24;
