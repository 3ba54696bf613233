import { KB } from '../arbiter/credits.js';
import { assert } from '../kernel/assert.js';

/**
 * The transmit rate scheduler (7.7.2.1.1). Times are octet times of the link, counted from the
 * start without wrapping; its decisions equal those of the chip's 32-bit stamps while none is more
 * than 2^31 octet times away from now.
 */

/** Fraction bits of a rate factor; 1.0 is the line rate. */
const RATE_FACTOR_BITS = 14;
export const RATE_FACTOR_ONE = 1 << RATE_FACTOR_BITS;
export const RATE_FACTOR_MOST = 1000 * RATE_FACTOR_ONE;

/** Link rate over target rate, as the register holds it. */
export function rateFactorOf(linkBps: number, targetBps: number): number {
  return Math.floor((linkBps * RATE_FACTOR_ONE) / targetBps);
}

/** MIFS: least distance between two starts of frames of a queue, after one of so many octets. */
export function startSpacing(frameOctets: number, rateFactor: number): number {
  return Math.floor((frameOctets * rateFactor) / RATE_FACTOR_ONE);
}

/** MMW_TIME: how far back a queue that was delayed may catch up. */
export function memoryWindow(windowKb: number, rateFactor: number): number {
  return Math.floor((windowKb * rateFactor) / RATE_FACTOR_ONE) * KB;
}

/** The stamp after a frame of so many octets: the old one moved on, or pulled up to the window. */
export function nextStamp(
  stamp: number,
  frameOctets: number,
  now: number,
  rateFactor: number,
  windowKb: number,
): number {
  const spacing = startSpacing(frameOctets, rateFactor);
  assert(spacing >= 0 && windowKb >= 0, 'nic.spacing-of-frames');
  const earliest = now - memoryWindow(windowKb, rateFactor);
  return stamp + spacing >= earliest ? stamp + spacing : earliest + spacing;
}

/** The stamp as the chip stores it: 32 bits that wrap. */
export function stampRegister(stamp: number): number {
  return stamp >>> 0;
}

/** One step of the rate drift (7.7.2.1.2): at 1.0 the queue is no longer rate controlled. */
export function driftedFactor(rateFactor: number, driftFactor: number): number {
  return Math.max(RATE_FACTOR_ONE, Math.floor((rateFactor * driftFactor) / RATE_FACTOR_ONE));
}
