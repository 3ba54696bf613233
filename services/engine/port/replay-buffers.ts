import type { FramePool } from '../frame/frame-pool.js';
import { CARRIES_FLAG, CLASS, LENGTH, RECORD_ARRIVAL, RECORD_WORDS } from '../frame/frame-pool.js';
import type { OctetStore } from '../frame/octet-store.js';
import { assert } from '../kernel/assert.js';
import { PEAK, SHAPE, unknown } from '../kernel/kinds.js';
import type { Tables } from '../kernel/tables.js';
import type { FrameRef, PortRow } from '../units/indices.js';
import { assertFields, field, fields } from '../kernel/fields.js';

// Words of a port.

const FRAMES = 0;
const OCTETS = 1;
/** Of them, what was sent again already. */
const PLACE = 2;
/** Frames that carry octets. */
const CARRYING = 3;
/** The most of frames, and of octets. */
const PEAK_FRAMES = 4;
const PEAK_OCTETS = 5;
const STRIDE = 8;
const UNUSED = [6, 7];
const BUFFER = fields(
  STRIDE,
  {
    frames: [FRAMES, SHAPE],
    octets: [OCTETS, SHAPE],
    place: [PLACE, SHAPE],
    carrying: [CARRYING, SHAPE],
    peakFrames: [PEAK_FRAMES, PEAK],
    peakOctets: [PEAK_OCTETS, PEAK],
  },
  UNUSED,
);

// Words of a port's ring: its first place, its places less one, and the place of the oldest.

const BASE = 0;
const MASK = 1;
const HEAD = 2;
const RING_STRIDE = 4;
assertFields(RING_STRIDE, BASE, MASK, HEAD);

/** A place has both records of a frame, one line of memory. */
const PLACE_SHIFT = 4;
const LEAST_PLACES = 16;

/**
 * Copies of frames that a port has sent, in their order, until its link layer releases them. They
 * are no frames of the pool: a port writes them one behind the other, and an acknowledgement moves
 * the begin of a ring and touches none of them.
 */
export type ReplayBuffers = ReturnType<typeof makeReplayBuffers>;

export function makeReplayBuffers(tables: Tables, pool: FramePool, store: OctetStore) {
  const { words } = pool;
  const rows = tables.int32('port', BUFFER);
  const missing = tables.float64('port', field('missing until', unknown(0)));
  const rings = new Int32Array(tables.count('port') * RING_STRIDE);
  for (let ring = 0; ring < rings.length; ring += RING_STRIDE) rings[ring + MASK] = -1;
  /** Rings of all ports; a ring that grows leaves its place. Lengths are apart: a line has many. */
  let records = new Int32Array(0);
  let times = new Float64Array(records.buffer);
  let lengths = new Int32Array(0);
  let used = 0;

  /** Keeps a copy of a frame that starts now. */
  function keep(port: PortRow, frame: FrameRef, nowPs: number): void {
    const at = port * STRIDE;
    const count = rows[at + FRAMES];
    if (count > rings[port * RING_STRIDE + MASK]) grow(port);
    const place = placeOf(port, count);
    const record = place << PLACE_SHIFT;
    pool.keepInto(frame, records, record);
    times[(record >> 1) + RECORD_ARRIVAL] = nowPs;
    if ((words[frame + CLASS] & CARRIES_FLAG) !== 0) {
      rows[at + CARRYING]++;
      share(record);
    }
    const length = words[frame + LENGTH];
    lengths[place] = length;
    rows[at + FRAMES] = count + 1;
    const octets = rows[at + OCTETS] + length;
    rows[at + OCTETS] = octets;
    if (count >= rows[at + PEAK_FRAMES]) rows[at + PEAK_FRAMES] = count + 1;
    if (octets > rows[at + PEAK_OCTETS]) rows[at + PEAK_OCTETS] = octets;
    assert(rows[at + FRAMES] <= rings[port * RING_STRIDE + MASK] + 1, 'replay.room');
    assert(rows[at + CARRYING] <= rows[at + FRAMES], 'replay.carrying-frames');
  }

  /** Place of the n-th from the oldest on. */
  function placeOf(port: PortRow, n: number): number {
    const ring = port * RING_STRIDE;
    return rings[ring + BASE] + ((rings[ring + HEAD] + n) & rings[ring + MASK]);
  }

  function recordOf(port: PortRow, n: number): number {
    return placeOf(port, n) << PLACE_SHIFT;
  }

  /** A ring of twice as many places. */
  function grow(port: PortRow): void {
    const ring = port * RING_STRIDE;
    const own = Array.from({ length: rings[ring + MASK] + 1 }, (_, n) => {
      const record = recordOf(port, n);
      return records.slice(record, record + RECORD_WORDS);
    });
    remake(port, own, Math.max(LEAST_PLACES, 2 * own.length));
  }

  /** Gives a port a ring of so many places, a power of two, the first of them these. */
  function remake(port: PortRow, own: readonly Int32Array[], room: number): void {
    const ring = port * RING_STRIDE;
    assert((room & (room - 1)) === 0 && own.length <= room, 'replay.ring-of-a-power-of-2');
    const base = room - 1 === rings[ring + MASK] ? rings[ring + BASE] : moreRoom(room);
    own.forEach((record, n) => {
      records.set(record, (base + n) << PLACE_SHIFT);
      lengths[base + n] = record[LENGTH];
    });
    rings.set([base, room - 1, 0], ring);
  }

  function moreRoom(room: number): number {
    const base = used;
    used += room;
    if (used > lengths.length) {
      const places = Math.max(2 * lengths.length, used);
      const [oldRecords, oldLengths] = [records, lengths];
      records = new Int32Array(places << PLACE_SHIFT);
      records.set(oldRecords);
      times = new Float64Array(records.buffer);
      lengths = new Int32Array(places);
      lengths.set(oldLengths);
    }
    return base;
  }

  /** With octets of its own, if it carries any. */
  function share(record: number): void {
    const slot = pool.carriedOf(records, record);
    const copy = slot < 0 ? slot : store.put(store.get(slot), store.length(slot));
    pool.setCarriedOf(records, record, copy);
  }

  /** Lets go of so many, from the oldest on. */
  function release(port: PortRow, count: number): void {
    const at = port * STRIDE;
    assert(count <= rows[at + FRAMES], 'replay.release');
    let octets = 0;
    for (let n = 0; n < count; n++) octets += lengths[placeOf(port, n)];
    if (rows[at + CARRYING] > 0) unload(port, count);
    rows[at + OCTETS] -= octets;
    rings[port * RING_STRIDE + HEAD] += count;
    rows[at + FRAMES] -= count;
    assert(rows[at + FRAMES] > 0 === rows[at + OCTETS] > 0, 'replay.octets-of-frames');
    assert(rows[at + CARRYING] <= rows[at + FRAMES], 'replay.carrying-frames');
    rows[at + PLACE] = Math.max(0, rows[at + PLACE] - count);
  }

  function unload(port: PortRow, count: number): void {
    for (let n = 0; n < count; n++) {
      const record = recordOf(port, n);
      if ((records[record + CLASS] & CARRIES_FLAG) === 0) continue;
      rows[port * STRIDE + CARRYING]--;
      const slot = pool.carriedOf(records, record);
      if (slot >= 0) store.giveBack(slot);
    }
  }

  /** The oldest is sent again next. */
  function rewind(port: PortRow): void {
    rows[port * STRIDE + PLACE] = 0;
  }

  /** A new frame like the one that is sent again next. */
  function repeat(port: PortRow): number {
    const at = port * STRIDE;
    assert(rows[at + PLACE] < rows[at + FRAMES], 'replay.empty');
    const frame = pool.write(records, recordOf(port, rows[at + PLACE]++));
    if ((words[frame + CLASS] & CARRIES_FLAG) !== 0) {
      const slot = pool.carried(frame);
      if (slot >= 0) pool.setCarried(frame, store.put(store.get(slot), store.length(slot)));
    }
    return frame;
  }

  function frames(port: PortRow): number {
    return rows[port * STRIDE + FRAMES];
  }

  function octets(port: PortRow): number {
    return rows[port * STRIDE + OCTETS];
  }

  function peakFrames(port: PortRow): number {
    return rows[port * STRIDE + PEAK_FRAMES];
  }

  function peakOctets(port: PortRow): number {
    return rows[port * STRIDE + PEAK_OCTETS];
  }

  /** When the oldest was sent first. */
  function oldestPs(port: PortRow): number {
    if (rows[port * STRIDE + FRAMES] === 0) return Infinity;
    return times[(recordOf(port, 0) >> 1) + RECORD_ARRIVAL];
  }

  /**
   * Of the receiver of a port: of what arrived before this time, something may be sent again by the
   * link partner.
   */
  function missingUntilPs(port: PortRow): number {
    return missing[port];
  }

  function setMissingUntil(port: PortRow, timePs: number): void {
    missing[port] = timePs;
  }

  /** From the oldest on; a frame is one of the pool during the call only. */
  function forEach(port: PortRow, visit: (frame: FrameRef) => void): void {
    const count = rows[port * STRIDE + FRAMES];
    for (let n = 0; n < count; n++) {
      const frame = pool.write(records, recordOf(port, n));
      visit(frame);
      pool.release(frame);
    }
  }

  /** Replaces all by others of the same number and size, as `FramePool.read` gives them. */
  function relink(port: PortRow, copies: readonly Int32Array[]): void {
    const count = copies.length;
    const room = count === 0 ? 0 : 1 << (32 - Math.clz32(Math.max(LEAST_PLACES, count) - 1));
    remake(port, copies, room);
  }

  return {
    keep,
    release,
    rewind,
    repeat,
    frames,
    octets,
    peakFrames,
    peakOctets,
    oldestPs,
    missingUntilPs,
    setMissingUntil,
    forEach,
    relink,
  };
}
