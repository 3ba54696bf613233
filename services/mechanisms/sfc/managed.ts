import type { ManagedValue } from '../../engine/contract/flow-control.js';

/** Longest pause that a switch requests by default. */
export const SFC_PAUSE_MAX_NS = 100_000;
/** DSCP of a message on IP: CS6, network control (RFC 4594 3.1). */
export const SFC_DSCP = 48;

/** What one device counts, as a sender and as a receiver of SFCMs. */
export class SfcCounters {
  /** Frames found to congest a monitored queue. */
  sfcCongestionDetected = 0;
  sfcSfcmsTransmitted = 0;
  sfcResumesTransmitted = 0;
  /** Not sent, since sfcMinInterval was not over, or kept all room in the source table. */
  sfcSfcmsDeferred = 0;
  /** Not sent, since the last message of the queue was less than queueInterval ago. */
  sfcSfcmsLimited = 0;
  /** Entries that made room for others, and entries that grew old. */
  sfcSourcesReplaced = 0;
  sfcSourcesAged = 0;
  /** Not entered: the table was full of sources whose sfcMinInterval was not over. */
  sfcSourcesRefused = 0;
  sfcSfcmsReceived = 0;
  /** Acted upon: the source was paused or resumed. */
  sfcSfcmsExecuted = 0;
  /** Acted upon by PFC towards the station. */
  sfcPfcInvoked = 0;
  /** PFC does not run there: forwarded instead. */
  sfcProxyNoPfc = 0;
  sfcSfcmsMalformed = 0;
  /** Of a type that this version does not know. */
  sfcSfcmsIgnored = 0;
  /** For a source that is not here. */
  sfcSfcmsForged = 0;
  /** From the detection of congestion to the effect, over all that were acted upon. */
  reactionSumPs = 0;
  reactionMinPs = Infinity;
  reactionMaxPs = 0;
  reactions = 0;

  reacted(reactionPs: number): void {
    this.reactions++;
    this.reactionSumPs += reactionPs;
    this.reactionMinPs = Math.min(this.reactionMinPs, reactionPs);
    this.reactionMaxPs = Math.max(this.reactionMaxPs, reactionPs);
  }
}

/** The counters under their managed names. */
export function sfcManagedValues(counters: SfcCounters): ManagedValue[] {
  return Object.entries(counters)
    .filter(([name]) => name.startsWith('sfc'))
    .map(([name, value]) => ({ name, priority: null, value: value as number }));
}
