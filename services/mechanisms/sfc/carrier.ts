import type { HostCarrier, SwitchCarrier } from '../../engine/contract/slice.js';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import type { PauseResponder } from '../../engine/quanta/pause-responder.js';
import type { PortRow, Priority, TrafficClass } from '../../engine/units/indices.js';
import type { SfcCounters } from './managed.js';

export interface SfcTimers {
  readonly clock: { readonly now: number };
  /** Tells observers which queue pauses a priority of a port, or of the station there. */
  announce(port: PortRow, priority: Priority, queueMac: number): void;
  /** A queue pauses a source. */
  announceQueue(port: PortRow, trafficClass: TrafficClass, priority: Priority): void;
  arm(port: PortRow, timer: number, timePs: number): void;
}

/** The stations for which a bridge is a proxy: those that do not respond to messages themselves. */
export interface SfcEdges {
  actsFor(port: PortRow): boolean;
}

/** What a bridge acts on. */
export interface SfcBridgeParts {
  readonly carrier: SwitchCarrier;
  readonly timers: SfcTimers;
  readonly edges: SfcEdges;
  readonly pool: FramePool;
  readonly counters: SfcCounters;
}

/** What a station acts on. */
export interface SfcStationParts {
  readonly carrier: HostCarrier;
  readonly timers: SfcTimers;
  readonly responder: PauseResponder;
  readonly counters: SfcCounters;
}

/** Timers of the mechanism at a port; those of pauses have lower numbers. */
export const PROCESS_TIMER = 16;
/** Of a device, at its first port. */
export const CLEANUP_TIMER = 17;
