/** Rate controls of senders, from what a station receives: rates in bit/s, times in ps. */

import type { DcqcnSettings, TimelySettings } from './settings.js';

/** The rate of one connection. */
export interface RateModel {
  /** Bit/s; the line rate where it is not limited. */
  readonly rate: number;
  /** When a timer last changed it; 0: none did. */
  readonly changedPs: number;
  /** Executes what is due up to a time, at which nothing else has happened yet. */
  advance(atPs: number): void;
  /** Packets that may be unacknowledged; `slack` is added before it is rounded. */
  window?(slack: number): number;
  sent?(octets: number): void;
  /** A congestion notification came, with feedback where it quantifies congestion. */
  notified?(atPs: number, feedback: number): void;
  /** A packet that was timed was acknowledged after so long. */
  measured?(roundTripPs: number, trip: RoundTrip): void;
  /** An acknowledgement of all before `sequence` brought telemetry; `next` is sent next. */
  observed?(octets: Uint8Array, sequence: number, next: number): void;
  /** Packets are sent again, after a NAK or a timeout. */
  lost?(timedOut: boolean, atPs: number): void;
}

export interface RoundTrip {
  /** Of it, in the receiving station. */
  readonly endpointPs: number;
  /** Acknowledged since the packet that was timed before. */
  readonly packets: number;
  readonly atPs: number;
}

/** So close to the line rate a limit is removed. */
export const NEARLY_LINE = 0.999;

/**
 * DCQCN (Zhu et al., SIGCOMM 2015): a notification cuts the rate by alpha/2 and raises alpha; fast
 * recovery halves the distance to the target, active and hyper-active increase raise the target, by
 * a timer and by octets sent.
 */
export class Dcqcn implements RateModel {
  rate: number;
  changedPs = 0;
  private target: number;
  private alpha = 1;
  private byteStage = 0;
  private timeStage = 0;
  private octetsLeft = 0;
  private isActive = false;
  private isNotified = false;
  private alphaAt = Infinity;
  private cutAt = Infinity;
  private raiseAt = Infinity;
  private cutsFrom = 0;

  constructor(
    private readonly settings: DcqcnSettings,
    private readonly line: number,
  ) {
    this.rate = line;
    this.target = line;
  }

  advance(atPs: number): void {
    for (;;) {
      const next = Math.min(this.alphaAt, this.cutAt, this.raiseAt);
      if (next > atPs) return;
      this.changedPs = next;
      if (this.alphaAt === next) this.updateAlpha(next);
      else if (this.cutAt === next) this.cutPeriodEnds(next);
      else this.raisePeriodEnds(next);
    }
  }

  notified(atPs: number): void {
    const { variant, gain, alphaPeriod, cutPeriod } = this.settings;
    const begins = !this.isActive;
    if (begins) {
      this.isActive = true;
      this.cutsFrom = atPs;
      this.alphaAt = atPs + alphaPeriod;
    }
    if (variant === 'paper') {
      this.target = this.rate;
      this.cut(atPs);
      this.alpha = (1 - gain) * this.alpha + gain;
      this.alphaAt = atPs + alphaPeriod;
      return;
    }
    this.isNotified = true;
    if (begins) this.cut(atPs);
    else if (this.cutAt === Infinity) {
      const periods = Math.floor((atPs - this.cutsFrom) / cutPeriod) + 1;
      this.cutAt = this.cutsFrom + periods * cutPeriod;
    }
  }

  sent(octets: number): void {
    if (!this.isActive) return;
    this.octetsLeft -= octets;
    if (this.octetsLeft > 0) return;
    this.octetsLeft = this.settings.raiseBytes;
    if (this.raise()) this.byteStage++;
  }

  private updateAlpha(atPs: number): void {
    const { gain, alphaPeriod } = this.settings;
    this.alpha = (1 - gain) * this.alpha + (this.isNotified ? gain : 0);
    this.isNotified = false;
    this.alphaAt = atPs + alphaPeriod;
  }

  private cutPeriodEnds(atPs: number): void {
    const isStaged = this.timeStage > 0 || this.byteStage > 0;
    if (this.settings.clampTarget || isStaged) this.target = this.rate;
    this.cutAt = Infinity;
    this.cut(atPs);
  }

  private raisePeriodEnds(atPs: number): void {
    this.raiseAt = atPs + this.settings.raisePeriod;
    if (this.raise()) this.timeStage++;
  }

  private cut(atPs: number): void {
    const { minRate, raiseBytes, raisePeriod } = this.settings;
    this.rate = Math.max(Math.min(minRate, this.line), this.rate * (1 - this.alpha / 2));
    this.byteStage = 0;
    this.timeStage = 0;
    this.octetsLeft = raiseBytes;
    this.raiseAt = atPs + raisePeriod;
  }

  /** False where the limit ends. */
  private raise(): boolean {
    const { fastCycles, activeRate, hyperRate } = this.settings;
    if (Math.min(this.byteStage, this.timeStage) > fastCycles) this.target += hyperRate;
    else if (Math.max(this.byteStage, this.timeStage) >= fastCycles) this.target += activeRate;
    this.target = Math.min(this.target, this.line);
    this.rate = (this.rate + this.target) / 2;
    const isLimited = this.rate < NEARLY_LINE * this.line;
    if (!isLimited) this.release();
    return isLimited;
  }

  private release(): void {
    this.rate = this.line;
    this.target = this.line;
    this.alpha = 1;
    this.isActive = false;
    this.isNotified = false;
    this.byteStage = 0;
    this.timeStage = 0;
    this.alphaAt = Infinity;
    this.cutAt = Infinity;
    this.raiseAt = Infinity;
  }
}

/** So many round trips in a row that did not grow make steps as many times as long (4.3). */
const CALM_ROUND_TRIPS = 5;

/**
 * TIMELY (Mittal et al., SIGCOMM 2015), algorithm 1: the rate follows the gradient of round trips.
 */
export class Timely implements RateModel {
  rate: number;
  readonly changedPs = 0;
  private before: number | null = null;
  private change = 0;
  private calm = 0;

  constructor(
    private readonly settings: TimelySettings,
    private readonly line: number,
  ) {
    this.rate = line;
  }

  // It has no timers.
  advance(): void {}

  measured(roundTripPs: number): void {
    const { low, high, roundTrip, smoothing, step } = this.settings;
    const difference = this.before === null ? 0 : roundTripPs - this.before;
    this.before = roundTripPs;
    this.change = (1 - smoothing) * this.change + smoothing * difference;
    const gradient = this.change / roundTrip;
    this.calm = gradient <= 0 ? this.calm + 1 : 0;
    const steps = this.calm >= CALM_ROUND_TRIPS ? CALM_ROUND_TRIPS : 1;
    if (roundTripPs < low) this.raise(step);
    else if (roundTripPs > high) this.cut(1 - high / roundTripPs);
    else if (gradient > 0) this.cut(gradient);
    else this.raise(steps * step);
  }

  private raise(by: number): void {
    this.rate = Math.min(this.rate + by, this.line);
  }

  private cut(badness: number): void {
    const { minRate, decrease } = this.settings;
    const factor = Math.max(0, 1 - decrease * badness);
    this.rate = Math.max(Math.min(minRate, this.line), this.rate * factor);
  }
}
