/**
 * Entropy values (EVs) of a sender: each selects a path, as switches hash it with the addresses.
 * State is in words that start at `w` in a table: the walk, a ring of EVs that came back good, and
 * penalties, four bits each. Nothing is drawn from a stream: a round is mixed of the connection.
 */

import { assert } from '../../engine/kernel/assert.js';
import type { EntropySpec } from './spec.js';

/** Place in the round, number of the round, first and length of the ring. */
const STEP = 0;
const ROUND = 1;
const FIRST = 2;
const LENGTH = 3;
const RING = 4;
/** EVs that are kept, of which REPS uses eight. */
const RING_SIZE = 64;
const REPS_RING = 8;
const PENALTIES = RING + RING_SIZE;

const PENALTY_BITS = 4;
const PENALTY_MOST = 15;
const PER_WORD = 32 / PENALTY_BITS;

/** An EV came back marked, its packet was lost, or nothing came back in time. */
export const PENALTY = { marked: 1, lost: 4, timeout: PENALTY_MOST } as const;

export function entropyWords({ values }: EntropySpec): number {
  return PENALTIES + Math.ceil(values / PER_WORD);
}

/**
 * The hash of a frame with an EV, which is in its low bits, as in those of its UDP source port. The
 * others are mixed of it: neighbouring EVs would otherwise go alike at one switch after another.
 */
export function hashOf(hash: number, entropy: number, { values }: EntropySpec): number {
  return (mix(hash ^ Math.imul(entropy + 1, 0x9e3779b1)) & ~(values - 1)) | entropy;
}

export function entropyOf(hash: number, { values }: EntropySpec): number {
  return hash & (values - 1);
}

/** The EV of the next packet. */
export function nextEntropy(
  words: Int32Array,
  w: number,
  { policy, values }: EntropySpec,
  seed: number,
): number {
  if (policy === 'oblivious') return walk(words, w, values, seed);
  if (policy !== 'bitmap' && words[w + LENGTH] > 0) return recycled(words, w);
  if (policy === 'reps')
    return mix(seed ^ Math.imul(++words[w + ROUND], 0x9e3779b1)) & (values - 1);
  for (;;) {
    const entropy = walk(words, w, values, seed);
    const penalty = penaltyOf(words, w, entropy);
    if (penalty === 0) return entropy;
    setPenalty(words, w, entropy, penalty - 1);
  }
}

/** An EV came back without a mark. */
export function cameGood(
  words: Int32Array,
  w: number,
  { policy }: EntropySpec,
  entropy: number,
): void {
  if (policy !== 'reps' && policy !== 'mixed') return;
  const most = policy === 'reps' ? REPS_RING : RING_SIZE;
  if (words[w + LENGTH] === most) recycled(words, w);
  words[w + RING + ((words[w + FIRST] + words[w + LENGTH]) % RING_SIZE)] = entropy;
  words[w + LENGTH]++;
}

export function penalise(words: Int32Array, w: number, entropy: number, by: number): void {
  setPenalty(words, w, entropy, Math.min(PENALTY_MOST, penaltyOf(words, w, entropy) + by));
}

export function penaltyOf(words: Int32Array, w: number, entropy: number): number {
  const shift = (entropy % PER_WORD) * PENALTY_BITS;
  return (words[w + PENALTIES + Math.floor(entropy / PER_WORD)] >>> shift) & PENALTY_MOST;
}

function setPenalty(words: Int32Array, w: number, entropy: number, penalty: number): void {
  const at = w + PENALTIES + Math.floor(entropy / PER_WORD);
  const shift = (entropy % PER_WORD) * PENALTY_BITS;
  words[at] = (words[at] & ~(PENALTY_MOST << shift)) | (penalty << shift);
}

function recycled(words: Int32Array, w: number): number {
  assert(words[w + LENGTH] > 0, 'uet.entropy-to-recycle');
  const entropy = words[w + RING + words[w + FIRST]];
  words[w + FIRST] = (words[w + FIRST] + 1) % RING_SIZE;
  words[w + LENGTH]--;
  return entropy;
}

/** All EVs once a round, in an order that is another one each round. */
function walk(words: Int32Array, w: number, values: number, seed: number): number {
  const entropy =
    words[w + STEP] ^ (mix(seed ^ Math.imul(words[w + ROUND], 0x9e3779b1)) & (values - 1));
  words[w + STEP]++;
  if (words[w + STEP] === values) {
    words[w + STEP] = 0;
    words[w + ROUND]++;
  }
  return entropy;
}

/** The finaliser of MurmurHash3. */
function mix(value: number): number {
  let word = value ^ (value >>> 16);
  word = Math.imul(word, 0x85ebca6b);
  word ^= word >>> 13;
  word = Math.imul(word, 0xc2b2ae35);
  return (word ^ (word >>> 16)) >>> 0;
}
