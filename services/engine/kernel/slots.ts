import { DERIVED, DUE, SHAPE } from './kinds.js';
import type { Tables } from './tables.js';
import { assert } from './assert.js';
import { field, fields } from './fields.js';

// Words of a device: where the queue of its ports begins in its ring, its length, and how many
// frames were refused.

const HEAD = 0;
const COUNT = 1;
const REFUSED = 2;
const WORDS = 3;
const LINE = fields(WORDS, {
  head: [HEAD, DERIVED],
  count: [COUNT, SHAPE],
  refused: [REFUSED, SHAPE],
});

/** Turns are counted up to here; half of them reverse what the hash says. */
const TURNS = 8;
const HALF = TURNS / 2;

/**
 * The event sources of a device of one kind: its in-flight queues, or its transmitters, one per
 * port. A link never reorders, so a source needs no heap, only the time of its head. Ports are
 * sorted by their times, in a ring. A port that has been served is due again about a frame later,
 * close to the time of the last, so it is inserted from the end and passes few others.
 *
 * Sources due at one instant are ordered by a hash of the port, of the turns that it had, modulo 8,
 * and of the frames that the device has refused (the tie-break hash). The order is total, is
 * independent of how devices are partitioned, and has no time in it: what repeats, repeats with it.
 * Where frames are refused, eight orders would not do: of ports that send in step into a full
 * queue, the same would find room each time. Both are counted when the port is served, so the hash
 * of an entry never changes.
 */
export type Slots = ReturnType<typeof makeSlots>;

export function makeSlots(tables: Tables) {
  const at = tables.float64('port', field('due', DUE)).fill(Infinity);
  const time = tables.float64('device', field('first due', DERIVED)).fill(Infinity);
  /** Of devices with more than one port. */
  const turns = tables.uint8('port', field('turns', SHAPE));
  /** What the device had refused at the last turn. */
  const refusals = tables.int32('port', field('refusals', SHAPE));
  const lines = tables.int32('device', LINE);
  /** Sorted ports, counted from the device's first: as much room as it has ports. */
  const ring = tables.int32('port', field('in order', DERIVED));
  const base = new Int32Array(time.length);
  const size = new Int32Array(time.length);

  /** Assigns ports to a device. */
  function configure(device: number, firstPort: number, count: number): void {
    assert(count > 0 && firstPort + count <= at.length, 'slots.ports-of-device');
    base[device] = firstPort;
    size[device] = count;
  }

  /** The port whose time is the device's least. */
  function port(device: number): number {
    const first = base[device];
    return first + ring[first + lines[device * WORDS + HEAD]];
  }

  function set(device: number, p: number, t: number): void {
    if (at[p] !== Infinity) leave(device, p - base[device]);
    at[p] = t;
    joined(device, p);
  }

  /** The port had a later time than it has been given in `at`. */
  function advanced(device: number, p: number): void {
    const line = device * WORDS;
    const first = base[device];
    const room = size[device];
    const head = lines[line + HEAD];
    const slot = p - first;
    let i = head + lines[line + COUNT] - 1;
    if (i >= room) i -= room;
    assert(lines[line + COUNT] > 0 && at[p] !== Infinity, 'slots.advanced-has-a-place');
    while (ring[first + i] !== slot) i = i === 0 ? room - 1 : i - 1;
    while (i !== head) {
      const before = i === 0 ? room - 1 : i - 1;
      const other = ring[first + before];
      if (isBefore(other, slot, first)) break;
      ring[first + i] = other;
      i = before;
    }
    ring[first + i] = slot;
    if (i === head) time[device] = at[p];
  }

  /** The port had no time, and has been given one in `at`. */
  function joined(device: number, p: number): void {
    const line = device * WORDS;
    const first = base[device];
    const count = lines[line + COUNT];
    if (at[p] !== Infinity) {
      lines[line + COUNT] = count + 1;
      enter(first, size[device], lines[line + HEAD], count, p - first);
    }
    schedule(device);
  }

  /** The port was first, has been served, and has been given its next time in `at`. */
  function turned(device: number, p: number): void {
    const line = device * WORDS;
    const first = base[device];
    const room = size[device];
    if (room === 1) {
      lines[line + COUNT] = at[p] === Infinity ? 0 : 1;
      time[device] = at[p];
      return;
    }
    turns[p] = (turns[p] + 1) & (TURNS - 1);
    refusals[p] = lines[line + REFUSED];
    const head = lines[line + HEAD];
    const slot = p - first;
    // Serving it may have inserted another port for the same instant.
    if (ring[first + head] !== slot) {
      leave(device, slot);
      joined(device, p);
      return;
    }
    const second = head + 1 === room ? 0 : head + 1;
    const others = lines[line + COUNT] - 1;
    if (others > 0 && isBefore(slot, ring[first + second], first)) {
      time[device] = at[p];
      return;
    }
    lines[line + HEAD] = second;
    if (at[p] === Infinity) lines[line + COUNT] = others;
    else enter(first, room, second, others, slot);
    schedule(device);
  }

  /**
   * Inserts from the end, before ports that are due later: into a queue of so many ports from
   * `first` on.
   */
  function enter(first: number, room: number, head: number, count: number, slot: number): void {
    let i = head + count;
    if (i >= room) i -= room;
    for (let left = count; left > 0; left--) {
      const before = i === 0 ? room - 1 : i - 1;
      const other = ring[first + before];
      if (isBefore(other, slot, first)) break;
      ring[first + i] = other;
      i = before;
    }
    ring[first + i] = slot;
  }

  function isBefore(slot: number, other: number, first: number): boolean {
    const t = at[first + slot];
    const u = at[first + other];
    return t < u || (t === u && t !== Infinity && isBeforeByHash(slot, other, first));
  }

  /** Of two ports that are due at one instant. */
  function isBeforeByHash(slot: number, other: number, first: number): boolean {
    const hash = tieBreakHash(slot, turns[first + slot], refusals[first + slot]);
    const otherHash = tieBreakHash(other, turns[first + other], refusals[first + other]);
    return hash !== otherHash ? hash < otherHash : slot < other;
  }

  /** Those behind it move up. */
  function leave(device: number, slot: number): void {
    const line = device * WORDS;
    const first = base[device];
    const room = size[device];
    const place = (n: number): number => first + ((lines[line + HEAD] + n) % room);
    const last = --lines[line + COUNT];
    assert(last >= 0, 'slots.left-had-a-place');
    let n = 0;
    while (ring[place(n)] !== slot) n++;
    for (; n < last; n++) ring[place(n)] = ring[place(n + 1)];
  }

  /** A frame that came in was refused: ties are decided in another order from the next turn on. */
  function refused(device: number): void {
    lines[device * WORDS + REFUSED]++;
  }

  function schedule(device: number): void {
    time[device] = lines[device * WORDS + COUNT] === 0 ? Infinity : at[port(device)];
  }

  /** Times of its ports were moved: puts them in order again. */
  function reorder(device: number): void {
    const line = device * WORDS;
    const first = base[device];
    let count = 0;
    for (let slot = 0; slot < size[device]; slot++) {
      if (at[first + slot] !== Infinity) enter(first, size[device], 0, count++, slot);
    }
    lines[line + HEAD] = 0;
    assert(lines[line + COUNT] === count, 'slots.reordered-ports');
    schedule(device);
  }

  return { at, time, turns, configure, port, set, advanced, joined, turned, refused, reorder };
}

/**
 * Each port has a hash in each eighth of all numbers once in eight turns, in an order of its own,
 * so that none is favoured among many. Four turns later it is the complement: of two ports whose
 * turns go together, each is first in four of eight.
 */
function tieBreakHash(slot: number, turn: number, refusals: number): number {
  const own = scrambled((slot + 1) ^ Math.imul(refusals, 0x85ebca6b));
  const step = turn & (HALF - 1);
  const eighth = ((step ^ (own & 3)) * (((own & 4) >> 1) | 1) + (own >>> 3)) & (HALF - 1);
  const h = (eighth << 29) | (scrambled(own + step) >>> 3);
  return turn < HALF ? h : ~h;
}

function scrambled(word: number): number {
  let h = Math.imul(word, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return h ^ (h >>> 15);
}
