import type { Clock } from './clock.js';

/**
 * A running 64-bit hash over what one actor executed. Not cryptographic: it is there to notice
 * that two runs differ, and to cost a few nanoseconds per event.
 */
export class Digest {
  private a = 0x243f6a88;
  private b = 0x85a308d3 | 0;

  constructor(private readonly clock: Clock) {}

  static readonly wiring = ['clock'];

  /** Takes in the present time and two words that identify the event. */
  mix(what: number, detail: number): void {
    const time = this.clock.now;
    let a = this.a ^ (time | 0) ^ Math.imul((time * 2.3283064365386963e-10) | 0, 0x2545f491);
    a = Math.imul((a << 15) | (a >>> 17), 0x9e3779b1) ^ what;
    let b = this.b ^ detail;
    b = Math.imul((b << 13) | (b >>> 19), 0x85ebca6b) + a;
    this.a = (Math.imul(a ^ (a >>> 15), 0xc2b2ae35) + b) | 0;
    this.b = b | 0;
  }

  hex(): string {
    return [this.a, this.b].map((w) => (w >>> 0).toString(16).padStart(8, '0')).join('');
  }
}
