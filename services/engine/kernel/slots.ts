import type { Tables } from './tables.js';

/**
 * The earliest of a device's event sources of one kind: its lanes, or its transmitters, one per
 * port. A link never reorders, so a source needs no heap, only the time of its head; and for the
 * radices of real devices one scan when the earliest moves beats any tree.
 *
 * Sources due at one instant are drawn by lot, with a hash of time and port: the order is total
 * and depends on nothing else, and no port is always first.
 */
export class Slots {
  /** By port: next time, Infinity where nothing is due. */
  readonly at: Float64Array;
  /** By device: the least of its ports' times. */
  readonly time: Float64Array;
  /** By device: the port to run next, counted from the device's first. */
  private readonly first: Int32Array;
  private readonly base: Int32Array;
  private readonly end: Int32Array;

  constructor(tables: Tables) {
    this.at = tables.float64('port', 1).fill(Infinity);
    this.time = tables.float64('device', 1).fill(Infinity);
    this.first = tables.int32('device', 1);
    this.base = new Int32Array(this.time.length);
    this.end = new Int32Array(this.time.length);
  }

  /** Says which ports are a device's. */
  configure(device: number, firstPort: number, count: number): void {
    this.base[device] = firstPort;
    this.end[device] = firstPort + count;
  }

  /** The port whose time is the device's least. */
  port(device: number): number {
    return this.base[device] + this.first[device];
  }

  set(device: number, port: number, time: number): void {
    this.at[port] = time;
    this.moved(device, port);
  }

  /** The port's time has been changed in `at`. */
  moved(device: number, port: number): void {
    if (port - this.base[device] === this.first[device]) this.scan(device);
    else if (this.at[port] <= this.time[device]) this.challenge(device, port);
  }

  private challenge(device: number, port: number): void {
    const time = this.at[port];
    const slot = port - this.base[device];
    if (time === this.time[device] && !drawnBefore(slot, this.first[device], time)) return;
    this.first[device] = slot;
    this.time[device] = time;
  }

  /** Finds the earliest port again. */
  scan(device: number): void {
    const { at } = this;
    const base = this.base[device];
    const end = this.end[device];
    let first = base;
    let time = at[base];
    for (let port = base + 1; port < end; port++) {
      const t = at[port];
      if (t > time || (t === time && !drawnBefore(port - base, first - base, t))) continue;
      time = t;
      first = port;
    }
    this.first[device] = first - base;
    this.time[device] = time;
  }
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
