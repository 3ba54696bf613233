import type { WireFrame } from '../record.js';
import type { Flight, Port, Queued, Storage } from './port.js';

export interface Start {
  readonly atPs: number;
  readonly trafficClass: number;
  readonly eligible: number;
  readonly queued: Queued;
  readonly frame: WireFrame;
}

/** What rules see of the fabric as it is rebuilt, in the order of events. */
export interface Observer {
  /** A frame came in; a switch has not decided about it yet. */
  arrived?(port: Port, frame: WireFrame, atPs: number, flight: Flight | null): void;
  /** It will be, or is, in the buffer: called once, before its first copy is queued. */
  admitted?(storage: Storage, frame: WireFrame, out: Port, atPs: number): void;
  /** It joins the queue of `out`, whose octets do not count it yet. */
  joining?(out: Port, queued: Queued, atPs: number): void;
  joined?(out: Port, queued: Queued, atPs: number): void;
  /** It is dropped before it joined a queue. */
  refused?(port: Port, frame: WireFrame, reason: string, atPs: number): void;
  starting?(port: Port, start: Start): void;
  started?(port: Port, start: Start): void;
  discarded?(port: Port, queued: Queued, atPs: number): void;
  /** The last copy of a frame has left the buffer. */
  released?(storage: Storage, atPs: number): void;
  repeated?(port: Port, frame: WireFrame, number: number, atPs: number): void;
  rejected?(port: Port, reason: string, atPs: number, flight: Flight | null): void;
  controlStarted?(port: Port, octets: Uint8Array, atPs: number): void;
  controlEffective?(port: Port, octets: Uint8Array, atPs: number): void;
  tagged?(port: Port, octets: Uint8Array, atPs: number): void;
  watchdog?(port: Port, priority: number, isOn: boolean, atPs: number): void;
  /** Everything before this time has happened. */
  reached?(atPs: number): void;
}
