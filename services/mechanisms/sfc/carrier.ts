import type { PortRow } from '../../engine/units/indices.js';

export interface SfcTimers {
  readonly clock: { readonly now: number };
  arm(port: PortRow, timer: number, timePs: number): void;
}

/** The stations for which a bridge is a proxy: those that do not respond to messages themselves. */
export interface SfcEdges {
  actsFor(port: PortRow): boolean;
}

/** Timers of the mechanism at a port; those of pauses have lower numbers. */
export const PROCESS_TIMER = 16;
/** Of a device, at its first port. */
export const CLEANUP_TIMER = 17;
