import type { SampledMessage } from '../../notices/sampled-message.js';

/** What source flow control asks of the devices that carry it. Ports are those of the service. */
export interface SfcBridge {
  /** Octets of shared memory that are free in the switch that a port belongs to. */
  freeOctets(port: number): number;
  /** Priorities that may not start a frame at a port now, one bit each. */
  heldPriorities(port: number): number;
  /** Tags of an answer to a frame at the port it came by, when it goes out by another. */
  answerTags(out: number, frame: number): number;
  /** Sends a message towards a station, by the port that its frames come in. */
  sendMessage(port: number, message: SampledMessage, octets: Uint8Array, length: number): void;
}

export interface SfcStation {
  /** Stops a connection for a time; false, and nothing is done, if it has another priority. */
  stopConnection(port: number, connection: number, priority: number, durationPs: number): boolean;
}

export interface SfcTimers {
  readonly clock: { readonly now: number };
  arm(port: number, timer: number, timePs: number): void;
}

/** For whom a bridge acts: its stations that do not obey messages themselves. */
export interface SfcEdges {
  actsFor(port: number): boolean;
}

/** Timers of the mechanism at a port; those of pauses lie below. */
export const PROCESS_TIMER = 16;
/** Of a device, at its first port. */
export const CLEANUP_TIMER = 17;
