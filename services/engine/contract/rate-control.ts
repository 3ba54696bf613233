import type { Clock } from '../kernel/clock.js';
import type { RateSpec } from './spec.js';

/**
 * The narrow questions between a sending connection and what decides how fast it may send. A
 * connection with a rate control has a row of the table unit `rate`; others have none.
 */
export interface RateControl {
  /** Takes a row into service; `lineBps` is the rate of its port. */
  configure(row: number, spec: RateSpec, lineBps: number): void;
  /** A frame of so many octets was put on its way. */
  sent(row: number, octets: number): void;
  /** The network, or the receiver, complains; `feedback` says how badly where that is known. */
  notified(row: number, feedback: number): void;
  /** A packet was acknowledged so long after it was put on its way. */
  measured(row: number, roundTripPs: number): void;
  onTimer(row: number, timer: number): void;
  status(row: number): RateStatus;
}

export interface RateStatus {
  /** Of the port: what a connection has that nobody complains of. */
  readonly lineBps: number;
  readonly rateBps: number;
  /** What the rate is on its way back to. */
  readonly targetBps: number;
  /** The least it ever was. */
  readonly leastBps: number;
  readonly notifications: number;
  readonly cuts: number;
}

/** What a rate control may ask of those that carry it. */
export interface RateHost {
  readonly clock: Clock;
  /** The connection may send so many bit/s of wire octets from now on. */
  setRate(row: number, bps: number, lineBps: number): void;
  /**
   * `timer` is 0..3. A timer that was armed for an earlier time comes then, and not again: whoever
   * has put it off arms it once more.
   */
  arm(row: number, timer: number, time: number): void;
  /** A number in [0, 1) of the connection's own random stream. */
  uniform(row: number): number;
  /** Everything was sent, and acknowledged if it is to be. */
  isDone(row: number): boolean;
}
