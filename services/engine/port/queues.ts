import { WIRE_OVERHEAD_OCTETS } from '../units/ethernet.js';
import type { FramePool } from '../frame/frame-pool.js';
import { CLASS, LENGTH, NEXT, PRIORITY_MASK, STORED } from '../frame/frame-pool.js';
import { assert } from '../kernel/assert.js';
import type { Clock } from '../kernel/clock.js';
import { DERIVED, PEAK, SHAPE, STAMP } from '../kernel/kinds.js';
import type { Tables } from '../kernel/tables.js';
import type { Ports } from './ports.js';
import {
  BLOCKED,
  PORT_WORDS,
  READY,
  REPEAT,
  STALL_ALIKE,
  STALL_BY_HEAD,
  STALL_TABLE_SHIFT,
  STALLS,
} from './ports.js';
import type { FrameRef, PortRow, TrafficClass } from '../units/indices.js';
import { double, fields } from '../kernel/fields.js';

// Words of a queue; there is one per port and traffic class.

const HEAD = 0;
const TAIL = 1;
export const QUEUE_FRAMES = 2;
/** Memory octets. */
export const QUEUE_OCTETS = 3;
export const QUEUE_PEAK = 4;
/** Since when something has been in it: the last two words. */
const SINCE_DOUBLE = 3;
const STRIDE = 8;
const UNUSED = [5];
const QUEUE = fields(
  STRIDE,
  {
    first: [HEAD, DERIVED],
    last: [TAIL, DERIVED],
    frames: [QUEUE_FRAMES, SHAPE],
    octets: [QUEUE_OCTETS, SHAPE],
    peak: [QUEUE_PEAK, PEAK],
    since: [double(SINCE_DOUBLE), STAMP],
  },
  UNUSED,
);

/** Egress queues: a list of frames per port and traffic class. */
export type Queues = ReturnType<typeof makeQueues>;

export function makeQueues(tables: Tables, ports: Ports, pool: FramePool, clock: Clock) {
  const { words } = pool;
  const portCount = tables.count('port');
  /** One plane per traffic class. */
  const records = tables.int32('port', QUEUE, 8);
  const times = new Float64Array(records.buffer, records.byteOffset, records.length / 2);
  for (let q = HEAD; q < records.length; q += STRIDE) records[q] = -1;

  function rowOf(port: PortRow, trafficClass: TrafficClass): number {
    return trafficClass * portCount + port;
  }

  function push(port: PortRow, trafficClass: TrafficClass, frame: FrameRef): void {
    link(port, trafficClass, frame);
    count(port, trafficClass, frame);
  }

  /** Appends a frame, and leaves it open whether the first may start. */
  function append(port: PortRow, trafficClass: TrafficClass, frame: FrameRef): void {
    join(rowOf(port, trafficClass) * STRIDE, frame);
    count(port, trafficClass, frame);
  }

  /** Appends a frame that is counted already. */
  function link(port: PortRow, trafficClass: TrafficClass, frame: FrameRef): void {
    if (join(rowOf(port, trafficClass) * STRIDE, frame)) setReady(port, trafficClass);
  }

  /** True if the queue was empty before. */
  function join(q: number, frame: FrameRef): boolean {
    const isFirst = records[q + HEAD] < 0;
    words[frame + NEXT] = -1;
    if (isFirst) records[q + HEAD] = frame;
    else {
      const last = records[q + TAIL];
      assert(words[last + NEXT] < 0, 'queue.tail-is-last');
      words[last + NEXT] = frame;
    }
    records[q + TAIL] = frame;
    return isFirst;
  }

  /** The first frame of a class may start. */
  function setReady(port: PortRow, trafficClass: TrafficClass): void {
    ports.words[port * PORT_WORDS + READY] |= 1 << trafficClass;
  }

  /** It may not. */
  function setUnready(port: PortRow, trafficClass: TrafficClass): void {
    ports.words[port * PORT_WORDS + READY] &= ~(1 << trafficClass);
  }

  function isReady(port: PortRow, trafficClass: TrafficClass): boolean {
    return (ports.words[port * PORT_WORDS + READY] & (1 << trafficClass)) !== 0;
  }

  /** Counts a frame for a queue, although it may still be in a line before it. */
  function count(port: PortRow, trafficClass: TrafficClass, frame: FrameRef): void {
    const q = rowOf(port, trafficClass) * STRIDE;
    if (records[q + QUEUE_FRAMES]++ === 0) times[(q >> 1) + SINCE_DOUBLE] = clock.now;
    const octets = records[q + QUEUE_OCTETS] + words[frame + STORED];
    records[q + QUEUE_OCTETS] = octets;
    if (octets > records[q + QUEUE_PEAK]) records[q + QUEUE_PEAK] = octets;
  }

  /** Removes the first frame of a class that has one. */
  function shift(port: PortRow, trafficClass: TrafficClass): number {
    const q = rowOf(port, trafficClass) * STRIDE;
    const frame = records[q + HEAD];
    assert(frame >= 0, 'queue.empty');
    const next = words[frame + NEXT];
    records[q + HEAD] = next;
    if (next < 0) setUnready(port, trafficClass);
    const frames = --records[q + QUEUE_FRAMES];
    const octets = records[q + QUEUE_OCTETS] - words[frame + STORED];
    assert(frames > 0 ? octets > 0 : octets === 0 && frames === 0, 'queue.octets-of-frames');
    records[q + QUEUE_OCTETS] = octets;
    return frame;
  }

  /** Removes the first frame of a class; it is still counted. */
  function unlink(port: PortRow, trafficClass: TrafficClass): number {
    const q = rowOf(port, trafficClass) * STRIDE;
    const frame = records[q + HEAD];
    assert(frame >= 0, 'queue.empty');
    const next = words[frame + NEXT];
    records[q + HEAD] = next;
    if (next < 0) setUnready(port, trafficClass);
    return frame;
  }

  /** First frame of a class, -1 if none. */
  function head(port: PortRow, trafficClass: TrafficClass): number {
    return records[rowOf(port, trafficClass) * STRIDE + HEAD];
  }

  /** Last frame of a class that has one. */
  function last(port: PortRow, trafficClass: TrafficClass): number {
    return records[rowOf(port, trafficClass) * STRIDE + TAIL];
  }

  /** Traffic classes whose first frame may start unless it is blocked, one bit each. */
  function ready(port: PortRow): number {
    return ports.words[port * PORT_WORDS + READY] & ~REPEAT;
  }

  /** First frame of a port's highest class that is ready, -1 if none is. */
  function firstReady(port: PortRow): number {
    const ready = ports.words[port * PORT_WORDS + READY] & ~REPEAT;
    return ready === 0 ? -1 : head(port, 31 - Math.clz32(ready));
  }

  function headWireOctets(port: PortRow, trafficClass: TrafficClass): number {
    const frame = head(port, trafficClass);
    assert(frame >= 0, 'queue.head-to-weigh');
    return words[frame + LENGTH] + WIRE_OVERHEAD_OCTETS;
  }

  function queuedOctets(port: PortRow, trafficClass: TrafficClass): number {
    return get(port, trafficClass, QUEUE_OCTETS);
  }

  /** Classes of a port that have a frame which may start now, one bit each. */
  function eligible(port: PortRow): number {
    const at = port * PORT_WORDS;
    const blocked = ports.words[at + BLOCKED];
    const ready = ports.words[at + READY];
    if (blocked === 0) return ready;
    const stalls = ports.words[at + STALLS];
    if (stalls === STALL_ALIKE) return ready & ~blocked;
    return stalls === STALL_BY_HEAD
      ? notBlocked(port, ready, blocked)
      : ready & ~stalled(stalls >> STALL_TABLE_SHIFT, blocked);
  }

  /** Classes that a table has for any of the blocked priorities. */
  function stalled(table: number, blocked: number): number {
    let classes = 0;
    for (let priority = 0; priority < 8; priority++) {
      if ((blocked & (1 << priority)) !== 0) classes |= 1 << ((table >> (3 * priority)) & 7);
    }
    return classes;
  }

  /** Of the ready classes, those whose first frame has no blocked priority. */
  function notBlocked(port: PortRow, ready: number, blocked: number): number {
    let free = 0;
    for (let tc = 0; tc < 8; tc++) {
      if ((ready & (1 << tc)) === 0) continue;
      const priority = words[head(port, tc) + CLASS] & PRIORITY_MASK;
      if ((blocked & (1 << priority)) === 0) free |= 1 << tc;
    }
    return free;
  }

  function get(port: PortRow, trafficClass: TrafficClass, word: number): number {
    return records[rowOf(port, trafficClass) * STRIDE + word];
  }

  /** Since when a queue has not been empty, if it is not. */
  function since(port: PortRow, trafficClass: TrafficClass): number {
    return times[((rowOf(port, trafficClass) * STRIDE) >> 1) + SINCE_DOUBLE];
  }

  function forEach(
    port: PortRow,
    visit: (frame: FrameRef, trafficClass: TrafficClass) => void,
  ): void {
    for (let tc = 0; tc < 8; tc++) {
      for (let f = head(port, tc); f >= 0; f = words[f + NEXT]) visit(f, tc);
    }
  }

  /** Replaces the frames of a queue by others of the same number and size. */
  function relink(port: PortRow, trafficClass: TrafficClass, frames: readonly number[]): void {
    const q = rowOf(port, trafficClass) * STRIDE;
    assert(frames.length <= records[q + QUEUE_FRAMES], 'queue.relinked-frames');
    frames.forEach((frame, i) => {
      words[frame + NEXT] = frames[i + 1] ?? -1;
    });
    records[q + HEAD] = frames[0] ?? -1;
    records[q + TAIL] = frames[frames.length - 1] ?? -1;
    assert(
      frames.length === 0 || words[records[q + TAIL] + NEXT] < 0,
      'queue.relinked-tail-is-last',
    );
  }

  /** Whether any port has queued something of a class. */
  function isUsed(trafficClass: TrafficClass): boolean {
    for (let port = 0; port < portCount; port++) {
      if (get(port, trafficClass, QUEUE_PEAK) !== 0) return true;
    }
    return false;
  }

  return {
    push,
    append,
    link,
    count,
    setReady,
    setUnready,
    isReady,
    unlink,
    shift,
    head,
    last,
    ready,
    firstReady,
    headWireOctets,
    queuedOctets,
    eligible,
    get,
    isUsed,
    since,
    forEach,
    relink,
  };
}
