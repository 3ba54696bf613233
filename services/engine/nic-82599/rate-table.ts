import { fieldOf, type RegisterFile } from './register-file.js';
import { QUEUES, REGISTERS } from './register-map.js';
import {
  driftedFactor,
  nextStamp,
  RATE_FACTOR_MOST,
  RATE_FACTOR_ONE,
  rateFactorOf,
  startSpacing,
} from './rate-scheduler.js';
import { assert } from '../kernel/assert.js';

const FACTOR_MASK = 0xffffff;
const ENABLE = 0x80000000;
/** DRIFT_INT counts microseconds (a choice: the data sheet gives no unit). */
const DRIFT_UNIT_PS = 1e6;

/**
 * The rate scheduling table: by descriptor queue, when its next data read request may start, and
 * the rate drift. Rate factors are in RTTBCNRC, where drift changes them. Drift is computed on
 * access, which equals an update at each interval, since only grants use the factors.
 */
export class RateTable {
  readonly #registers: RegisterFile;
  readonly #octetPs: number;
  /** By queue: time stamp, in octet times. */
  readonly stamp = new Float64Array(QUEUES);
  /** By queue: the rate that a reaction to congestion set last. */
  private readonly target = new Float64Array(QUEUES).fill(Infinity);
  private driftSincePs = 0;
  private driftSteps = 0;
  /** Queues that are rate controlled. */
  controlled = 0;

  constructor(registers: RegisterFile, octetPs: number) {
    this.#registers = registers;
    this.#octetPs = octetPs;
  }

  isControlled(queue: number): boolean {
    return this.controlled > 0 && this.#registers.get('RTTBCNRC', queue) >= ENABLE;
  }

  factor(queue: number): number {
    return this.#registers.get('RTTBCNRC', queue) & FACTOR_MASK;
  }

  /** RTTBCNRC of a queue was written; a queue that was not limited until now may start at once. */
  written(queue: number, before: number, nowPs: number): void {
    const was = before >= ENABLE ? 1 : 0;
    const is = this.#registers.get('RTTBCNRC', queue) >= ENABLE ? 1 : 0;
    this.controlled += is - was;
    assert(this.controlled >= 0 && this.controlled <= QUEUES, 'nic.rate-controlled-queues');
    if (is > was) this.stamp[queue] = this.octetsAt(nowPs);
  }

  /**
   * Sets a queue's rate, as software reacts to congestion; the line rate ends rate control. A
   * reaction that raises its rate does not reduce what drift has added meanwhile.
   */
  setTarget(queue: number, linkBps: number, targetBps: number, nowPs: number): void {
    const before = this.#registers.get('RTTBCNRC', queue);
    const factor = Math.min(rateFactorOf(linkBps, targetBps), RATE_FACTOR_MOST);
    const isRise = targetBps >= this.target[queue];
    assert(targetBps > 0 && factor >= 0, 'nic.rate-of-queue');
    this.target[queue] = targetBps;
    if (isRise && factor > (before >= ENABLE ? this.factor(queue) : RATE_FACTOR_ONE)) return;
    const value = factor <= RATE_FACTOR_ONE ? RATE_FACTOR_ONE : ENABLE + factor;
    this.#registers.set('RTTBCNRC', queue, value);
    this.written(queue, before, nowPs);
  }

  /** RTTBCNRD was written: bit 1 ends the rate control of all queues, and clears itself. */
  driftWritten(nowPs: number): void {
    if (this.#registers.field('RTTBCNRD', 'CLEAR_ALL') === 1) this.clearAll(nowPs);
    this.driftSincePs = nowPs;
    this.driftSteps = 0;
  }

  private clearAll(nowPs: number): void {
    for (let queue = 0; queue < QUEUES; queue++) {
      const before = this.#registers.get('RTTBCNRC', queue);
      this.#registers.set('RTTBCNRC', queue, 0);
      this.written(queue, before, nowPs);
    }
    this.#registers.setField('RTTBCNRD', 'CLEAR_ALL', 0, 0);
  }

  /** The switch of a queue is on from this time (ps); 0 where it is not rate controlled. */
  onFromPs(queue: number): number {
    if (!this.isControlled(queue)) return 0;
    const onPs = this.stamp[queue] * this.#octetPs;
    return Math.min(onPs, this.clearedPs(queue, onPs));
  }

  /** A frame of the queue is granted. */
  sent(queue: number, trafficClass: number, frameOctets: number, nowPs: number): void {
    const window = this.#registers.field('RTTBCNRM', 'MMW_SIZE', trafficClass);
    this.stamp[queue] = nextStamp(
      this.stamp[queue],
      frameOctets,
      this.octetsAt(nowPs),
      this.factor(queue),
      window,
    );
  }

  /** MIFS after a frame of so many octets. */
  spacing(queue: number, frameOctets: number): number {
    return startSpacing(frameOctets, this.factor(queue));
  }

  /** Performs the steps of drift that are due by now. */
  drift(nowPs: number): void {
    if (this.controlled === 0) return;
    const intervalPs = this.driftIntervalPs();
    if (intervalPs === 0) return;
    const due = Math.floor((nowPs - this.driftSincePs) / intervalPs);
    assert(due >= this.driftSteps, 'nic.drift-in-time');
    while (this.driftSteps < due && this.controlled > 0) {
      this.driftSteps++;
      this.step();
    }
    this.driftSteps = Math.max(this.driftSteps, due);
  }

  private step(): void {
    const factor = this.driftFactor();
    for (let queue = 0; queue < QUEUES; queue++) {
      if (!this.isControlled(queue)) continue;
      const next = driftedFactor(this.factor(queue), factor);
      const recovered = next === RATE_FACTOR_ONE;
      if (recovered) this.controlled--;
      this.#registers.set('RTTBCNRC', queue, recovered ? next : ENABLE + next);
    }
  }

  /** When drift ends the control of a queue, if that is before `limitPs`. */
  private clearedPs(queue: number, limitPs: number): number {
    const intervalPs = this.driftIntervalPs();
    if (intervalPs === 0) return Infinity;
    const drift = this.driftFactor();
    let factor = this.factor(queue);
    let at = this.driftSincePs + this.driftSteps * intervalPs;
    while (at + intervalPs < limitPs) {
      at += intervalPs;
      factor = driftedFactor(factor, drift);
      if (factor === RATE_FACTOR_ONE) return at;
    }
    return Infinity;
  }

  private driftFactor(): number {
    return this.#registers.field('RTTBCNRD', 'DRIFT_FAC');
  }

  /** 0 where drift is left to software. */
  private driftIntervalPs(): number {
    const word = this.#registers.get('RTTBCNRD');
    if (word < ENABLE) return 0;
    return fieldOf(REGISTERS.RTTBCNRD, 'DRIFT_INT', word) * DRIFT_UNIT_PS;
  }

  private octetsAt(ps: number): number {
    return Math.floor(ps / this.#octetPs);
  }
}
