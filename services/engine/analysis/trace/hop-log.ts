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
/** Its place; -1: the hop is forgotten. */
export const DEVICE = 15;
export const HOP_WIDTH = 16;

// Links of a hop to others of its device.

/** The one before. */
const BEFORE = 0;
/** Of those inside: the next older, and the next younger one. */
const OLDER = 1;
const YOUNGER = 2;
const LINKS = 3;

// Of a device: how many hops there are, the last one, and the oldest and youngest inside.

const COUNT = 0;
const LAST = 1;
const OLDEST = 2;
const YOUNGEST = 3;
const ENDS = 4;

const NONE = -1;
const FIRST_ROWS = 1024;

/** Hops, those of each device in the order in which they began: numbers side by side. */
export interface Hops {
  readonly count: number;
  readonly numbers: Float64Array;
}

/**
 * Hops of all devices, in the order in which they began: a hop is written where the one before it
 * was, and not where its device has been long ago.
 */
export class HopLog {
  private count = 0;
  private values = new Float64Array(FIRST_ROWS * HOP_WIDTH);
  private links = new Int32Array(FIRST_ROWS * LINKS);
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
    const row = this.write(device, ingress, now, pool, frame);
    this.enter(device, row);
    return row;
  }

  /** A frame is received by whoever it is for. */
  deliver(device: number, ingress: number, now: number, pool: FramePool, frame: number): void {
    const row = this.write(device, ingress, now, pool, frame);
    this.values[row * HOP_WIDTH + END] = HOP_END.DELIVERED;
    this.values[row * HOP_WIDTH + END_PS] = now;
  }

  /** The oldest inside that is this frame and has no egress yet; -1: none. */
  findUnqueued(device: number, ingress: number, pool: FramePool, frame: number): number {
    const { values } = this;
    for (let row = this.oldest(device); row !== NONE; row = this.younger(row)) {
      const at = row * HOP_WIDTH;
      if (values[at + EGRESS] !== NONE || values[at + INGRESS] !== ingress) continue;
      if (this.isOf(row, pool, frame)) return row;
    }
    return NONE;
  }

  /** The oldest inside that is this frame and waits at an egress; -1: none. */
  findQueued(device: number, egress: number, pool: FramePool, frame: number): number {
    for (let row = this.oldest(device); row !== NONE; row = this.younger(row)) {
      const isThere = this.values[row * HOP_WIDTH + EGRESS] === egress;
      if (isThere && this.isOf(row, pool, frame)) return row;
    }
    return NONE;
  }

  /** The oldest that came in and is this frame, whose hash may be gone; -1: none. */
  findKept(device: number, pool: FramePool, frame: number): number {
    for (let row = this.oldest(device); row !== NONE; row = this.younger(row)) {
      const cameIn = this.values[row * HOP_WIDTH + INGRESS] !== NONE;
      if (cameIn && this.isLike(row, pool, frame)) return row;
    }
    return NONE;
  }

  /** The last hop of all, if it is this frame and ended just now; else -1. */
  justEnded(device: number, now: number, pool: FramePool, frame: number): number {
    const row = this.ends[device * ENDS + LAST];
    if (row < 0 || this.values[row * HOP_WIDTH + END_PS] !== now) return NONE;
    return this.isOf(row, pool, frame) ? row : NONE;
  }

  queue(row: number, egress: number, now: number): void {
    this.values[row * HOP_WIDTH + QUEUED] = now;
    this.values[row * HOP_WIDTH + EGRESS] = egress;
  }

  /** A frame is not inside any more. */
  leave(device: number, row: number, end: number, now: number): void {
    this.values[row * HOP_WIDTH + END] = end;
    this.values[row * HOP_WIDTH + END_PS] = now;
    const { links, ends } = this;
    const older = links[row * LINKS + OLDER];
    const younger = links[row * LINKS + YOUNGER];
    if (older === NONE) ends[device * ENDS + OLDEST] = younger;
    else links[older * LINKS + YOUNGER] = younger;
    if (younger === NONE) ends[device * ENDS + YOUNGEST] = older;
    else links[younger * LINKS + OLDER] = older;
  }

  /** A frame that was thought to have ended is still inside. */
  keep(device: number, row: number): void {
    this.values[row * HOP_WIDTH + END] = HOP_END.INSIDE;
    this.values[row * HOP_WIDTH + END_PS] = Infinity;
    this.enter(device, row);
  }

  setDropped(row: number, reason: number): void {
    this.values[row * HOP_WIDTH + END] = HOP_END.DROPPED;
    this.values[row * HOP_WIDTH + REASON] = reason;
  }

  /** What there is of all devices. */
  all(): Hops {
    return { count: this.count, numbers: this.values.slice(0, this.count * HOP_WIDTH) };
  }

  /** What there is of a device. */
  hopsOf(device: number): Hops {
    const count = this.countOf(device);
    const numbers = new Float64Array(count * HOP_WIDTH);
    this.rowsOf(device).forEach((row, place) => {
      const from = row * HOP_WIDTH;
      numbers.set(this.values.subarray(from, from + HOP_WIDTH), place * HOP_WIDTH);
    });
    return { count, numbers };
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

  /** These are the hops of a device, and some of them inside; what there was is forgotten. */
  replace(device: number, { count, numbers }: Hops, inside: readonly number[]): void {
    for (const row of this.rowsOf(device)) this.values[row * HOP_WIDTH + DEVICE] = NONE;
    this.clear(device);
    const first = this.count;
    for (let from = 0; from < count * HOP_WIDTH; from += HOP_WIDTH) {
      const at = this.append(device) * HOP_WIDTH;
      this.values.set(numbers.subarray(from, from + HOP_WIDTH), at);
      this.values[at + DEVICE] = device;
    }
    for (const place of inside) this.enter(device, first + place);
  }

  /** In the order in which they began. */
  private rowsOf(device: number): number[] {
    const rows: number[] = [];
    let row = this.ends[device * ENDS + LAST];
    for (; row !== NONE; row = this.links[row * LINKS + BEFORE]) rows.push(row);
    return rows.reverse();
  }

  private clear(device: number): void {
    this.ends.fill(NONE, device * ENDS, (device + 1) * ENDS);
    this.ends[device * ENDS + COUNT] = 0;
  }

  private write(
    device: number,
    ingress: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): number {
    const row = this.append(device);
    const at = row * HOP_WIDTH;
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
    values[at + DEVICE] = device;
    return row;
  }

  private append(device: number): number {
    const row = this.count++;
    if (row * HOP_WIDTH === this.values.length) this.grow();
    this.links[row * LINKS + BEFORE] = this.ends[device * ENDS + LAST];
    this.ends[device * ENDS + LAST] = row;
    this.ends[device * ENDS + COUNT]++;
    return row;
  }

  private grow(): void {
    const values = new Float64Array(2 * this.values.length);
    const links = new Int32Array(2 * this.links.length);
    values.set(this.values);
    links.set(this.links);
    this.values = values;
    this.links = links;
  }

  /** The youngest inside from now on. */
  private enter(device: number, row: number): void {
    const { links, ends } = this;
    const youngest = ends[device * ENDS + YOUNGEST];
    links[row * LINKS + OLDER] = youngest;
    links[row * LINKS + YOUNGER] = NONE;
    if (youngest === NONE) ends[device * ENDS + OLDEST] = row;
    else links[youngest * LINKS + YOUNGER] = row;
    ends[device * ENDS + YOUNGEST] = row;
  }

  private oldest(device: number): number {
    return this.ends[device * ENDS + OLDEST];
  }

  private younger(row: number): number {
    return this.links[row * LINKS + YOUNGER];
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
