/** Rate controls of senders, from what a station receives: rates in bit/s, times in ps. */

import type { Draws } from './draws.js';
import type { DcqcnSettings, QcnSettings, TimelySettings } from './settings.js';

export interface RateModel {
  /** Bit/s; the line rate where it is not limited. */
  readonly rate: number;
  /** When a timer last changed it. */
  readonly changedPs?: number;
  /** Executes what is due up to a time, at which nothing else has happened yet. */
  advance?(atPs: number): void;
  /** Packets that may be unacknowledged; `slack` is added before it is rounded. */
  window?(slack: number): number;
  sent?(octets: number): void;
  /** A congestion notification came, with feedback where it quantifies congestion. */
  notified?(atPs: number, feedback: number): void;
  measured?(roundTripPs: number, trip: RoundTrip): void;
  /** An acknowledgement of all before `sequence` brought telemetry; `next` is sent next. */
  observed?(octets: Uint8Array, sequence: number, next: number): void;
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
const NEARLY_LINE = 0.999;

/** A rate that follows a target in stages, by a byte counter and a timer. */
abstract class Staged<Keys> implements RateModel {
  rate: number;
  changedPs = 0;
  protected target: number;
  protected byteStage = 0;
  protected timeStage = 0;

  constructor(
    protected readonly settings: Keys,
    protected readonly line: number,
  ) {
    this.rate = line;
    this.target = line;
  }

  /** Half of the way to the target; whether the rate is limited still. */
  protected approach(): boolean {
    this.target = Math.min(this.target, this.line);
    this.rate = Math.min((this.rate + this.target) / 2, this.line);
    const isLimited = this.rate < NEARLY_LINE * this.line;
    if (!isLimited) this.release();
    return isLimited;
  }

  protected release(): void {
    this.rate = this.line;
    this.target = this.line;
    this.restage();
  }

  protected restage(): void {
    this.byteStage = 0;
    this.timeStage = 0;
  }
}

/**
 * DCQCN (Zhu et al., SIGCOMM 2015): a notification cuts the rate by alpha/2 and raises alpha; fast
 * recovery halves the distance to the target, active and hyper-active increase raise the target, by
 * a timer and by octets sent.
 */
export class Dcqcn extends Staged<DcqcnSettings> {
  private alpha = 1;
  private octetsLeft = 0;
  private isActive = false;
  private isNotified = false;
  private alphaAt = Infinity;
  private cutAt = Infinity;
  private raiseAt = Infinity;
  private cutsFrom = 0;

  advance(atPs: number): void {
    for (;;) {
      const next = Math.min(this.alphaAt, this.cutAt, this.raiseAt);
      if (next > atPs) return;
      this.changedPs = next;
      if (this.alphaAt === next) this.updateAlpha(next);
      else if (this.cutAt === next) this.cutPeriodEnds(next);
      else {
        this.raiseAt = next + this.settings.raisePeriod;
        if (this.raise()) this.timeStage++;
      }
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

  private cut(atPs: number): void {
    const { minRate, raiseBytes, raisePeriod } = this.settings;
    this.rate = Math.max(Math.min(minRate, this.line), this.rate * (1 - this.alpha / 2));
    this.restage();
    this.octetsLeft = raiseBytes;
    this.raiseAt = atPs + raisePeriod;
  }

  /** False where the limit ends. */
  private raise(): boolean {
    const { fastCycles, activeRate, hyperRate } = this.settings;
    if (Math.min(this.byteStage, this.timeStage) > fastCycles) this.target += hyperRate;
    else if (Math.max(this.byteStage, this.timeStage) >= fastCycles) this.target += activeRate;
    return this.approach();
  }

  protected override release(): void {
    super.release();
    this.alpha = 1;
    [this.isActive, this.isNotified] = [false, false];
    [this.alphaAt, this.cutAt, this.raiseAt] = [Infinity, Infinity, Infinity];
  }
}

/** Defaults of the standard suit this rate. */
const USUAL_RATE = 10e9;
const USUAL = { byteReset: 150e3, activeRate: 5e6, hyperRate: 50e6, minRate: 5e6 };
/** A target so many times the rate is reduced first, by so much. */
const [FAR, NEARER] = [10, 8];

/**
 * Reaction points of QCN (802.1Q 32.13 to 32.15). Variables by their names in 32.13, without the
 * prefix.
 */
export class ReactionPoint extends Staged<QcnSettings> {
  private isEnabled = false;
  private byteCount = 0;
  private whileTimer = Infinity;

  constructor(
    settings: QcnSettings,
    line: number,
    private readonly draws: Draws,
  ) {
    super(settings, line);
  }

  advance(atPs: number): void {
    while (this.whileTimer <= atPs) {
      const now = this.whileTimer;
      this.changedPs = now;
      this.timeStage++;
      const { timeReset, threshold } = this.settings;
      const period = this.timeStage < threshold ? timeReset : timeReset / 2;
      this.whileTimer = now + Math.round(period * this.jitter());
      this.selfIncrease();
    }
  }

  notified(atPs: number, feedback: number): void {
    const byteReset = this.scaled('byteReset');
    if (!this.isEnabled) this.byteCount = byteReset;
    this.isEnabled = true;
    if (this.byteStage !== 0) {
      this.target = this.rate;
      this.byteCount = byteReset;
    }
    this.restage();
    const { minDecrease, gain, timeReset } = this.settings;
    const least = Math.min(this.scaled('minRate'), this.line);
    this.rate = Math.max(least, this.rate * Math.max(minDecrease, 1 - gain * feedback));
    this.whileTimer = atPs + timeReset;
  }

  sent(octets: number): void {
    if (!this.isEnabled) return;
    this.byteCount -= octets;
    if (this.byteCount > 0) return;
    this.byteStage++;
    const byteReset = this.scaled('byteReset');
    const isRecovery = this.byteStage < this.settings.threshold;
    this.byteCount = (isRecovery ? byteReset : byteReset / 2) * this.jitter();
    this.selfIncrease();
  }

  /** 32.15: fast recovery, active increase, hyper-active increase. */
  private selfIncrease(): void {
    const { byteStage, timeStage } = this;
    const { threshold } = this.settings;
    const cycles = Math.min(byteStage, timeStage) - threshold;
    const isFirst = byteStage === 1 || timeStage === 1;
    if (isFirst && this.target > FAR * this.rate) this.target /= NEARER;
    else if (cycles > 0) this.target += cycles * this.scaled('hyperRate');
    else if (Math.max(byteStage, timeStage) > threshold) {
      this.target += this.scaled('activeRate');
    }
    this.approach();
  }

  protected override release(): void {
    super.release();
    [this.isEnabled, this.whileTimer] = [false, Infinity];
  }

  private jitter(): number {
    return 0.85 + 0.3 * this.draws.uniform();
  }

  private scaled(key: keyof typeof USUAL): number {
    const value = this.settings[key];
    return value === 'auto' ? USUAL[key] * (this.line / USUAL_RATE) : value;
  }
}

/** So many round trips in a row that did not grow make steps as many times as long (4.3). */
const CALM_ROUND_TRIPS = 5;

/**
 * TIMELY (Mittal et al., SIGCOMM 2015), algorithm 1: the rate follows the gradient of round trips.
 */
export class Timely implements RateModel {
  rate: number;
  private before: number | null = null;
  private change = 0;
  private calm = 0;

  constructor(
    private readonly settings: TimelySettings,
    private readonly line: number,
  ) {
    this.rate = line;
  }

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
