import type { Clock } from './clock.js';
import { DERIVED, STAMP } from './kinds.js';
import { field, fields } from './fields.js';
import type { Tables } from './tables.js';

// Words of a device: two lanes, and how many events were mixed into them (modulo 2^32).

const FIRST = 0;
const SECOND = 1;
const MIXED = 2;
const WORDS = 3;
const LANES = fields(WORDS, {
  first: [FIRST, DERIVED],
  second: [SECOND, DERIVED],
  mixed: [MIXED, DERIVED],
});

/** Both are 3 modulo 8: two events that change places, 2^k apart, lose no more than k + 2 bits. */
export const FIRST_FACTOR = 0x6ea0880b;
export const SECOND_FACTOR = 0x6c289a23;
/** Of the length of a frame in a detail, to which its sequence number or class is added. */
export const LENGTH_FACTOR = 0x9e3779b1;
/** Sums of times are kept modulo this, so that a double holds the next one. */
export const SUM_MODULUS = 2 ** 52;

export interface DigestState {
  readonly first: number;
  readonly second: number;
  readonly mixed: number;
  readonly sum: number;
}

/**
 * A digest over the events of each device: it detects that two runs differ, for a few nanoseconds
 * an event. It is not cryptographic.
 *
 * Each lane is a linear recurrence: it is multiplied by an odd factor, and a word is added that is
 * linear in time, kind and detail. So a lane never loses a difference, and a run of events that
 * repeats n times is the n-th power of a small matrix (`digest-periods`). The lanes have times
 * modulo 2^32; the sum of times has their upper bits.
 */
export type Digests = ReturnType<typeof makeDigests>;

export function makeDigests(tables: Tables, clock: Clock) {
  const words = tables.int32('device', LANES);
  const sums = tables.float64('device', field('sum of times', DERIVED));
  /** By device: when it last did, or was done, anything that a counter or a time shows. */
  const actedAt = tables.float64('device', field('acted at', STAMP));
  for (let at = 0; at < words.length; at += WORDS) {
    words[at + FIRST] = 0x243f6a88;
    words[at + SECOND] = 0x85a308d3;
  }

  /** Mixes in the present time and two words that identify the event. */
  function mix(device: number, what: number, detail: number): void {
    const time = clock.now;
    actedAt[device] = time;
    const at = device * WORDS;
    words[at + FIRST] = Math.imul(words[at + FIRST], FIRST_FACTOR) + (time | 0) + what;
    words[at + SECOND] = Math.imul(words[at + SECOND], SECOND_FACTOR) + detail;
    words[at + MIXED]++;
    const sum = sums[device] + time;
    sums[device] = sum < SUM_MODULUS ? sum : sum - SUM_MODULUS;
  }

  /** What a device has mixed so far, for `digest-periods`. */
  function read(device: number): DigestState {
    const at = device * WORDS;
    return {
      first: words[at + FIRST],
      second: words[at + SECOND],
      mixed: words[at + MIXED],
      sum: sums[device],
    };
  }

  function write(device: number, { first, second, mixed, sum }: DigestState): void {
    words.set([first, second, mixed], device * WORDS);
    sums[device] = sum;
  }

  /** What happens now changes the results of a run, and no digest. */
  function touch(device: number): void {
    actedAt[device] = clock.now;
  }

  function hex(device: number): string {
    const digits = (value: number, count: number): string =>
      value.toString(16).padStart(count, '0');
    const word = (i: number): string => digits(words[device * WORDS + i] >>> 0, 8);
    return word(FIRST) + word(SECOND) + digits(sums[device], 16);
  }

  return { actedAt, mix, read, write, touch, hex };
}
