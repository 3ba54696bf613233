import type { Clock } from '../kernel/clock.js';
import type { Tables } from '../kernel/tables.js';

/** Parameters of a connection's rate control; `kind` selects which. */
export interface RateSpec {
  readonly kind: string;
}

/** A kind of rate control, of which an engine has one that serves all its connections. */
export interface RateControlKind {
  readonly kind: string;
  create(tables: Tables, host: RateHost): RateControl;
}

/**
 * Interface between a sending connection and its rate control. A connection with a rate control has
 * a row of the table unit `rate`; others have none.
 */
export interface RateControl {
  /** Whether it uses round-trip times of packets (`measured`). */
  readonly timesPackets: boolean;
  /** Whether it is told of every acknowledgement (`answered`). */
  readonly seesAnswers: boolean;
  /** Initialises a row; `lineBps` is the rate of its port. */
  configure(row: number, spec: RateSpec, lineBps: number): void;
  /** A frame of so many octets was sent. */
  sent(row: number, octets: number): void;
  /** A congestion notification arrived; `feedback` quantifies it where it does. */
  notified(row: number, feedback: number): void;
  /**
   * A packet was acknowledged so long after it was sent, of which the receiving station had it for
   * so long; so many packets were acknowledged since the previous measurement.
   */
  measured(row: number, roundTripPs: number, endpointPs: number, packets: number): void;
  /** So many packets more are acknowledged; `isMarked`: all of them had been marked. */
  answered(row: number, packets: number, isMarked: boolean): void;
  /** An acknowledgement of all before `expected` brought the telemetry of a packet's path. */
  observed(row: number, expected: number, telemetry: Uint8Array): void;
  /** Packets must be retransmitted: a NAK arrived, or a timeout expired. */
  lost(row: number, timedOut: boolean): void;
  onTimer(row: number, timer: number): void;
  status(row: number): RateStatus;
  /** The name of an invariant that does not hold for a row; null if all do. For `--check`. */
  broken(row: number): string | null;
}

export interface RateStatus {
  /** Of the port: the rate of a connection without congestion. */
  readonly lineBps: number;
  readonly rateBps: number;
  /** The rate that recovery increases to. */
  readonly targetBps: number;
  /** The lowest rate so far. */
  readonly leastBps: number;
  readonly notifications: number;
  readonly cuts: number;
}

/** What a rate control uses of its host. */
export interface RateHost {
  readonly clock: Clock;
  /** The connection may send so many bit/s of wire octets from now on. */
  setRate(row: number, bps: number, lineBps: number): void;
  /** No more than so many packets may be unacknowledged. */
  setWindow(row: number, packets: number): void;
  /** Number of the packet that is sent next. */
  nextPacket(row: number): number;
  /**
   * `timer` is 0..3. A timer that was armed for an earlier time expires then and is not repeated: a
   * rate control that postponed it arms it again.
   */
  arm(row: number, timer: number, time: number): void;
  /** A number in [0, 1) of the connection's own random stream. */
  uniform(row: number): number;
  /** Name of the device that sends. */
  deviceOf(row: number): string;
  /** Everything was sent, and acknowledged where the transport is reliable. */
  isDone(row: number): boolean;
}
