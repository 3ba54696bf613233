import type { FramePool } from '../frame/frame-pool.js';
import { CARRIES_FLAG, CLASS, LENGTH } from '../frame/frame-pool.js';
import type { OctetStore } from '../frame/octet-store.js';
import { assert } from '../kernel/assert.js';
import type { Tables } from '../kernel/tables.js';
import type { FrameRef, PortRow } from '../units/indices.js';

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

// Words of a port's ring: where it begins, its places less one, and the place of the oldest.

const BASE = 0;
const MASK = 1;
const HEAD = 2;
const RING_STRIDE = 4;

/** Words of a place: a frame, and its length. */
const PLACE_SHIFT = 1;
const LENGTH_AT = 1;
const LEAST_PLACES = 16;
const NONE = -1;

/**
 * Copies of frames that a port has sent, in their order, until its link layer releases them. A
 * port keeps the records of released copies for the next ones: an acknowledgement touches no frame.
 */
export type ReplayBuffers = ReturnType<typeof makeReplayBuffers>;

export function makeReplayBuffers(tables: Tables, pool: FramePool, store: OctetStore) {
  const { words } = pool;
  const rows = tables.int32('port', STRIDE);
  const missing = tables.float64('port', 1);
  const rings = new Int32Array(tables.count('port') * RING_STRIDE);
  for (let ring = 0; ring < rings.length; ring += RING_STRIDE) rings[ring + MASK] = NONE;
  /** Rings of all ports; a ring that grows leaves its place. */
  let places = new Int32Array(0);
  let used = 0;

  /** Keeps a copy of a frame that starts now. */
  function keep(port: PortRow, frame: FrameRef, nowPs: number): void {
    const at = port * STRIDE;
    const count = rows[at + FRAMES];
    if (count > rings[port * RING_STRIDE + MASK]) grow(port);
    const p = placeOf(port, count);
    if (places[p] < 0) places[p] = pool.allocate();
    const copy = places[p];
    pool.copyInto(copy, pool, frame);
    pool.setArrival(copy, nowPs);
    if ((words[copy + CLASS] & CARRIES_FLAG) !== 0) {
      rows[at + CARRYING]++;
      share(copy, frame);
    }
    const length = words[copy + LENGTH];
    places[p + LENGTH_AT] = length;
    rows[at + FRAMES] = count + 1;
    const octets = rows[at + OCTETS] + length;
    rows[at + OCTETS] = octets;
    if (count >= rows[at + PEAK_FRAMES]) rows[at + PEAK_FRAMES] = count + 1;
    if (octets > rows[at + PEAK_OCTETS]) rows[at + PEAK_OCTETS] = octets;
  }

  /** The n-th from the oldest on. */
  function placeOf(port: PortRow, n: number): number {
    const ring = port * RING_STRIDE;
    return rings[ring + BASE] + (((rings[ring + HEAD] + n) & rings[ring + MASK]) << PLACE_SHIFT);
  }

  function frameAt(port: PortRow, n: number): number {
    return places[placeOf(port, n)];
  }

  /** A ring of twice as many places. */
  function grow(port: PortRow): void {
    const ring = port * RING_STRIDE;
    const room = rings[ring + MASK] + 1;
    const own = Array.from({ length: room }, (_, n) => frameAt(port, n));
    remake(port, own, Math.max(LEAST_PLACES, 2 * room));
  }

  /** Gives a port a new ring, of a power of two places, the first of them these. */
  function remake(port: PortRow, frames: readonly number[], room: number): void {
    const ring = port * RING_STRIDE;
    const base = room - 1 === rings[ring + MASK] ? rings[ring + BASE] : moreRoom(room);
    places.fill(NONE, base, base + (room << PLACE_SHIFT));
    frames.forEach((frame, n) => {
      const p = base + (n << PLACE_SHIFT);
      places[p] = frame;
      if (frame >= 0) places[p + LENGTH_AT] = words[frame + LENGTH];
    });
    rings.set([base, room - 1, 0], ring);
  }

  function moreRoom(room: number): number {
    const base = used;
    used += room << PLACE_SHIFT;
    if (used > places.length) {
      const more = new Int32Array(Math.max(2 * places.length, used));
      more.set(places);
      places = more;
    }
    return base;
  }

  /** With octets of its own, if it carries any. */
  function share(copy: number, frame: FrameRef): void {
    const slot = pool.carried(frame);
    pool.setCarried(copy, slot < 0 ? slot : store.put(store.get(slot), store.length(slot)));
  }

  /** Lets go of so many, from the oldest on. */
  function release(port: PortRow, count: number): void {
    const at = port * STRIDE;
    assert(count <= rows[at + FRAMES], 'replay.release');
    for (let n = 0; n < count; n++) {
      const p = placeOf(port, n);
      rows[at + OCTETS] -= places[p + LENGTH_AT];
      if (rows[at + CARRYING] > 0) unload(at, places[p]);
    }
    rings[port * RING_STRIDE + HEAD] += count;
    rows[at + FRAMES] -= count;
    rows[at + PLACE] = Math.max(0, rows[at + PLACE] - count);
  }

  function unload(at: number, frame: FrameRef): void {
    if ((words[frame + CLASS] & CARRIES_FLAG) === 0) return;
    rows[at + CARRYING]--;
    const slot = pool.carried(frame);
    if (slot >= 0) store.giveBack(slot);
  }

  /** The oldest is sent again next. */
  function rewind(port: PortRow): void {
    rows[port * STRIDE + PLACE] = 0;
  }

  /** A new frame like the one that is sent again next. */
  function repeat(port: PortRow): number {
    const at = port * STRIDE;
    assert(rows[at + PLACE] < rows[at + FRAMES], 'replay.empty');
    const frame = frameAt(port, rows[at + PLACE]++);
    const copy = pool.copyFrom(pool, frame);
    if ((words[copy + CLASS] & CARRIES_FLAG) !== 0) share(copy, frame);
    return copy;
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
    return rows[port * STRIDE + FRAMES] === 0 ? Infinity : pool.arrival(frameAt(port, 0));
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

  function forEach(port: PortRow, visit: (frame: FrameRef) => void): void {
    const count = rows[port * STRIDE + FRAMES];
    for (let n = 0; n < count; n++) visit(frameAt(port, n));
  }

  /** Replaces all by others of the same number and size; the records are the caller's. */
  function relink(port: PortRow, copies: readonly number[]): void {
    const count = copies.length;
    const room = count === 0 ? 0 : 1 << (32 - Math.clz32(Math.max(LEAST_PLACES, count) - 1));
    remake(port, copies, room);
  }

  /** Releases the records that a port keeps for copies. */
  function giveBackRecords(port: PortRow): void {
    const ring = port * RING_STRIDE;
    const room = rings[ring + MASK] + 1;
    for (let n = rows[port * STRIDE + FRAMES]; n < room; n++) {
      const p = placeOf(port, n);
      if (places[p] >= 0) pool.release(places[p]);
      places[p] = NONE;
    }
  }

  /** Records that a port keeps for copies. */
  function records(port: PortRow): number {
    const room = rings[port * RING_STRIDE + MASK] + 1;
    let count = 0;
    for (let n = rows[port * STRIDE + FRAMES]; n < room; n++) if (frameAt(port, n) >= 0) count++;
    return count;
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
    giveBackRecords,
    records,
  };
}
