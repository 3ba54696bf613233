/**
 * A host's port with a real host behind it. What comes in from there is recorded with its time, so
 * that a run is repeated without the host. Plain data, made by assembly, or while the run goes on.
 */

import type { Priority } from '../units/indices.js';

export interface LivePortSpec {
  /**
   * The real host is the link partner of the switch: MAC control frames and LLDPDUs pass both ways,
   * and nothing here obeys them.
   */
  readonly isWire: boolean;
  /** Octets that wait in each traffic class at most. */
  readonly mostOctets: number;
  /** In the order of their times. */
  readonly inputs: readonly LiveInput[];
}

/** Octets without FCS that a real host has sent. */
export interface LiveInput {
  readonly atPs: number;
  readonly octets: Uint8Array;
  /** Null: they belong to the link, and cross no switch. */
  readonly frame: LiveFrame | null;
}

/** A frame as the fabric has it, read from its octets. */
export interface LiveFrame {
  readonly priority: Priority;
  /** Position of a station, or of a group. */
  readonly target: number;
  readonly isGroup: boolean;
  readonly hash: number;
  readonly vlan: number;
  /** Its transport is capable: a switch may mark it (RFC 3168). */
  readonly isCapable: boolean;
}

/** What a live port has counted. */
export interface LiveCounts {
  /** Frames of the real host that joined a queue. */
  readonly entered: number;
  /** Frames that found their queue full: the real host offered more than it was allowed. */
  readonly refused: number;
  /** Frames that left the fabric for the real host. */
  readonly left: number;
}
