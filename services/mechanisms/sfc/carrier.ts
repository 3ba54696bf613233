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
