import type { HopEnd } from '../../engine/analysis/trace/hop-log.js';

/** A part of a frame's time at a device and on the link behind it. */
export type PartKind =
  /** At its source, before it entered the NIC. */
  | 'source'
  /** For its last bit, since it could not cut through. */
  | 'complete'
  | 'wait'
  | 'blocked'
  | 'serialise'
  | 'propagate'
  /** Through the pipeline of the next device. */
  | 'process'
  /** In the NIC of its receiver, until software read it. */
  | 'receive';

export interface TracePart {
  readonly kind: PartKind;
  readonly startPs: number;
  readonly endPs: number;
  /** The hold that delayed it; null: none. */
  readonly hold: Hold | null;
}

/** The cause that kept a port from sending a frame. */
export interface Hold {
  /** Name of its episode, where those are recorded as well. */
  readonly episode: string;
  readonly mechanism: string;
  /** The port at the other end of the link. */
  readonly linkPartner: string;
}

/** A frame at one device, up to when the next one can process it. */
export interface TraceStep {
  readonly device: string;
  /** Names of ports; empty where it was created, and where it ended. */
  readonly ingress: string;
  readonly egress: string;
  readonly startPs: number;
  readonly endPs: number;
  readonly end: HopEnd;
  readonly reason: string;
  /** They fill the step without a gap. */
  readonly parts: readonly TracePart[];
  /** The step before, by its index in the trace; -1: the first. */
  readonly before: number;
}

/** One journey of a frame (a retransmission is another), from its source on. */
export interface FrameTrace {
  readonly frame: string;
  /** Empty for frames of no flow. */
  readonly flow: string;
  /** Which journey of the frame this is, from 0. */
  readonly attempt: number;
  readonly kind: number;
  readonly priority: number;
  readonly sequence: number;
  readonly octets: number;
  readonly bornPs: number;
  readonly steps: readonly TraceStep[];
}

/** From release to arrival (the last of several); null where it never arrived. */
export function latencyOf({ steps, bornPs }: FrameTrace): number | null {
  const arrivals = steps.filter(({ end }) => end === 'delivered').map(({ endPs }) => endPs);
  return arrivals.length === 0 ? null : Math.max(...arrivals) - bornPs;
}
