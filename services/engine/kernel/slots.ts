import type { Tables } from './tables.js';

/**
 * The earliest of a device's event sources of one kind: its lanes, or its transmitters, one per
 * port. A link never reorders, so a source needs no heap, only the time of its head; and for the
 * radices of real devices one scan when the earliest moves beats any tree.
 *
 * Sources due at one instant are drawn by lot, with a hash of time and port: the order is total
 * and depends on nothing else, and no port is always first.
 */
export type Slots = ReturnType<typeof makeSlots>;

export function makeSlots(tables: Tables) {
  const at = tables.float64('port', 1).fill(Infinity);
  const time = tables.float64('device', 1).fill(Infinity);
  /** By device: the port to run next, counted from the device's first. */
  const first = tables.int32('device', 1);
  const base = new Int32Array(time.length);
  const end = new Int32Array(time.length);

  /** Says which ports are a device's. */
  function configure(device: number, firstPort: number, count: number): void {
    base[device] = firstPort;
    end[device] = firstPort + count;
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
    const slot = p - base[device];
    if (slot === first[device]) scan(device);
    else if (at[p] < time[device] || (at[p] === time[device] && wins(device, slot))) {
      first[device] = slot;
      time[device] = at[p];
    }
  }

  function wins(device: number, slot: number): boolean {
    return drawnBefore(slot, first[device], time[device]);
  }

  /** Finds the earliest port again. */
  function scan(device: number): void {
    const from = base[device];
    const to = end[device];
    let best = from;
    let least = at[from];
    for (let p = from + 1; p < to; p++) {
      const t = at[p];
      if (t > least || (t === least && !drawnBefore(p - from, best - from, t))) continue;
      least = t;
      best = p;
    }
    first[device] = best - from;
    time[device] = least;
  }

  return { at, time, configure, port, set, moved, scan };
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
