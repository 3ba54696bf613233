import type { FramePool } from '../frame/frame-pool.js';
import { CARRIES_FLAG, CLASS, LENGTH, NEXT } from '../frame/frame-pool.js';
import type { OctetStore } from '../frame/octet-store.js';
import { assert } from '../kernel/assert.js';
import type { Tables } from '../kernel/tables.js';

// Words of a port.

const HEAD = 0;
const TAIL = 1;
const FRAMES = 2;
const OCTETS = 3;
/** What is sent again next, and its place in line. */
const CURSOR = 4;
const PLACE = 5;
/** The most of both. */
const PEAK_FRAMES = 6;
const PEAK_OCTETS = 7;
const STRIDE = 8;

const NONE = -1;

/** Copies of frames that a port has sent, in their order, until its link layer lets go of them. */
export type ReplayBuffers = ReturnType<typeof makeReplayBuffers>;

export function makeReplayBuffers(tables: Tables, pool: FramePool, store: OctetStore) {
  const { words } = pool;
  const rows = tables.int32('port', STRIDE);
  const missing = tables.float64('port', 1);
  for (let at = 0; at < rows.length; at += STRIDE) rows.fill(NONE, at, at + 2);

  /** Keeps a copy of a frame that starts now. */
  function keep(port: number, frame: number, nowPs: number): void {
    const copy = copyOf(frame);
    pool.setArrival(copy, nowPs);
    append(port, copy);
  }

  function append(port: number, copy: number): void {
    const at = port * STRIDE;
    words[copy + NEXT] = NONE;
    if (rows[at + HEAD] < 0) rows[at + HEAD] = copy;
    else words[rows[at + TAIL] + NEXT] = copy;
    rows[at + TAIL] = copy;
    const frames = ++rows[at + FRAMES];
    const octets = rows[at + OCTETS] + words[copy + LENGTH];
    rows[at + OCTETS] = octets;
    if (frames > rows[at + PEAK_FRAMES]) rows[at + PEAK_FRAMES] = frames;
    if (octets > rows[at + PEAK_OCTETS]) rows[at + PEAK_OCTETS] = octets;
  }

  /** With octets of its own, if it carries any. */
  function copyOf(frame: number): number {
    const copy = pool.copyFrom(pool, frame);
    if ((words[copy + CLASS] & CARRIES_FLAG) !== 0) {
      const slot = pool.carried(frame);
      pool.setCarried(copy, slot < 0 ? slot : store.put(store.get(slot), store.length(slot)));
    }
    return copy;
  }

  /** Lets go of so many, from the oldest on. */
  function release(port: number, count: number): void {
    const at = port * STRIDE;
    assert(count <= rows[at + FRAMES], 'replay.release');
    for (let i = 0; i < count; i++) {
      const frame = rows[at + HEAD];
      rows[at + HEAD] = words[frame + NEXT];
      rows[at + OCTETS] -= words[frame + LENGTH];
      if ((words[frame + CLASS] & CARRIES_FLAG) !== 0) giveBack(pool.carried(frame));
      pool.release(frame);
    }
    rows[at + FRAMES] -= count;
    rows[at + PLACE] -= count;
    if (rows[at + PLACE] <= 0) rewind(port);
  }

  function giveBack(slot: number): void {
    if (slot >= 0) store.giveBack(slot);
  }

  /** The oldest is sent again next. */
  function rewind(port: number): void {
    const at = port * STRIDE;
    rows[at + CURSOR] = rows[at + HEAD];
    rows[at + PLACE] = 0;
  }

  /** A new frame like the one that is sent again next. */
  function repeat(port: number): number {
    const at = port * STRIDE;
    const frame = rows[at + CURSOR];
    assert(frame >= 0, 'replay.empty');
    rows[at + CURSOR] = words[frame + NEXT];
    rows[at + PLACE]++;
    return copyOf(frame);
  }

  function frames(port: number): number {
    return rows[port * STRIDE + FRAMES];
  }

  function octets(port: number): number {
    return rows[port * STRIDE + OCTETS];
  }

  function peakFrames(port: number): number {
    return rows[port * STRIDE + PEAK_FRAMES];
  }

  function peakOctets(port: number): number {
    return rows[port * STRIDE + PEAK_OCTETS];
  }

  /** When the oldest was sent first. */
  function oldestPs(port: number): number {
    const head = rows[port * STRIDE + HEAD];
    return head < 0 ? Infinity : pool.arrival(head);
  }

  /**
   * Of the receiver of a port: of what arrived before this time, something may be sent again by the
   * link partner.
   */
  function missingUntilPs(port: number): number {
    return missing[port];
  }

  function setMissingUntil(port: number, timePs: number): void {
    missing[port] = timePs;
  }

  function forEach(port: number, visit: (frame: number) => void): void {
    for (let f = rows[port * STRIDE + HEAD]; f >= 0; f = words[f + NEXT]) visit(f);
  }

  /** Replaces all by others of the same number and size. */
  function relink(port: number, copies: readonly number[]): void {
    const at = port * STRIDE;
    copies.forEach((frame, i) => {
      words[frame + NEXT] = copies[i + 1] ?? NONE;
    });
    rows[at + HEAD] = copies[0] ?? NONE;
    rows[at + TAIL] = copies[copies.length - 1] ?? NONE;
    rows[at + CURSOR] = copies[rows[at + PLACE]] ?? NONE;
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
