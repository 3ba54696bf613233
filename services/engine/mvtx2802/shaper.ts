import type { ShaperSpec } from '../contract/spec.js';
import { assert } from '../kernel/assert.js';

/** The class that a port may shape: that of expedited forwarding. */
export const SHAPED_CLASS = 6;

/**
 * Peak and average rate of class P6 at each port. A frame starts no earlier than the frame before
 * it would have ended at the peak rate, and no earlier than `burstPs` before its turn at the
 * average rate (the virtual scheduling of a leaky bucket). The port may be idle meanwhile.
 */
export class Shapers {
  readonly #specs: readonly (ShaperSpec | null)[];
  // By port.

  /** From when on the next frame keeps to the peak rate; its turn at the average rate. */
  private readonly peakFromPs: Float64Array;
  private readonly turnPs: Float64Array;
  /** Until when the class is blocked; -Infinity while it is not. */
  private readonly blockedUntilPs: Float64Array;
  /** How long it was blocked in all, at holds that are over or will be. */
  private readonly totalPs: Float64Array;

  constructor(specs: readonly (ShaperSpec | null)[]) {
    this.#specs = specs;
    this.peakFromPs = new Float64Array(specs.length);
    this.turnPs = new Float64Array(specs.length);
    this.blockedUntilPs = new Float64Array(specs.length).fill(-Infinity);
    this.totalPs = new Float64Array(specs.length);
  }

  /** A frame of the class starts: when the next one may; -Infinity without a shaper. */
  started(port: number, wireOctets: number, now: number): number {
    const spec = this.#specs[port];
    if (spec === null) return -Infinity;
    this.peakFromPs[port] = now + wireOctets * spec.peakOctetPs;
    this.turnPs[port] = Math.max(this.turnPs[port], now) + wireOctets * spec.averageOctetPs;
    assert(now >= this.blockedUntilPs[port], 'shaper.starts-when-it-may');
    const from = Math.max(this.peakFromPs[port], this.turnPs[port] - spec.burstPs);
    this.blockedUntilPs[port] = from;
    this.totalPs[port] += from - now;
    return from;
  }

  /** How long the class has been blocked by `now`. */
  blockedPs(port: number, now: number): number {
    return this.totalPs[port] - Math.max(0, this.blockedUntilPs[port] - now);
  }

  /** Whether frames of the class may not start at this time. */
  isBlocked(port: number, now: number): boolean {
    return now < this.blockedUntilPs[port];
  }
}
