import { Arena } from '../kernel/arena.js';
import { assert } from '../kernel/assert.js';
import type { FrameRef, Priority } from '../units/indices.js';

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
/** Destination station (or multicast group), by position. */
export const TARGET = 4;
/** Packet sequence number; for ACK and NAK the next number expected. */
export const SEQUENCE = 5;
/** In a device: octets of buffer charged. In flight, see `InFlightQueues`. */
export const STORED = 6;
/** In a device: its ingress port. */
export const PORT = 7;

/** Double of a record that holds a time of arrival: `times[(frame >> 1) + ARRIVAL]`. */
export const ARRIVAL = 3;

// Words of a frame for its ends: `ends[frame + FIELD]`.

/** Station that sent it, by position. */
export const SOURCE = 0;
/** Connection at the receiving station. */
export const CONNECTION = 1;
/** Packet's place in its message, counted back: 0 is the last packet. */
export const REMAINING = 2;
/** VLAN identifiers: C-TAG in the low half, S-TAG in the high half, 0 for none. */
export const VLAN = 3;

/**
 * Of an answer, which was not released: what it says beside the next number expected, as a whole
 * number of at most 52 bits; 0 says nothing.
 */
const BORN_DOUBLE = 2;

/**
 * In a bridge: octets of the C-TAG that the frame arrived with, 4 or 0. Above, in a device: slot of
 * octets that are sent beside the frame, counted from 1; in flight, a number of its link layer.
 */
const CAME_AND_CARRIED = 6;
const CAME_MASK = 7;
const CARRIED_SHIFT = 3;

/**
 * Flow ID of the CN-TAG (802.1Q 33.2), counted from 1, 0 for a frame without one; and in the upper
 * half, in a switch with a frame data buffer, its slot there; in others see REPLICA_FLAG.
 */
const FLOW_AND_SLOT = 7;
const FLOW_ID_MASK = 0xffff;
const SLOT_SHIFT = 16;
const SLOT_MASK = 0xffff;

const STRIDE = 8;
const STRIDE_BITS = 3;

/** Words of both records of a frame, as they are saved and sent. */
export const RECORD_WORDS = 2 * STRIDE;
/** In such a record: a word, and both times as doubles. */
export const RECORD_REMAINING = STRIDE + REMAINING;
export const RECORD_ARRIVAL = ARRIVAL;
export const RECORD_BORN = STRIDE / 2 + BORN_DOUBLE;

/** Bit fields of CLASS. */
export const PRIORITY_MASK = 7;
const DEI_SHIFT = 3;
export const DEI_FLAG = 1 << DEI_SHIFT;
const DSCP_SHIFT = 4;
const DSCP_MASK = 63;
export const ECN_SHIFT = 10;
export const ECN_MASK = 3 << ECN_SHIFT;
export const ECT_0 = 2 << ECN_SHIFT;
export const ECN_CE = 3 << ECN_SHIFT;
const KIND_SHIFT = 12;
export const KIND_MASK = 7 << KIND_SHIFT;
export const KIND_RAW = 0 << KIND_SHIFT;
export const KIND_DATA = 1 << KIND_SHIFT;
export const KIND_ACK = 2 << KIND_SHIFT;
export const KIND_NAK = 3 << KIND_SHIFT;
/** Headers of a packet whose payload a switch has cut off; the last one on its path, told apart. */
export const KIND_CUT = 4 << KIND_SHIFT;
export const KIND_CUT_LAST = 5 << KIND_SHIFT;
/** A congestion message: its octets give the type. */
export const KIND_NOTICE = 7 << KIND_SHIFT;
export const GROUP_FLAG = 1 << 15;
/** In a device: units of buffer that it is charged; zero on the wire, but for `FOLLOWS_FLAG`. */
export const CHARGE_SHIFT = 16;
export const CHARGE_MASK = 0xff << CHARGE_SHIFT;
/** In flight: it has the number behind that of the frame before it; see `LinkNumbers`. */
export const FOLLOWS_FLAG = 1 << CHARGE_SHIFT;
/** In a device: a copy of a frame that was not itself transmitted to it. */
export const COPY_FLAG = 1 << 24;

/** It left the congesting queue of the previous device, and is charged to a group for that. */
export const ISOLATED_FLAG = 1 << 25;
/** In a device: it is in the congesting queue. */
export const ISOLATING_FLAG = 1 << 26;

/** Octets are sent beside it, which devices on its path may read. */
export const CARRIES_FLAG = 1 << 27;

/** Its path is traced. This does not change behaviour, and is in no digest. */
export const FOLLOWED_FLAG = 1 << 28;

/**
 * In a switch: a copy of a multicast or flooded frame, whose buffer is charged once for all of
 * them. Its number there is in the slot and, above that, in place of the charge.
 */
export const REPLICA_FLAG = 1 << 29;

/** Its end was bad when a switch had begun to forward it: the switch ended it with a false FCS. */
export const POISONED_FLAG = 1 << 30;

/** An acknowledgement of packets that had been marked (BECN of its transport header). */
export const ECHO_FLAG = 1 << 31;

/** Whether a switch has marked the frame (CE of RFC 3168). */
export function isMarked(frameClass: number): boolean {
  return (frameClass & ECN_MASK) === ECN_CE;
}

interface FrameClass {
  readonly priority: Priority;
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

/** What a switch writes anew into CLASS of a packet that it cuts. */
export const CLASS_OF_CUT = PRIORITY_MASK | (DSCP_MASK << DSCP_SHIFT) | KIND_MASK;

export function packedDscp(dscp: number): number {
  return dscp << DSCP_SHIFT;
}

export function isCut(frameClass: number): boolean {
  const kind = frameClass & KIND_MASK;
  return kind === KIND_CUT || kind === KIND_CUT_LAST;
}

/** An acknowledgement of either kind. */
export function isAnswer(frameClass: number): boolean {
  const kind = frameClass & KIND_MASK;
  return kind === KIND_ACK || kind === KIND_NAK;
}

export function dscpOf(frameClass: number): number {
  return (frameClass >> DSCP_SHIFT) & DSCP_MASK;
}

/** CLASS of a record that is not in use: no frame has the highest bit. */
const FREE = 1 << 31;

/** Octets of both records of a frame. */
export const FRAME_RECORD_OCTETS = 4 * RECORD_WORDS;

/** Room of a small pool; memory that is never touched costs nothing. */
export const LEAST_FRAMES = 1 << 18;
/** Beyond it the offset of a frame would not be a small integer of V8. */
export const MOST_FRAMES = 1 << 27;

/** Less would not begin a page; see Arena. */
const LEAST_OCTETS = 1 << 17;

/** A run needs more frames at once than there is memory for: no defect of the engine. */
export class FramesExhausted extends Error {
  constructor(frames: number) {
    const octets = frames * FRAME_RECORD_OCTETS;
    super(
      `more than ${frames.toLocaleString('en')} frames are under way at once, and there is no ` +
        `memory for more (${(octets / 2 ** 20).toFixed(0)} MB for frames): give the process more ` +
        'memory, spread the run over services, or use longer frames, shorter links or less buffer',
    );
    this.name = 'FramesExhausted';
  }
}

export class FramePool {
  readonly words: Int32Array;
  readonly ends: Int32Array;
  readonly times: Float64Array;
  readonly births: Float64Array;
  private free = -1;
  /** Frames from here on have never been used. */
  private fresh = 0;

  /** Room for so many frames. */
  constructor(frames = LEAST_FRAMES) {
    const length = frames * STRIDE;
    const hot = new Arena(LEAST_OCTETS).take(length * Int32Array.BYTES_PER_ELEMENT);
    const cold = new Arena(LEAST_OCTETS).take(length * Int32Array.BYTES_PER_ELEMENT);
    this.words = new Int32Array(hot.buffer, hot.offset, length);
    this.times = new Float64Array(hot.buffer, hot.offset, length / 2);
    this.ends = new Int32Array(cold.buffer, cold.offset, length);
    this.births = new Float64Array(cold.buffer, cold.offset, length / 2);
  }

  allocate(): number {
    const frame = this.free;
    if (frame < 0) return this.allocateFresh();
    assert(this.words[frame + CLASS] === FREE, 'pool.free-list');
    this.free = this.words[frame + NEXT];
    this.words[frame + CLASS] = 0;
    return frame;
  }

  release(frame: FrameRef): void {
    assert(this.words[frame + CLASS] !== FREE, 'pool.release');
    this.words[frame + CLASS] = FREE;
    this.words[frame + NEXT] = this.free;
    this.free = frame;
  }

  /** A new frame with the fields of one in another pool (or this one). */
  copyFrom(pool: FramePool, frame: FrameRef): number {
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
    ends[copy + CAME_AND_CARRIED] = pool.ends[frame + CAME_AND_CARRIED];
    ends[copy + FLOW_AND_SLOT] = pool.ends[frame + FLOW_AND_SLOT];
    this.setBorn(copy, pool.born(frame));
    return copy;
  }

  arrival(frame: FrameRef): number {
    return this.times[(frame >> 1) + ARRIVAL];
  }

  setArrival(frame: FrameRef, time: number): void {
    this.times[(frame >> 1) + ARRIVAL] = time;
  }

  /** Place of its time of birth in `births`. */
  bornAt(frame: FrameRef): number {
    return (frame >> 1) + BORN_DOUBLE;
  }

  /** When its payload was ready to be sent. */
  born(frame: FrameRef): number {
    return this.births[(frame >> 1) + BORN_DOUBLE];
  }

  setBorn(frame: FrameRef, time: number): void {
    this.births[(frame >> 1) + BORN_DOUBLE] = time;
  }

  /** The same of any frame: an answer is released by none, at 0. */
  released(frame: FrameRef): number {
    const kind = this.words[frame + CLASS] & KIND_MASK;
    return kind === KIND_ACK || kind === KIND_NAK ? 0 : this.born(frame);
  }

  /** What an answer says beside the next number expected. */
  said(frame: FrameRef): number {
    return this.births[(frame >> 1) + BORN_DOUBLE];
  }

  setSaid(frame: FrameRef, said: number): void {
    assert(said >= 0 && Number.isSafeInteger(said), 'frame.said-is-whole');
    this.births[(frame >> 1) + BORN_DOUBLE] = said;
  }

  flowId(frame: FrameRef): number {
    return this.ends[frame + FLOW_AND_SLOT] & FLOW_ID_MASK;
  }

  setFlowId(frame: FrameRef, flowId: number): void {
    const { ends } = this;
    assert((flowId & ~FLOW_ID_MASK) === 0, 'frame.flow-id-of-16-bits');
    ends[frame + FLOW_AND_SLOT] = (ends[frame + FLOW_AND_SLOT] & ~FLOW_ID_MASK) | flowId;
  }

  cameTagged(frame: FrameRef): number {
    return this.ends[frame + CAME_AND_CARRIED] & CAME_MASK;
  }

  setCameTagged(frame: FrameRef, octets: number): void {
    const { ends } = this;
    assert(octets === 0 || octets === 4, 'frame.tag-of-4-octets');
    ends[frame + CAME_AND_CARRIED] = (ends[frame + CAME_AND_CARRIED] & ~CAME_MASK) | octets;
  }

  /** -1: none. */
  carried(frame: FrameRef): number {
    return (this.ends[frame + CAME_AND_CARRIED] >> CARRIED_SHIFT) - 1;
  }

  setCarried(frame: FrameRef, slot: number): void {
    const { ends } = this;
    assert(slot >= -1, 'frame.carried-slot');
    const came = ends[frame + CAME_AND_CARRIED] & CAME_MASK;
    ends[frame + CAME_AND_CARRIED] = came | ((slot + 1) << CARRIED_SHIFT);
  }

  /** The same of a record that `readInto` has written. */
  carriedOf(records: Int32Array, at: number): number {
    return (records[at + STRIDE + CAME_AND_CARRIED] >> CARRIED_SHIFT) - 1;
  }

  setCarriedOf(records: Int32Array, at: number, slot: number): void {
    const came = records[at + STRIDE + CAME_AND_CARRIED] & CAME_MASK;
    records[at + STRIDE + CAME_AND_CARRIED] = came | ((slot + 1) << CARRIED_SHIFT);
  }

  /** In flight, where a frame carries no octets: the number of its link layer, or -1. */
  linkNumber(frame: FrameRef): number {
    return this.carried(frame);
  }

  setLinkNumber(frame: FrameRef, number: number): void {
    this.setCarried(frame, number);
  }

  slot(frame: FrameRef): number {
    return this.ends[frame + FLOW_AND_SLOT] >> SLOT_SHIFT;
  }

  setSlot(frame: FrameRef, slot: number): void {
    assert((slot & ~SLOT_MASK) === 0, 'frame.slot-of-16-bits');
    this.ends[frame + FLOW_AND_SLOT] = this.flowId(frame) | (slot << SLOT_SHIFT);
  }

  /** How many frames have ever been in use at once. */
  extent(): number {
    return this.fresh >> STRIDE_BITS;
  }

  /** A frame's two records, one behind the other. */
  read(frame: FrameRef): Int32Array {
    const record = new Int32Array(RECORD_WORDS);
    this.readInto(frame, record, 0);
    return record;
  }

  readInto(frame: FrameRef, target: Int32Array, at: number): void {
    for (let i = 0; i < STRIDE; i++) {
      target[at + i] = this.words[frame + i];
      target[at + STRIDE + i] = this.ends[frame + i];
    }
  }

  /** The same, one by one, of what is valid in any list and at any time. */
  keepInto(frame: FrameRef, target: Int32Array, at: number): void {
    const { words, ends } = this;
    target[at + LENGTH] = words[frame + LENGTH];
    target[at + CLASS] = words[frame + CLASS];
    target[at + HASH] = words[frame + HASH];
    target[at + TARGET] = words[frame + TARGET];
    target[at + SEQUENCE] = words[frame + SEQUENCE];
    const end = at + STRIDE;
    target[end] = ends[frame];
    target[end + 1] = ends[frame + 1];
    target[end + 2] = ends[frame + 2];
    target[end + 3] = ends[frame + 3];
    target[end + 4] = ends[frame + 4];
    target[end + 5] = ends[frame + 5];
    target[end + 6] = ends[frame + 6];
    target[end + 7] = ends[frame + 7];
  }

  /** Whether it equals a record in all but list, sequence, countdown and times. */
  isLike(frame: FrameRef, record: Int32Array, at: number): boolean {
    const { words, ends } = this;
    const end = at + STRIDE;
    return (
      words[frame + LENGTH] === record[at + LENGTH] &&
      words[frame + CLASS] === record[at + CLASS] &&
      words[frame + HASH] === record[at + HASH] &&
      words[frame + TARGET] === record[at + TARGET] &&
      ends[frame + SOURCE] === record[end + SOURCE] &&
      ends[frame + CONNECTION] === record[end + CONNECTION] &&
      ends[frame + VLAN] === record[end + VLAN] &&
      ends[frame + CAME_AND_CARRIED] === record[end + CAME_AND_CARRIED] &&
      ends[frame + FLOW_AND_SLOT] === record[end + FLOW_AND_SLOT]
    );
  }

  /** Number of the buffer that a copy shares with others. */
  replica(frame: FrameRef): number {
    const upper = this.words[frame + CLASS] & CHARGE_MASK;
    return upper | (this.ends[frame + FLOW_AND_SLOT] >>> SLOT_SHIFT);
  }

  setReplica(frame: FrameRef, number: number): void {
    const { words } = this;
    assert((number & ~(CHARGE_MASK | SLOT_MASK)) === 0, 'frame.replica-number');
    const frameClass = words[frame + CLASS] & ~CHARGE_MASK;
    words[frame + CLASS] = frameClass | REPLICA_FLAG | (number & CHARGE_MASK);
    this.setSlot(frame, number & SLOT_MASK);
  }

  endReplica(frame: FrameRef): void {
    assert((this.words[frame + CLASS] & REPLICA_FLAG) !== 0, 'frame.is-replica');
    this.words[frame + CLASS] &= ~(REPLICA_FLAG | CHARGE_MASK);
    this.setSlot(frame, 0);
  }

  /** A new frame with the records at an offset. */
  write(source: Int32Array, at = 0): number {
    const frame = this.allocate();
    for (let i = 0; i < STRIDE; i++) {
      this.words[frame + i] = source[at + i];
      this.ends[frame + i] = source[at + STRIDE + i];
    }
    return frame;
  }

  /** Frames handed out and not yet released: counted, for checks only. */
  inUse(): number {
    const used = this.fresh >> STRIDE_BITS;
    let idle = 0;
    for (let f = this.free; f >= 0; f = this.words[f + NEXT]) {
      if (++idle > used) throw new Error('a frame was released twice');
    }
    return used - idle;
  }

  private allocateFresh(): number {
    const frame = this.fresh;
    if (frame === this.words.length) throw new FramesExhausted(frame >> STRIDE_BITS);
    this.fresh = frame + STRIDE;
    return frame;
  }
}
