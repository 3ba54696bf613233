/**
 * The wait-for graph as a device records it: plain data, by ports as the device counts them. Each
 * device records only its own events, so the records of a run are the same in every partitioning;
 * they are joined afterwards. Times are ps; an end of Infinity is still to come.
 */

/** A priority of a port that might not send. */
export interface HoldTime {
  readonly port: number;
  readonly priority: number;
  /** Of an account of grants; -1 where the whole priority is blocked. */
  readonly channel: number;
  readonly mechanism: string;
  readonly startPs: number;
  readonly endPs: number;
}

/** The same, with its frame-time. */
export interface HoldRecord extends HoldTime {
  /** Frames that waited, each times how long. */
  readonly frameTimePs: number;
}

/** An ingress buffer that paused its link partner. */
export interface StopRecord {
  readonly port: number;
  readonly group: number;
  readonly mechanism: string;
  readonly startPs: number;
  readonly endPs: number;
  /** Where most of its octets waited; null where none did. */
  readonly cause: StopCause | null;
}

/** An egress queue in which an account's frames wait. */
export interface StopCause {
  readonly egress: number;
  readonly trafficClass: number;
  readonly priority: number;
  /** Frames of other ports wait in it, too. */
  readonly isShared: boolean;
  /** Since when the queue has not been empty. */
  readonly sincePs: number;
  /** A hold kept at least half of the queue from leaving; otherwise too much arrived at once. */
  readonly isBlocked: boolean;
}

/** A paused account that cannot resume before a certain blocked egress does. */
export interface JamRecord {
  readonly port: number;
  readonly group: number;
  readonly egress: number;
  readonly priority: number;
  readonly startPs: number;
  readonly endPs: number;
  /** The account waits for other egresses as well, and any of them would let it resume. */
  readonly isAny: boolean;
}

/** All records of one device. */
export interface DeviceWaits {
  readonly holds: readonly HoldRecord[];
  readonly stops: readonly StopRecord[];
  readonly jams: readonly JamRecord[];
  /** Records beyond the limit. */
  readonly omitted: number;
}

/** Of a priority that is blocked as a whole, and not by one account of grants. */
export const WHOLE = -1;
