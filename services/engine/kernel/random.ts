/**
 * Randomness, seeded and named: every device and every flow has a stream of its own, so that adding
 * a consumer does not change the samples of another.
 *
 * The generator is xoshiro128** 1.1 (Blackman and Vigna, 2018) with 128 bits of state and a period
 * of 2^128 - 1.
 */

import { SHAPE } from './kinds.js';
import { assert } from './assert.js';

export class RandomStream {
  static readonly kinds = SHAPE;

  /** The whole state; saved and restored as plain data. Never all zero. */
  readonly state = new Uint32Array(4);

  /** The seed is an integer of at most 53 bits. */
  constructor(seed: number, name: string) {
    hashSeed(this.state, seed, name);
  }

  /** An integer in 0 .. 2^32 - 1. */
  uint32(): number {
    const state = this.state;
    const second = state[1];
    const result = Math.imul(rotateLeft(Math.imul(second, 5), 7), 9) >>> 0;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= second << 9;
    state[3] = rotateLeft(state[3], 11);
    return result;
  }

  /** A number in [0, 1) with all 53 bits random. */
  uniform(): number {
    const high = this.uint32() >>> 5;
    const low = this.uint32() >>> 6;
    return (high * 2 ** 26 + low) * 2 ** -53;
  }

  /** An integer in 0 .. n - 1, each as likely as any other; n is an integer in 1 .. 2^32. */
  below(n: number): number {
    assert(n >= 1 && n <= 2 ** 32, 'random.range');
    // Values of the incomplete last run of n would favour the small ones.
    const limit = 2 ** 32 - (2 ** 32 % n);
    let draw = this.uint32();
    while (draw >= limit) draw = this.uint32();
    return draw % n;
  }

  /** A number >= 0 with exponential distribution: the gap between events of a Poisson process. */
  exponential(mean: number): number {
    assert(mean >= 0, 'random.mean');
    return -mean * Math.log(1 - this.uniform());
  }

  /** Puts the elements in a random order, in place; every order is as likely (Fisher and Yates). */
  shuffle(array: { [index: number]: unknown; readonly length: number }): void {
    for (let last = array.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      const moved = array[last];
      array[last] = array[other];
      array[other] = moved;
    }
  }
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** Odd multipliers with well spread bits (from MurmurHash3), one for each word of the state. */
const MULTIPLIERS = [0xcc9e2d51, 0x1b873593, 0x85ebca6b, 0xc2b2ae35] as const;

/** Fills the state so that close seeds and close names give unrelated streams. */
function hashSeed(state: Uint32Array, seed: number, name: string): void {
  state.set(MULTIPLIERS);
  absorb(state, seed);
  absorb(state, Math.floor(seed / 2 ** 32));
  for (let index = 0; index < name.length; index++) absorb(state, name.charCodeAt(index));
  absorb(state, name.length);
  // Two rounds let every bit of every word reach every other word.
  for (let round = 0; round < 2; round++) {
    for (let word = 0; word < 4; word++) state[word] = mix(state[word] + state[(word + 1) % 4]);
  }
  if (state.every((word) => word === 0)) state[0] = 1;
}

function absorb(state: Uint32Array, value: number): void {
  for (let word = 0; word < 4; word++) {
    state[word] = rotateLeft(Math.imul(state[word] ^ value, MULTIPLIERS[word]), 13) + word;
  }
}

/** The finaliser of MurmurHash3, in which every bit in changes half of the bits out. */
function mix(value: number): number {
  let word = value ^ (value >>> 16);
  word = Math.imul(word, 0x85ebca6b);
  word ^= word >>> 13;
  word = Math.imul(word, 0xc2b2ae35);
  return word ^ (word >>> 16);
}
