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

/** Index into HOP_ENDS. */
export const HOP_END = { INSIDE: 0, SENT: 1, DELIVERED: 2, DROPPED: 3 } as const;

/** A followed frame at one device. Ports are as the device counts them, -1 for none; times ps. */
export interface HopRecord {
  /** What tells the frame from others: see `nameOf`. */
  readonly dice: number;
  readonly source: number;
  readonly target: number;
  readonly connection: number;
  readonly sequence: number;
  /** When its payload was ready to be sent. */
  readonly bornPs: number;
  readonly octets: number;
  readonly frameClass: number;
  readonly ingress: number;
  /** When it could be dealt with here; where it was made, when it joined the queue. */
  readonly arrivedPs: number;
  readonly queuedPs: number;
  readonly egress: number;
  readonly end: HopEnd;
  /** When it started on the wire, was delivered or was dropped. */
  readonly endPs: number;
  readonly reason: number;
}

// Numbers of a row.

const DICE = 0;
const FROM = 1;
const TO = 2;
const AT_CONNECTION = 3;
const NUMBER = 4;
const BORN = 5;
const OCTETS = 6;
const FRAME_CLASS = 7;
const INGRESS = 8;
const ARRIVED = 9;
const QUEUED = 10;
const EGRESS = 11;
const END = 12;
const END_PS = 13;
const REASON = 14;
const WIDTH = 15;

const NONE = -1;
const FIRST_ROWS = 16;

/** Hops of one device, in the order in which they began: numbers side by side. */
export class HopLog {
  count = 0;
  private values = new Float64Array(FIRST_ROWS * WIDTH);
  /** Rows of frames that are inside, the oldest first. */
  private readonly inside: number[] = [];

  get insideCount(): number {
    return this.inside.length;
  }

  /** A frame is inside from now on. */
  begin(ingress: number, now: number, pool: FramePool, frame: number): number {
    const row = this.count++;
    const at = row * WIDTH;
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
      const at = row * WIDTH;
      if (this.values[at + EGRESS] !== NONE || this.values[at + INGRESS] !== ingress) continue;
      if (this.isOf(row, pool, frame)) return row;
    }
    return NONE;
  }

  /** The oldest inside that is this frame and waits at an egress; -1: none. */
  findQueued(egress: number, pool: FramePool, frame: number): number {
    for (const row of this.inside) {
      if (this.values[row * WIDTH + EGRESS] === egress && this.isOf(row, pool, frame)) return row;
    }
    return NONE;
  }

  /** The oldest that came in and is this frame, whose hash may be gone; -1: none. */
  findKept(pool: FramePool, frame: number): number {
    for (const row of this.inside) {
      if (this.values[row * WIDTH + INGRESS] !== NONE && this.isLike(row, pool, frame)) return row;
    }
    return NONE;
  }

  /** The last hop of all, if it is this frame and ended just now; else -1. */
  justEnded(now: number, pool: FramePool, frame: number): number {
    const row = this.count - 1;
    if (row < 0 || this.values[row * WIDTH + END_PS] !== now) return NONE;
    return this.isOf(row, pool, frame) ? row : NONE;
  }

  queue(row: number, egress: number, now: number): void {
    this.values[row * WIDTH + QUEUED] = now;
    this.values[row * WIDTH + EGRESS] = egress;
  }

  /** A frame is not inside any more. */
  leave(row: number, end: number, now: number): void {
    this.values[row * WIDTH + END] = end;
    this.values[row * WIDTH + END_PS] = now;
    this.inside.splice(this.inside.indexOf(row), 1);
  }

  /** A frame that was thought to have ended is still inside. */
  keep(row: number): void {
    this.values[row * WIDTH + END] = HOP_END.INSIDE;
    this.values[row * WIDTH + END_PS] = Infinity;
    this.inside.push(row);
  }

  setDropped(row: number, reason: number): void {
    this.values[row * WIDTH + END] = HOP_END.DROPPED;
    this.values[row * WIDTH + REASON] = reason;
  }

  /** Where those inside wait. */
  egresses(): number[] {
    return this.inside.map((row) => this.values[row * WIDTH + EGRESS]).filter((e) => e !== NONE);
  }

  diceAt(row: number): number {
    return this.values[row * WIDTH + DICE];
  }

  read(row: number): HopRecord {
    const { values } = this;
    const at = row * WIDTH;
    return {
      dice: values[at + DICE],
      source: values[at + FROM],
      target: values[at + TO],
      connection: values[at + AT_CONNECTION],
      sequence: values[at + NUMBER],
      bornPs: values[at + BORN],
      octets: values[at + OCTETS],
      frameClass: values[at + FRAME_CLASS],
      ingress: values[at + INGRESS],
      arrivedPs: values[at + ARRIVED],
      queuedPs: values[at + QUEUED],
      egress: values[at + EGRESS],
      end: HOP_ENDS[values[at + END]],
      endPs: values[at + END_PS],
      reason: values[at + REASON],
    };
  }

  private isOf(row: number, pool: FramePool, frame: number): boolean {
    return this.isLike(row, pool, frame) && this.diceAt(row) === diceOf(pool.words, frame);
  }

  /** All but its dice, for which the hash is needed. */
  private isLike(row: number, { words, ends }: FramePool, frame: number): boolean {
    const { values } = this;
    const at = row * WIDTH;
    return (
      values[at + NUMBER] === words[frame + SEQUENCE] &&
      values[at + FROM] === ends[frame + SOURCE] &&
      values[at + TO] === words[frame + TARGET] &&
      values[at + AT_CONNECTION] === ends[frame + CONNECTION] &&
      ((values[at + FRAME_CLASS] ^ words[frame + CLASS]) & KIND_MASK) === 0
    );
  }
}

/** As `nameOf` says it of the frame. */
export function nameOfHop(hop: HopRecord): string {
  const { dice, source, target, connection, frameClass, sequence } = hop;
  return `${dice} ${source} ${target} ${connection} ${frameClass & KIND_MASK} ${sequence}`;
}

/** Whether two hops are of one frame. */
export function isSameFrame(a: HopRecord, b: HopRecord): boolean {
  return (
    a.dice === b.dice &&
    a.sequence === b.sequence &&
    a.source === b.source &&
    a.target === b.target &&
    a.connection === b.connection &&
    ((a.frameClass ^ b.frameClass) & KIND_MASK) === 0
  );
}
