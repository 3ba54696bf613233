import type { FramePool } from '../../frame/frame-pool.js';
import {
  CLASS,
  CONNECTION,
  KIND_MASK,
  LENGTH,
  SEQUENCE,
  SOURCE,
  TARGET,
} from '../../frame/frame-pool.js';
import { diceOf } from '../../frame/heed.js';

/** How a frame's stay at a device ended, or that it has not. */
export const HOP_ENDS = ['inside', 'sent', 'delivered', 'dropped'] as const;

export type HopEnd = (typeof HOP_ENDS)[number];

export const HOP_END = { INSIDE: 0, SENT: 1, DELIVERED: 2, DROPPED: 3 } as const;

// Numbers of a followed frame at one device. Ports are as the device counts them, -1 for none.

/** What tells the frame from others: see `nameOf`. */
export const DICE = 0;
export const FROM = 1;
export const TO = 2;
export const AT_CONNECTION = 3;
export const NUMBER = 4;
/** When its payload was ready to be sent; ps, as all times. */
export const BORN = 5;
export const OCTETS = 6;
export const FRAME_CLASS = 7;
export const INGRESS = 8;
/** When it could be dealt with here; where it was made, when it joined the queue. */
export const ARRIVED = 9;
export const QUEUED = 10;
export const EGRESS = 11;
/** Index into HOP_ENDS. */
export const END = 12;
/** When it started on the wire, was delivered or was dropped. */
export const END_PS = 13;
export const REASON = 14;
export const HOP_WIDTH = 15;

const NONE = -1;
const FIRST_ROWS = 16;

/** Hops of one device, in the order in which they began: numbers side by side. */
export class HopLog {
  count = 0;
  private values = new Float64Array(FIRST_ROWS * HOP_WIDTH);
  /** Rows of frames that are inside, the oldest first. */
  private readonly inside: number[] = [];

  /** A frame is inside from now on. */
  begin(ingress: number, now: number, pool: FramePool, frame: number): number {
    const row = this.count++;
    const at = row * HOP_WIDTH;
    if (at === this.values.length) {
      const values = new Float64Array(2 * at);
      values.set(this.values);
      this.values = values;
    }
    const { values } = this;
    const { words, ends } = pool;
    values[at + DICE] = diceOf(words, frame);
    values[at + FROM] = ends[frame + SOURCE];
    values[at + TO] = words[frame + TARGET];
    values[at + AT_CONNECTION] = ends[frame + CONNECTION];
    values[at + NUMBER] = words[frame + SEQUENCE];
    values[at + BORN] = pool.born(frame);
    values[at + OCTETS] = words[frame + LENGTH];
    values[at + FRAME_CLASS] = words[frame + CLASS];
    values[at + INGRESS] = ingress;
    values[at + ARRIVED] = now;
    values[at + QUEUED] = now;
    values[at + EGRESS] = NONE;
    values[at + END] = HOP_END.INSIDE;
    values[at + END_PS] = Infinity;
    values[at + REASON] = NONE;
    this.inside.push(row);
    return row;
  }

  /** The oldest inside that is this frame and has no egress yet; -1: none. */
  findUnqueued(ingress: number, pool: FramePool, frame: number): number {
    for (const row of this.inside) {
      const at = row * HOP_WIDTH;
      if (this.values[at + EGRESS] !== NONE || this.values[at + INGRESS] !== ingress) continue;
      if (this.isOf(row, pool, frame)) return row;
    }
    return NONE;
  }

  /** The oldest inside that is this frame and waits at an egress; -1: none. */
  findQueued(egress: number, pool: FramePool, frame: number): number {
    for (const row of this.inside) {
      if (this.values[row * HOP_WIDTH + EGRESS] === egress && this.isOf(row, pool, frame))
        return row;
    }
    return NONE;
  }

  /** The oldest that came in and is this frame, whose hash may be gone; -1: none. */
  findKept(pool: FramePool, frame: number): number {
    for (const row of this.inside) {
      if (this.values[row * HOP_WIDTH + INGRESS] !== NONE && this.isLike(row, pool, frame))
        return row;
    }
    return NONE;
  }

  /** The last hop of all, if it is this frame and ended just now; else -1. */
  justEnded(now: number, pool: FramePool, frame: number): number {
    const row = this.count - 1;
    if (row < 0 || this.values[row * HOP_WIDTH + END_PS] !== now) return NONE;
    return this.isOf(row, pool, frame) ? row : NONE;
  }

  queue(row: number, egress: number, now: number): void {
    this.values[row * HOP_WIDTH + QUEUED] = now;
    this.values[row * HOP_WIDTH + EGRESS] = egress;
  }

  /** A frame is not inside any more. */
  leave(row: number, end: number, now: number): void {
    this.values[row * HOP_WIDTH + END] = end;
    this.values[row * HOP_WIDTH + END_PS] = now;
    const { inside } = this;
    for (let i = inside.indexOf(row) + 1; i < inside.length; i++) inside[i - 1] = inside[i];
    inside.pop();
  }

  /** A frame that was thought to have ended is still inside. */
  keep(row: number): void {
    this.values[row * HOP_WIDTH + END] = HOP_END.INSIDE;
    this.values[row * HOP_WIDTH + END_PS] = Infinity;
    this.inside.push(row);
  }

  setDropped(row: number, reason: number): void {
    this.values[row * HOP_WIDTH + END] = HOP_END.DROPPED;
    this.values[row * HOP_WIDTH + REASON] = reason;
  }

  /** Of all hops, one behind the other. */
  get numbers(): Float64Array {
    return this.values;
  }

  private isOf(row: number, pool: FramePool, frame: number): boolean {
    return (
      this.isLike(row, pool, frame) &&
      this.values[row * HOP_WIDTH + DICE] === diceOf(pool.words, frame)
    );
  }

  /** All but its dice, for which the hash is needed. */
  private isLike(row: number, { words, ends }: FramePool, frame: number): boolean {
    const { values } = this;
    const at = row * HOP_WIDTH;
    return (
      values[at + NUMBER] === words[frame + SEQUENCE] &&
      values[at + FROM] === ends[frame + SOURCE] &&
      values[at + TO] === words[frame + TARGET] &&
      values[at + AT_CONNECTION] === ends[frame + CONNECTION] &&
      ((values[at + FRAME_CLASS] ^ words[frame + CLASS]) & KIND_MASK) === 0
    );
  }
}

/** As `nameOf` says it of the frame; `at`: where a hop's numbers begin. */
export function nameOfHop(numbers: Float64Array, at: number): string {
  const end = `${numbers[at + FROM]} ${numbers[at + TO]} ${numbers[at + AT_CONNECTION]}`;
  const kind = numbers[at + FRAME_CLASS] & KIND_MASK;
  return `${numbers[at + DICE]} ${end} ${kind} ${numbers[at + NUMBER]}`;
}

/** Whether two hops, told by where their numbers begin, are of one frame. */
export function isSameFrame(numbers: Float64Array, a: number, b: number): boolean {
  return (
    numbers[a + DICE] === numbers[b + DICE] &&
    numbers[a + NUMBER] === numbers[b + NUMBER] &&
    numbers[a + FROM] === numbers[b + FROM] &&
    numbers[a + TO] === numbers[b + TO] &&
    numbers[a + AT_CONNECTION] === numbers[b + AT_CONNECTION] &&
    ((numbers[a + FRAME_CLASS] ^ numbers[b + FRAME_CLASS]) & KIND_MASK) === 0
  );
}
