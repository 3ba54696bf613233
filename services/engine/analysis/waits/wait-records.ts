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
  /** Of an account of grants; -1 where the whole group is meant. */
  readonly channel: number;
  readonly mechanism: string;
  readonly startPs: number;
  readonly endPs: number;
  /** Frames that a host kept, each times how long; 0 where others wait for the buffer. */
  readonly frameTimePs: number;
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

/** An egress queue that delayed its frames, from when it began to fill to when it was empty. */
export interface QueueRecord {
  readonly port: number;
  readonly trafficClass: number;
  /** Of the frame with which it became long. */
  readonly priority: number;
  readonly startPs: number;
  readonly endPs: number;
  /** Frames in it while its port might send, each times how long. */
  readonly frameTimePs: number;
  /** For so long its priority might not send. */
  readonly blockedPs: number;
  /** A port by which its frames came, and whether others came by other ports. */
  readonly ingress: number;
  readonly isShared: boolean;
  /** When it became long, for how long it grew from then on, and was blocked in that time. */
  readonly longPs: number;
  readonly grewPs: number;
  readonly grewBlockedPs: number;
  /** Octets that joined it in that time, and that its port sent of other classes. */
  readonly joinedOctets: number;
  readonly othersOctets: number;
  /** Of the frames that were sampled as they joined it. */
  readonly sampledOctets: number;
  readonly flows: readonly FlowShare[];
}

/** Octets of one flow among those sampled; a flow is known by the fields of its frames. */
export interface FlowShare {
  readonly source: number;
  readonly target: number;
  readonly connection: number;
  readonly isAnswer: boolean;
  readonly octets: number;
  /** Of other flows, which are not told apart. */
  readonly othersOctets: number;
}

/** A message of a queue paused a priority of a port, or of its link partner. */
export interface NoticeRecord {
  readonly port: number;
  readonly priority: number;
  readonly timePs: number;
  /** MAC address of the port that has the queue. */
  readonly queueMac: number;
}

/** All records of one device. */
export interface DeviceWaits {
  readonly holds: readonly HoldRecord[];
  readonly stops: readonly StopRecord[];
  /**
   * Accounts of grants that store so much that what is left of their buffer is less than their
   * link takes in a round trip.
   */
  readonly crowds: readonly StopRecord[];
  /** What a host has received and does not read. */
  readonly kept: readonly StopRecord[];
  readonly jams: readonly JamRecord[];
  readonly queues: readonly QueueRecord[];
  readonly notices: readonly NoticeRecord[];
  /** Records beyond the limit. */
  readonly omitted: number;
}

/** In place of a mechanism: a priority is held along with another of its port. */
export const ALONG = 'along';

/** Of a priority that is blocked as a whole, and not by one account of grants. */
export const WHOLE = -1;
