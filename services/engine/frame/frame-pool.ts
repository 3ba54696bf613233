/**
 * Frames of one actor: records of sixteen words (one cache line) in one buffer, handed out by a
 * free list. A frame is named by the offset of its first word. Each actor owns its pool, so an
 * actor's state is self-contained, and handing a frame over is a copy of eleven words, whether
 * the neighbour lives in this process or behind a broker.
 */

/** Words of a frame record. */
export const NEXT = 0;
/** Octets from destination address to FCS, tags included. */
export const LENGTH = 1;
/** Packed: see the bit fields below. */
export const CLASS = 2;
/** Flow hash, for equal-cost choices. */
export const HASH = 3;
/** Station that sent it, by position. */
export const SOURCE = 4;
/** Station (or multicast group) that it goes to. */
export const TARGET = 5;
/** Connection at the receiving station. */
export const CONNECTION = 6;
/** Packet sequence number; for ACK and NAK the next number expected. */
export const SEQUENCE = 7;
/** Packet's place in its message, counted back: 0 is the last packet. */
export const REMAINING = 8;
/** VLAN identifiers: C-TAG in the low half, S-TAG in the high half, 0 for none. */
export const VLAN = 9;
/** In a device: octets of memory charged. In flight, 10 and 11 hold the arrival time. */
export const STORED = 10;
/** In a device: the port it came in by. */
export const PORT = 11;
/** In a device: traffic class of the queue it waits in. Not carried over a link. */
export const QUEUE = 14;
/** Times, in doubles. */
const ARRIVAL_DOUBLE = 5;
const BORN_DOUBLE = 6;

const STRIDE = 16;
const STRIDE_BITS = 4;

/** Bit fields of CLASS. */
export const PRIORITY_MASK = 7;
const DEI_SHIFT = 3;
const DSCP_SHIFT = 4;
const ECN_SHIFT = 10;
export const ECN_MASK = 3 << ECN_SHIFT;
export const ECT_0 = 2 << ECN_SHIFT;
export const ECN_CE = 3 << ECN_SHIFT;
const KIND_SHIFT = 12;
export const KIND_MASK = 7 << KIND_SHIFT;
export const KIND_RAW = 0 << KIND_SHIFT;
export const KIND_DATA = 1 << KIND_SHIFT;
export const KIND_ACK = 2 << KIND_SHIFT;
export const KIND_NAK = 3 << KIND_SHIFT;
export const GROUP_FLAG = 1 << 15;
/** Came through a switch's slow path already: its last bit is in (cut-through only). */
export const COMPLETE_FLAG = 1 << 16;

export interface FrameClass {
  readonly priority: number;
  readonly dei: boolean;
  readonly dscp: number;
  readonly ect: boolean;
  readonly kind: number;
  readonly group: boolean;
}

export function packClass(c: FrameClass): number {
  return (
    c.priority |
    ((c.dei ? 1 : 0) << DEI_SHIFT) |
    (c.dscp << DSCP_SHIFT) |
    (c.ect ? ECT_0 : 0) |
    c.kind |
    (c.group ? GROUP_FLAG : 0)
  );
}

export class FramePool {
  /** Reload after every allocation: growing replaces it. */
  words: Int32Array;
  doubles: Float64Array;
  private free = -1;

  constructor(capacity = 32) {
    const buffer = new ArrayBuffer(capacity * STRIDE * 4);
    this.words = new Int32Array(buffer);
    this.doubles = new Float64Array(buffer);
    this.chain(0);
  }

  allocate(): number {
    if (this.free < 0) this.grow();
    const frame = this.free;
    this.free = this.words[frame + NEXT];
    return frame;
  }

  release(frame: number): void {
    this.words[frame + NEXT] = this.free;
    this.free = frame;
  }

  /** A copy of what travels with a frame, from another pool (or this one) into this one. */
  copyFrom(pool: FramePool, frame: number): number {
    const copy = this.allocate();
    const to = this.words;
    const from = pool.words;
    to[copy + 1] = from[frame + 1];
    to[copy + 2] = from[frame + 2];
    to[copy + 3] = from[frame + 3];
    to[copy + 4] = from[frame + 4];
    to[copy + 5] = from[frame + 5];
    to[copy + 6] = from[frame + 6];
    to[copy + 7] = from[frame + 7];
    to[copy + 8] = from[frame + 8];
    to[copy + 9] = from[frame + 9];
    to[copy + 12] = from[frame + 12];
    to[copy + 13] = from[frame + 13];
    return copy;
  }

  arrival(frame: number): number {
    return this.doubles[(frame >> 1) + ARRIVAL_DOUBLE];
  }

  setArrival(frame: number, time: number): void {
    this.doubles[(frame >> 1) + ARRIVAL_DOUBLE] = time;
  }

  /** When its payload was ready to be sent. */
  born(frame: number): number {
    return this.doubles[(frame >> 1) + BORN_DOUBLE];
  }

  setBorn(frame: number, time: number): void {
    this.doubles[(frame >> 1) + BORN_DOUBLE] = time;
  }

  get capacity(): number {
    return this.words.length >> STRIDE_BITS;
  }

  /** Frames handed out and not yet released: counted, for checks only. */
  inUse(): number {
    let idle = 0;
    for (let f = this.free; f >= 0; f = this.words[f + NEXT]) {
      if (++idle > this.capacity) throw new Error('a frame was released twice');
    }
    return this.capacity - idle;
  }

  private grow(): void {
    const before = this.words;
    const buffer = new ArrayBuffer(before.byteLength * 2);
    this.words = new Int32Array(buffer);
    this.doubles = new Float64Array(buffer);
    this.words.set(before);
    this.chain(before.length);
  }

  private chain(from: number): void {
    const { words } = this;
    for (let f = from; f < words.length; f += STRIDE) {
      words[f + NEXT] = f + STRIDE < words.length ? f + STRIDE : -1;
    }
    this.free = from;
  }
}
