/**
 * The frames of one service. A frame is named by an offset and has two records of eight words
 * each: what every hop reads, and what only its ends do. Thousands are in flight, so it matters
 * that the first kind fits two to a cache line.
 */

// Words of a frame that every hop reads: `words[frame + FIELD]`.

/** Next frame of the list it is in. */
export const NEXT = 0;
/** Octets from destination address to FCS, tags included. */
export const LENGTH = 1;
/** Packed: see the bit fields below. */
export const CLASS = 2;
/** Flow hash, for equal-cost choices. */
export const HASH = 3;
/** Station (or multicast group) that it goes to, by position. */
export const TARGET = 4;
/** Packet sequence number; for ACK and NAK the next number expected. */
export const SEQUENCE = 5;
/** In a device: octets of memory charged. In flight, 6 and 7 hold the arrival time. */
export const STORED = 6;
/** In a device: the port it came in by. */
export const PORT = 7;

const ARRIVAL_DOUBLE = 3;

// Words of a frame for its ends: `ends[frame + FIELD]`.

/** Station that sent it, by position. */
export const SOURCE = 0;
/** Connection at the receiving station. */
export const CONNECTION = 1;
/** Packet's place in its message, counted back: 0 is the last packet. */
export const REMAINING = 2;
/** VLAN identifiers: C-TAG in the low half, S-TAG in the high half, 0 for none. */
export const VLAN = 3;

const BORN_DOUBLE = 2;

const STRIDE = 8;
const STRIDE_BITS = 3;

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
  /** Reload all of these after an allocation: growing replaces them. */
  words: Int32Array;
  ends: Int32Array;
  private times: Float64Array;
  private births: Float64Array;
  private free = -1;

  constructor(capacity = 32) {
    const hot = new ArrayBuffer(capacity * STRIDE * 4);
    const cold = new ArrayBuffer(capacity * STRIDE * 4);
    this.words = new Int32Array(hot);
    this.times = new Float64Array(hot);
    this.ends = new Int32Array(cold);
    this.births = new Float64Array(cold);
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

  /** A new frame with the fields of one in another pool (or this one). */
  copyFrom(pool: FramePool, frame: number): number {
    const copy = this.allocate();
    const { words, ends } = this;
    words[copy + LENGTH] = pool.words[frame + LENGTH];
    words[copy + CLASS] = pool.words[frame + CLASS];
    words[copy + HASH] = pool.words[frame + HASH];
    words[copy + TARGET] = pool.words[frame + TARGET];
    words[copy + SEQUENCE] = pool.words[frame + SEQUENCE];
    ends[copy + SOURCE] = pool.ends[frame + SOURCE];
    ends[copy + CONNECTION] = pool.ends[frame + CONNECTION];
    ends[copy + REMAINING] = pool.ends[frame + REMAINING];
    ends[copy + VLAN] = pool.ends[frame + VLAN];
    this.setBorn(copy, pool.born(frame));
    return copy;
  }

  arrival(frame: number): number {
    return this.times[(frame >> 1) + ARRIVAL_DOUBLE];
  }

  setArrival(frame: number, time: number): void {
    this.times[(frame >> 1) + ARRIVAL_DOUBLE] = time;
  }

  /** When its payload was ready to be sent. */
  born(frame: number): number {
    return this.births[(frame >> 1) + BORN_DOUBLE];
  }

  setBorn(frame: number, time: number): void {
    this.births[(frame >> 1) + BORN_DOUBLE] = time;
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
    const hot = new ArrayBuffer(before.byteLength * 2);
    const cold = new ArrayBuffer(before.byteLength * 2);
    this.words = new Int32Array(hot);
    this.times = new Float64Array(hot);
    this.words.set(before);
    const ends = new Int32Array(cold);
    ends.set(this.ends);
    this.ends = ends;
    this.births = new Float64Array(cold);
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
