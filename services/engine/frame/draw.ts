import { doubleCell, wordCell } from '../kernel/cells.js';
import type { FramePool } from './frame-pool.js';
import { CLASS, HASH, KIND_MASK, SEQUENCE } from './frame-pool.js';
import type { FrameRef } from '../units/indices.js';
import { assert } from '../kernel/assert.js';

/** Samples are lower than this. */
const SAMPLE_RANGE = 2 ** 32;
/** For a small share, a sample is computed for one frame in so many. */
const SIEVED = 16;
/** The upper bits change from frame to frame without a period that messages could share. */
const SIEVE = (SIEVED - 1) << 28;

/** Samples a share of the frames. */
export type Draw = ReturnType<typeof makeDraw>;

export function makeDraw({ words }: FramePool) {
  const sieve = wordCell();
  const limit = doubleCell();

  function setShare(share: number): void {
    assert(share >= 0 && share <= 1, 'draw.share');
    const isSmall = share < 1 / SIEVED;
    sieve[0] = isSmall ? SIEVE : 0;
    limit[0] = share * SAMPLE_RANGE * (isSmall ? SIEVED : 1);
  }

  /** Most frames of a small share are excluded after one multiplication. */
  function draws(frame: FrameRef): boolean {
    if (limit[0] === 0) return false;
    return (mixOf(words, frame) & sieve[0]) === 0 && sampleOf(words, frame) < limit[0];
  }

  return { setShare, draws };
}

/**
 * Pseudo-random number of a frame, from fields that do not change on its path, so that every run
 * samples the same frames.
 */
export function sampleOf(words: Int32Array, frame: FrameRef): number {
  let h = mixOf(words, frame);
  h = Math.imul(h ^ (h >>> 16) ^ (words[frame + CLASS] & KIND_MASK), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) >>> 0;
}

function mixOf(words: Int32Array, frame: FrameRef): number {
  return words[frame + HASH] ^ Math.imul(words[frame + SEQUENCE], 0x9e3779b1);
}
