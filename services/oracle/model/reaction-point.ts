/** Reaction points of QCN (802.1Q 32.13 to 32.15): rates in bit/s, times in ps. */

import type { QcnSettings } from './settings.js';
import type { Draws } from './draws.js';
import { NEARLY_LINE, type RateModel } from './rate-controls.js';

/** Defaults of the standard suit this rate. */
const USUAL_RATE = 10e9;
const USUAL = { byteReset: 150e3, activeRate: 5e6, hyperRate: 50e6, minRate: 5e6 };
/** A target so many times the rate is reduced first, by so much. */
const FAR = 10;
const NEARER = 8;

/** Variables by their names in 32.13, without the prefix. */
export class ReactionPoint implements RateModel {
  rate: number;
  changedPs = 0;
  private isEnabled = false;
  private targetRate: number;
  private byteStage = 0;
  private timeStage = 0;
  private byteCount = 0;
  private whileTimer = Infinity;

  constructor(
    private readonly settings: QcnSettings,
    private readonly line: number,
    private readonly draws: Draws,
  ) {
    this.rate = line;
    this.targetRate = line;
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

  /** A CNM was received (32.14.4). */
  notified(atPs: number, feedback: number): void {
    const byteReset = this.scaled('byteReset');
    if (!this.isEnabled) this.byteCount = byteReset;
    this.isEnabled = true;
    if (this.byteStage !== 0) {
      this.targetRate = this.rate;
      this.byteCount = byteReset;
    }
    this.byteStage = 0;
    this.timeStage = 0;
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
    if (isFirst && this.targetRate > FAR * this.rate) this.targetRate /= NEARER;
    else if (cycles > 0) this.targetRate += cycles * this.scaled('hyperRate');
    else if (Math.max(byteStage, timeStage) > threshold) {
      this.targetRate += this.scaled('activeRate');
    }
    this.targetRate = Math.min(this.targetRate, this.line);
    this.rate = Math.min((this.rate + this.targetRate) / 2, this.line);
    if (this.rate >= NEARLY_LINE * this.line) this.release();
  }

  private release(): void {
    this.isEnabled = false;
    this.rate = this.line;
    this.targetRate = this.line;
    this.byteStage = 0;
    this.timeStage = 0;
    this.whileTimer = Infinity;
  }

  /** Periods are 15 % longer or shorter. */
  private jitter(): number {
    return 0.85 + 0.3 * this.draws.uniform();
  }

  private scaled(key: keyof typeof USUAL): number {
    const value = this.settings[key];
    return value === 'auto' ? USUAL[key] * (this.line / USUAL_RATE) : value;
  }
}
