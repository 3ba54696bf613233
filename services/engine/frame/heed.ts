import type { FramePool } from './frame-pool.js';
import { CLASS, HASH, KIND_MASK, SEQUENCE } from './frame-pool.js';

/** Dice are lower than this. */
export const DICE_SIDES = 2 ** 32;

/** What happens to a frame that passes a port. */
export const RECEIVED = 0;
export const QUEUED = 1;
export const SENT = 2;

export type Passing = typeof RECEIVED | typeof QUEUED | typeof SENT;

export const PASSINGS: readonly Passing[] = [RECEIVED, QUEUED, SENT];

/** By port: which of the frames that pass there somebody wants to be told of. */
export type Heed = ReturnType<typeof makeHeed>;

export function makeHeed(pool: FramePool, ports: number) {
  const { words } = pool;
  /** By what happens: frames with lower dice are told, none by 0, all by DICE_SIDES. */
  const limits = PASSINGS.map(() => new Float64Array(ports));
  const [received, queued, sent] = limits;

  function hearsReceived(port: number, frame: number): boolean {
    const limit = received[port];
    return limit !== 0 && diceOf(words, frame) < limit;
  }

  function hearsQueued(port: number, frame: number): boolean {
    const limit = queued[port];
    return limit !== 0 && diceOf(words, frame) < limit;
  }

  function hearsSent(port: number, frame: number): boolean {
    const limit = sent[port];
    return limit !== 0 && diceOf(words, frame) < limit;
  }

  return { limits, hearsReceived, hearsQueued, hearsSent };
}

/** As if drawn, from what every hop reads anyway, so that every device comes to the same. */
export function diceOf(words: Int32Array, frame: number): number {
  let h = words[frame + HASH] ^ Math.imul(words[frame + SEQUENCE], 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 16) ^ (words[frame + CLASS] & KIND_MASK), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) >>> 0;
}
