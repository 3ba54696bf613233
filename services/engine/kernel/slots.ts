import type { Tables } from './tables.js';

export type Slots = ReturnType<typeof makeSlots>;

/** Ports are looked through in blocks of so many, whose earliest are kept. */
const BLOCK_BITS = 2;

/**
 * The earliest of a device's event sources of one kind: its lanes, or its transmitters, one per
 * port. A link never reorders, so a source needs no heap, only the time of its head; and for the
 * radices of real devices a scan of one block and of the blocks' earliest beats any tree.
 *
 * Sources due at one instant are drawn by lot, with a hash of time and port: the order is total
 * and depends on nothing else, and no port is always first.
 */
export function makeSlots(tables: Tables) {
  const at = tables.float64('port', 1).fill(Infinity);
  const time = tables.float64('device', 1).fill(Infinity);
  /** By device: the port to run next, counted from the device's first. */
  const first = tables.int32('device', 1);
  /** By block, at the row of the device's first port and on: the same of the block alone. */
  const blockTime = tables.float64('port', 1).fill(Infinity);
  const blockFirst = tables.int32('port', 1);
  const base = new Int32Array(time.length);
  const end = new Int32Array(time.length);

  /** Says which ports are a device's. */
  function configure(device: number, firstPort: number, count: number): void {
    base[device] = firstPort;
    end[device] = firstPort + count;
    for (let block = 0; block << BLOCK_BITS < count; block++) {
      blockFirst[firstPort + block] = block << BLOCK_BITS;
    }
  }

  /** The port whose time is the device's least. */
  function port(device: number): number {
    return base[device] + first[device];
  }

  function set(device: number, p: number, t: number): void {
    at[p] = t;
    moved(device, p);
  }

  /** The port's time has been changed in `at`. */
  function moved(device: number, p: number): void {
    const from = base[device];
    const slot = p - from;
    const block = from + (slot >> BLOCK_BITS);
    if (slot === blockFirst[block]) {
      scan(device, p);
      return;
    }
    const t = at[p];
    if (!goesBefore(slot, t, blockFirst[block], blockTime[block])) return;
    blockFirst[block] = slot;
    blockTime[block] = t;
    if (!goesBefore(slot, t, first[device], time[device])) return;
    first[device] = slot;
    time[device] = t;
  }

  /** Finds the earliest again after a port's time has become later. */
  function scan(device: number, p: number): void {
    const from = base[device];
    const block = (p - from) >> BLOCK_BITS;
    const start = from + (block << BLOCK_BITS);
    const stop = Math.min(start + (1 << BLOCK_BITS), end[device]);
    let best = start;
    let least = at[start];
    for (let q = start + 1; q < stop; q++) {
      const t = at[q];
      if (t > least || (t === least && !drawnBefore(q - from, best - from, t))) continue;
      least = t;
      best = q;
    }
    blockFirst[from + block] = best - from;
    blockTime[from + block] = least;
    scanBlocks(device);
  }

  function scanBlocks(device: number): void {
    const from = base[device];
    const stop = from + ((end[device] - from + (1 << BLOCK_BITS) - 1) >> BLOCK_BITS);
    let best = blockFirst[from];
    let least = blockTime[from];
    for (let block = from + 1; block < stop; block++) {
      const t = blockTime[block];
      if (t > least || (t === least && !drawnBefore(blockFirst[block], best, t))) continue;
      least = t;
      best = blockFirst[block];
    }
    first[device] = best;
    time[device] = least;
  }

  return { at, time, configure, port, set, moved, scan };
}

function goesBefore(slot: number, t: number, other: number, otherTime: number): boolean {
  return t < otherTime || (t === otherTime && drawnBefore(slot, other, t));
}

/** The lot: whether `a` goes before `b` when both are due at `time`. */
function drawnBefore(a: number, b: number, time: number): boolean {
  if (time === Infinity) return false;
  const lotA = lot(a, time);
  const lotB = lot(b, time);
  return lotA !== lotB ? lotA < lotB : a < b;
}

function lot(slot: number, time: number): number {
  let h = Math.imul(slot + 1, 0x9e3779b1) ^ (time | 0);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return h ^ (h >>> 15);
}
