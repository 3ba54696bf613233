/**
 * What a device knows of who waits for whom: plain data, by ports as the device counts them. Each
 * device writes down only what it sees itself, so the records of a run are the same wherever its
 * devices lived; they are joined afterwards. Times are ps; an end of Infinity is still to come.
 */

/** A priority of a port that might not send. */
export interface HoldTime {
  readonly port: number;
  readonly priority: number;
  /** Of a credit account; -1 where the whole priority is held. */
  readonly channel: number;
  readonly mechanism: string;
  readonly startPs: number;
  readonly endPs: number;
}

/** The same, and what it cost. */
export interface HoldRecord extends HoldTime {
  /** Frames that stood there, each times how long. */
  readonly frameTimePs: number;
}

/** An ingress account that did not let its neighbour go on. */
export interface StopRecord {
  readonly port: number;
  readonly group: number;
  readonly mechanism: string;
  readonly startPs: number;
  readonly endPs: number;
  /** Where most of what filled it stood; null where nothing of it did. */
  readonly cause: StopCause | null;
}

/** An egress queue that an account's frames stand in. */
export interface StopCause {
  readonly egress: number;
  readonly trafficClass: number;
  readonly priority: number;
  /** Frames of other ports stand there, too. */
  readonly isShared: boolean;
  /** Since when something has stood there without a break. */
  readonly sincePs: number;
  /** A hold kept at least half of the queue from leaving; otherwise too much came at once. */
  readonly isHeld: boolean;
}

/** A stopped account that cannot go on before a certain held egress does. */
export interface JamRecord {
  readonly port: number;
  readonly group: number;
  readonly egress: number;
  readonly priority: number;
  readonly startPs: number;
  readonly endPs: number;
  /** The account waits for other egresses as well, and any of them would let it go on. */
  readonly isAny: boolean;
}

/** Everything that one device has seen. */
export interface DeviceWaits {
  readonly holds: readonly HoldRecord[];
  readonly stops: readonly StopRecord[];
  readonly jams: readonly JamRecord[];
  /** Records beyond what is kept. */
  readonly omitted: number;
}

/** Of a priority that is held as a whole, and not by one credit account. */
export const WHOLE = -1;
