import type { Clock } from '../kernel/clock.js';
import type { Tables } from '../kernel/tables.js';

/** Parameters of what limits a connection's rate; `kind` says which rate control they are for. */
export interface RateSpec {
  readonly kind: string;
}

/** A kind of rate control, of which an engine has one that serves all its connections. */
export interface RateControlKind {
  readonly kind: string;
  create(tables: Tables, host: RateHost): RateControl;
}

/**
 * The narrow questions between a sending connection and what decides how fast it may send. A
 * connection with a rate control has a row of the table unit `rate`; others have none.
 */
export interface RateControl {
  /** Whether it goes by how long packets take (`measured`). */
  readonly timesPackets: boolean;
  /** Takes a row into service; `lineBps` is the rate of its port. */
  configure(row: number, spec: RateSpec, lineBps: number): void;
  /** A frame of so many octets was put on its way. */
  sent(row: number, octets: number): void;
  /** The network, or the receiver, complains; `feedback` says how badly where that is known. */
  notified(row: number, feedback: number): void;
  /**
   * A packet was acknowledged so long after it was put on its way, of which it spent so long in
   * the receiving station; so many packets were acknowledged since the one that was timed before.
   */
  measured(row: number, roundTripPs: number, endpointPs: number, packets: number): void;
  /** An acknowledgement of all before `expected` brought what switches wrote on a packet's way. */
  observed(row: number, expected: number, telemetry: Uint8Array): void;
  /** Packets must be sent again: the receiver says so, or says nothing. */
  lost(row: number, timedOut: boolean): void;
  onTimer(row: number, timer: number): void;
  status(row: number): RateStatus;
  /** The name of an invariant that does not hold for a row; null if all do. For `--check`. */
  broken(row: number): string | null;
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
  /** No more than so many packets may be unacknowledged. */
  setWindow(row: number, packets: number): void;
  /** Number of the packet that is sent next. */
  nextPacket(row: number): number;
  /**
   * `timer` is 0..3. A timer that was armed for an earlier time comes then, and not again: whoever
   * has put it off arms it once more.
   */
  arm(row: number, timer: number, time: number): void;
  /** A number in [0, 1) of the connection's own random stream. */
  uniform(row: number): number;
  /** Name of the device that sends. */
  deviceOf(row: number): string;
  /** Everything was sent, and acknowledged if it is to be. */
  isDone(row: number): boolean;
}
