/**
 * Virtual time that follows wall-clock time, and how far events were from their instants. It keeps
 * no events: whatever it says, the engine executes the same for the same inputs.
 */

import type { LiveSection } from '../fabric/live/live-section.js';
import type { LiveTime } from '../runtime/results/live-results.js';

/** Picoseconds of a millisecond. */
const PS_PER_MS = 1e9;
/** Virtual time slows down by so much whenever it cannot be held. */
const STRETCH = 1.25;

type Pacing = Pick<LiveSection, 'scale' | 'timing' | 'latePs'>;

export class WallTime {
  private scale: number;
  /** Virtual time at an instant of the wall clock. */
  private anchorPs = 0;
  private anchorMs: number;
  private inTime = 0;
  private late = 0;
  private worstPs = 0;
  /** The engine was behind by more than what counts as late. */
  private hasFallenBehind = false;

  /** `clock`: milliseconds that never go back. */
  constructor(
    private readonly pacing: Pacing,
    private readonly clock: () => number,
  ) {
    this.scale = pacing.scale;
    this.anchorMs = clock();
  }

  /** Virtual time is zero now. */
  begin(): void {
    this.anchorMs = this.clock();
  }

  /** Virtual time now, in whole picoseconds. */
  get nowPs(): number {
    const ms = this.clock() - this.anchorMs;
    return this.anchorPs + Math.floor((ms * PS_PER_MS) / this.scale);
  }

  /** Wall-clock milliseconds until a virtual time; below zero: it is past. */
  msUntil(atPs: number): number {
    return ((atPs - this.nowPs) * this.scale) / PS_PER_MS;
  }

  /** A frame enters or leaves; it should have been executed so long ago, of wall-clock time. */
  count(slipMs: number): void {
    const slipPs = Math.max(0, slipMs) * PS_PER_MS;
    if (slipPs > this.pacing.latePs) this.late++;
    else this.inTime++;
    this.worstPs = Math.max(this.worstPs, slipPs);
  }

  /** Everything before a virtual time is executed; returns false where the run is to end. */
  reached(executedPs: number): boolean {
    const { timing, latePs } = this.pacing;
    const behindMs = -this.msUntil(executedPs);
    if (behindMs * PS_PER_MS <= latePs) return true;
    this.hasFallenBehind = true;
    if (timing === 'stretch') this.stretch(executedPs);
    return timing !== 'strict';
  }

  resultAt(endPs: number): LiveTime {
    const { inTime, late, worstPs, scale, hasFallenBehind } = this;
    const worstSlipPs = Math.round(worstPs);
    return { endPs, inTime, late, worstSlipPs, scale, fellBehind: hasFallenBehind };
  }

  /** Virtual time goes on from where the engine is, and more slowly. */
  private stretch(executedPs: number): void {
    this.anchorPs = executedPs;
    this.anchorMs = this.clock();
    this.scale *= STRETCH;
  }
}
