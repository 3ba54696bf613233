import type { FramePool } from './frame-pool.js';
import { CLASS, FOLLOWED_FLAG, HASH, KIND_MASK, SEQUENCE } from './frame-pool.js';

/** Dice are lower than this. */
export const DICE_SIDES = 2 ** 32;

/** What happens to a frame that passes a port. */
export const RECEIVED = 0;
export const QUEUED = 1;
export const SENT = 2;

export type Passing = typeof RECEIVED | typeof QUEUED | typeof SENT;

export const PASSINGS: readonly Passing[] = [RECEIVED, QUEUED, SENT];

// What a port tells: frames whose class has a bit in common with this.

export const TELLS_FOLLOWED = FOLLOWED_FLAG;
/** All frames: no class has this bit, and it is thought of as set in each. */
export const TELLS_ALL = 1 << 29;
/** Those with low dice: no class has this bit either. */
export const TELLS_BY_DICE = 1 << 30;
/** Nothing, but a frame that is queued counts for `FrameTimes`. */
export const RECKONS = 1 << 31;
/** Thought of as set in the class of each frame that is queued. */
const SET_IN_ALL = TELLS_ALL | RECKONS;

/** By port: which of the frames that pass there somebody wants to be told of. */
export type Heed = ReturnType<typeof makeHeed>;

export function makeHeed(pool: FramePool, ports: number) {
  const { words } = pool;
  /** By what happens, and port. */
  const told = PASSINGS.map(() => new Int32Array(ports));
  const [received, queued, sent] = told;
  /** Frames with lower dice are told where a port tells by dice. */
  const limit = new Float64Array(1);

  function hearsReceived(port: number, frame: number): boolean {
    return ((words[frame + CLASS] | TELLS_ALL) & received[port]) !== 0;
  }

  /** Also where it is only reckoned. */
  function hearsQueued(port: number, frame: number): boolean {
    const tells = queued[port];
    if (((words[frame + CLASS] | SET_IN_ALL) & tells) !== 0) return true;
    return (tells & TELLS_BY_DICE) !== 0 && diceOf(words, frame) < limit[0];
  }

  function isTold(port: number, frame: number): boolean {
    const tells = queued[port];
    if ((tells & RECKONS) === 0) return true;
    if (((words[frame + CLASS] | TELLS_ALL) & tells) !== 0) return true;
    return (tells & TELLS_BY_DICE) !== 0 && diceOf(words, frame) < limit[0];
  }

  function hearsSent(port: number, frame: number): boolean {
    return ((words[frame + CLASS] | TELLS_ALL) & sent[port]) !== 0;
  }

  return { told, limit, hearsReceived, hearsQueued, isTold, hearsSent };
}

/** As if drawn, from what does not change on a frame's way, so that every run comes to the same. */
export function diceOf(words: Int32Array, frame: number): number {
  let h = words[frame + HASH] ^ Math.imul(words[frame + SEQUENCE], 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 16) ^ (words[frame + CLASS] & KIND_MASK), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) >>> 0;
}
