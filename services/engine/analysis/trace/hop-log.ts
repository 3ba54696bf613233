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
import { sampleOf } from '../../frame/draw.js';
import { assert } from '../../kernel/assert.js';
import { assertFields } from '../../kernel/fields.js';

/** How a frame left a device, or that it has not. */
export const HOP_ENDS = ['inside', 'sent', 'delivered', 'dropped'] as const;

export type HopEnd = (typeof HOP_ENDS)[number];

export const HOP_END = { INSIDE: 0, SENT: 1, DELIVERED: 2, DROPPED: 3 } as const;

// Words of a traced frame at one device. Ports are as the device counts them, -1 for none.

/** Pseudo-random number of the frame: see `nameOf`. */
export const SAMPLE = 0;
export const FROM = 1;
export const TO = 2;
export const AT_CONNECTION = 3;
export const NUMBER = 4;
export const OCTETS = 5;
export const FRAME_CLASS = 6;
export const INGRESS = 7;
export const EGRESS = 8;
/** Index into HOP_ENDS. */
export const END = 9;
export const REASON = 10;
/** Index of its device; -1: the hop was removed. */
export const DEVICE = 11;
/** Other hops of the device: the one before and, of those inside, the next older and younger. */
const BEFORE = 12;
const OLDER = 13;
const YOUNGER = 14;
export const HOP_WORDS = 16;
assertFields(
  HOP_WORDS,
  SAMPLE,
  FROM,
  TO,
  AT_CONNECTION,
  NUMBER,
  OCTETS,
  FRAME_CLASS,
  INGRESS,
  EGRESS,
  END,
  REASON,
  DEVICE,
  BEFORE,
  OLDER,
  YOUNGER,
);

// Its times, in ps.

/** When its payload was ready to be sent. */
export const BORN = 0;
/** When it could be processed here; where it was created, when it joined the queue. */
export const ARRIVED = 1;
export const QUEUED = 2;
/** When it started on the wire, was delivered or was dropped. */
export const END_PS = 3;
export const HOP_TIMES = 4;
assertFields(HOP_TIMES, BORN, ARRIVED, QUEUED, END_PS);

// Of a device: number of hops, the last one, and the oldest and youngest inside.

const COUNT = 0;
const LAST = 1;
const OLDEST = 2;
const YOUNGEST = 3;
const ENDS = 4;
assertFields(ENDS, COUNT, LAST, OLDEST, YOUNGEST);

const NONE = -1;
const FIRST_ROWS = 1024;

/** Hops, those of each device in the order in which they began: numbers side by side. */
export interface Hops {
  readonly count: number;
  readonly words: Int32Array;
  readonly times: Float64Array;
}

/**
 * Hops of all devices, in the order in which they began: appended to one array, so that writes are
 * adjacent in memory.
 */
export class HopLog {
  private count = 0;
  private words = new Int32Array(FIRST_ROWS * HOP_WORDS);
  private times = new Float64Array(FIRST_ROWS * HOP_TIMES);
  private readonly ends: Int32Array;

  constructor(devices: number) {
    this.ends = new Int32Array(devices * ENDS);
    for (let device = 0; device < devices; device++) this.clear(device);
  }

  countOf(device: number): number {
    return this.ends[device * ENDS + COUNT];
  }

  /** A frame is inside from now on. */
  begin(device: number, ingress: number, now: number, pool: FramePool, frame: number): number {
    const row = this.grown();
    const { words, times } = this;
    const at = row * HOP_WORDS;
    words[at + SAMPLE] = sampleOf(pool.words, frame);
    words[at + FROM] = pool.ends[frame + SOURCE];
    words[at + TO] = pool.words[frame + TARGET];
    words[at + AT_CONNECTION] = pool.ends[frame + CONNECTION];
    words[at + NUMBER] = pool.words[frame + SEQUENCE];
    words[at + OCTETS] = pool.words[frame + LENGTH];
    words[at + FRAME_CLASS] = pool.words[frame + CLASS];
    words[at + INGRESS] = ingress;
    words[at + EGRESS] = NONE;
    words[at + END] = HOP_END.INSIDE;
    words[at + REASON] = NONE;
    times[row * HOP_TIMES + BORN] = pool.released(frame);
    times[row * HOP_TIMES + ARRIVED] = now;
    times[row * HOP_TIMES + QUEUED] = now;
    times[row * HOP_TIMES + END_PS] = Infinity;
    this.append(device, row);
    this.enter(device, row);
    return row;
  }

  /** The oldest hop inside of this frame without an egress; -1: none. */
  findUnqueued(device: number, ingress: number, pool: FramePool, frame: number): number {
    const { words } = this;
    for (let row = this.oldest(device); row !== NONE; row = this.younger(row)) {
      const at = row * HOP_WORDS;
      if (words[at + EGRESS] !== NONE || words[at + INGRESS] !== ingress) continue;
      if (this.isOf(row, pool, frame)) return row;
    }
    return NONE;
  }

  /** The oldest hop inside of this frame that waits at an egress; -1: none. */
  findQueued(device: number, egress: number, pool: FramePool, frame: number): number {
    for (let row = this.oldest(device); row !== NONE; row = this.younger(row)) {
      const isThere = this.words[row * HOP_WORDS + EGRESS] === egress;
      if (isThere && this.isOf(row, pool, frame)) return row;
    }
    return NONE;
  }

  /** The oldest received hop of this frame, whose hash may be overwritten; -1: none. */
  findKept(device: number, pool: FramePool, frame: number): number {
    for (let row = this.oldest(device); row !== NONE; row = this.younger(row)) {
      const cameIn = this.words[row * HOP_WORDS + INGRESS] !== NONE;
      if (cameIn && this.isLike(row, pool, frame)) return row;
    }
    return NONE;
  }

  /** The last hop of all, if it is of this frame and ended just now; else -1. */
  justEnded(device: number, now: number, pool: FramePool, frame: number): number {
    const row = this.ends[device * ENDS + LAST];
    if (row < 0 || this.times[row * HOP_TIMES + END_PS] !== now) return NONE;
    return this.isOf(row, pool, frame) ? row : NONE;
  }

  queue(row: number, egress: number, now: number): void {
    assert(this.words[row * HOP_WORDS + EGRESS] === NONE || egress >= 0, 'hops.queued-at-a-port');
    this.words[row * HOP_WORDS + EGRESS] = egress;
    this.times[row * HOP_TIMES + QUEUED] = now;
  }

  /** A frame has left. */
  leave(device: number, row: number, end: number, now: number): void {
    const { words, ends } = this;
    assert(words[row * HOP_WORDS + END] === HOP_END.INSIDE, 'hops.leaves-once');
    assert(now >= this.times[row * HOP_TIMES + ARRIVED], 'hops.leaves-after-it-came');
    this.times[row * HOP_TIMES + END_PS] = now;
    words[row * HOP_WORDS + END] = end;
    const older = words[row * HOP_WORDS + OLDER];
    const younger = words[row * HOP_WORDS + YOUNGER];
    if (older === NONE) ends[device * ENDS + OLDEST] = younger;
    else words[older * HOP_WORDS + YOUNGER] = younger;
    if (younger === NONE) ends[device * ENDS + YOUNGEST] = older;
    else words[younger * HOP_WORDS + OLDER] = older;
  }

  /** A frame that was recorded as gone is still inside. */
  keep(device: number, row: number): void {
    this.words[row * HOP_WORDS + END] = HOP_END.INSIDE;
    this.times[row * HOP_TIMES + END_PS] = Infinity;
    this.enter(device, row);
  }

  setDropped(row: number, reason: number): void {
    this.words[row * HOP_WORDS + END] = HOP_END.DROPPED;
    this.words[row * HOP_WORDS + REASON] = reason;
  }

  /** Hops of all devices. */
  all(): Hops {
    const { count, words, times } = this;
    return {
      count,
      words: words.slice(0, count * HOP_WORDS),
      times: times.slice(0, count * HOP_TIMES),
    };
  }

  /** Hops of a device. */
  hopsOf(device: number): Hops {
    const count = this.countOf(device);
    const words = new Int32Array(count * HOP_WORDS);
    const times = new Float64Array(count * HOP_TIMES);
    this.rowsOf(device).forEach((row, place) => {
      words.set(this.words.subarray(row * HOP_WORDS, (row + 1) * HOP_WORDS), place * HOP_WORDS);
      times.set(this.times.subarray(row * HOP_TIMES, (row + 1) * HOP_TIMES), place * HOP_TIMES);
    });
    return { count, words, times };
  }

  /** Which of these are inside, the oldest first. */
  insideOf(device: number): number[] {
    const places = new Map(this.rowsOf(device).map((row, place) => [row, place]));
    const inside: number[] = [];
    for (let row = this.oldest(device); row !== NONE; row = this.younger(row)) {
      inside.push(places.get(row)!);
    }
    return inside;
  }

  /** Replaces the hops of a device, some of them inside. */
  replace(device: number, { count, words, times }: Hops, inside: readonly number[]): void {
    for (const row of this.rowsOf(device)) this.words[row * HOP_WORDS + DEVICE] = NONE;
    this.clear(device);
    const first = this.count;
    for (let place = 0; place < count; place++) {
      const row = this.grown();
      const own = words.subarray(place * HOP_WORDS, (place + 1) * HOP_WORDS);
      this.words.set(own, row * HOP_WORDS);
      this.times.set(times.subarray(place * HOP_TIMES, (place + 1) * HOP_TIMES), row * HOP_TIMES);
      this.append(device, row);
    }
    for (const place of inside) this.enter(device, first + place);
  }

  /** One row more. */
  private grown(): number {
    const row = this.count++;
    if (row * HOP_WORDS === this.words.length) {
      const words = new Int32Array(2 * this.words.length);
      const times = new Float64Array(2 * this.times.length);
      words.set(this.words);
      times.set(this.times);
      this.words = words;
      this.times = times;
    }
    return row;
  }

  /** Links the last row to a device. */
  private append(device: number, row: number): void {
    const { words, ends } = this;
    words[row * HOP_WORDS + DEVICE] = device;
    words[row * HOP_WORDS + BEFORE] = ends[device * ENDS + LAST];
    ends[device * ENDS + LAST] = row;
    ends[device * ENDS + COUNT]++;
  }

  /** Marks the youngest inside. */
  private enter(device: number, row: number): void {
    const { words, ends } = this;
    const youngest = ends[device * ENDS + YOUNGEST];
    assert(youngest !== row, 'hops.enters-once');
    words[row * HOP_WORDS + OLDER] = youngest;
    words[row * HOP_WORDS + YOUNGER] = NONE;
    if (youngest === NONE) ends[device * ENDS + OLDEST] = row;
    else words[youngest * HOP_WORDS + YOUNGER] = row;
    ends[device * ENDS + YOUNGEST] = row;
  }

  private clear(device: number): void {
    this.ends.fill(NONE, device * ENDS, (device + 1) * ENDS);
    this.ends[device * ENDS + COUNT] = 0;
  }

  /** In the order in which they began. */
  private rowsOf(device: number): number[] {
    const rows: number[] = [];
    let row = this.ends[device * ENDS + LAST];
    for (; row !== NONE; row = this.words[row * HOP_WORDS + BEFORE]) rows.push(row);
    return rows.reverse();
  }

  private oldest(device: number): number {
    return this.ends[device * ENDS + OLDEST];
  }

  private younger(row: number): number {
    return this.words[row * HOP_WORDS + YOUNGER];
  }

  private isOf(row: number, pool: FramePool, frame: number): boolean {
    return (
      this.isLike(row, pool, frame) &&
      this.words[row * HOP_WORDS + SAMPLE] === (sampleOf(pool.words, frame) | 0)
    );
  }

  /** Compares all but the pseudo-random number, which needs the hash. */
  private isLike(row: number, pool: FramePool, frame: number): boolean {
    const { words } = this;
    const at = row * HOP_WORDS;
    return (
      words[at + NUMBER] === pool.words[frame + SEQUENCE] &&
      words[at + FROM] === pool.ends[frame + SOURCE] &&
      words[at + TO] === pool.words[frame + TARGET] &&
      words[at + AT_CONNECTION] === pool.ends[frame + CONNECTION] &&
      ((words[at + FRAME_CLASS] ^ pool.words[frame + CLASS]) & KIND_MASK) === 0
    );
  }
}

/** The name of the frame, as of `nameOf`; `at`: offset of the hop's words. */
export function nameOfHop(words: Int32Array, at: number): string {
  const end = `${words[at + FROM]} ${words[at + TO]} ${words[at + AT_CONNECTION]}`;
  const kind = words[at + FRAME_CLASS] & KIND_MASK;
  return `${words[at + SAMPLE] >>> 0} ${end} ${kind} ${words[at + NUMBER]}`;
}

/** Whether two hops, given by the offsets of their words, are of one frame. */
export function isSameFrame(words: Int32Array, a: number, b: number): boolean {
  return (
    words[a + SAMPLE] === words[b + SAMPLE] &&
    words[a + NUMBER] === words[b + NUMBER] &&
    words[a + FROM] === words[b + FROM] &&
    words[a + TO] === words[b + TO] &&
    words[a + AT_CONNECTION] === words[b + AT_CONNECTION] &&
    ((words[a + FRAME_CLASS] ^ words[b + FRAME_CLASS]) & KIND_MASK) === 0
  );
}
