import type { ManagedValue } from '../../engine/contract/flow-control.js';

/** DSCP of a message on IP: CS6, network control (RFC 4594 3.1). */
export const SFC_DSCP = 48;

/** Counters of one device, as a sender and as a receiver of SFCMs. */
export class SfcCounters {
  /** Frames found to congest a monitored queue. */
  sfcCongestionDetected = 0;
  sfcSfcmsTransmitted = 0;
  sfcResumesTransmitted = 0;
  /** Not sent: within sfcmMinInterval, or all room in the source table was taken by such. */
  sfcSfcmsDeferred = 0;
  /** Not sent, since the last message of the queue was less than queueInterval ago. */
  sfcSfcmsLimited = 0;
  /** Entries that were replaced by others, and entries that aged out. */
  sfcSourcesReplaced = 0;
  sfcSourcesAged = 0;
  /** Not added: the table was full of sources whose sfcmMinInterval was not over. */
  sfcSourcesRefused = 0;
  sfcSfcmsReceived = 0;
  /** Executed: the source was paused or resumed. */
  sfcSfcmsExecuted = 0;
  /** Executed by PFC towards the station. */
  sfcPfcInvoked = 0;
  /** PFC does not run there: forwarded instead. */
  sfcProxyNoPfc = 0;
  sfcSfcmsMalformed = 0;
  /** Of an unknown type. */
  sfcSfcmsIgnored = 0;
  /** For a source that is not here. */
  sfcSfcmsForged = 0;
  /** From the detection of congestion to the effect, over all that were executed. */
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

/** What each managed counter counts. */
export const SFC_COUNTERS: Readonly<
  Record<Extract<keyof SfcCounters, `sfc${string}`>, readonly [unit: string, meaning: string]>
> = {
  sfcCongestionDetected: ['frames', 'Frames that found their queue congested.'],
  sfcSfcmsTransmitted: ['messages', 'SFCMs sent that request a pause.'],
  sfcResumesTransmitted: ['messages', 'SFCMs sent that end a pause.'],
  sfcSfcmsDeferred: ['messages', 'Not sent: within sfcmMinInterval, or the table was full.'],
  sfcSfcmsLimited: ['messages', 'Not sent: within the interval of the queue.'],
  sfcSourcesReplaced: ['entries', 'Sources that made room for others in the table.'],
  sfcSourcesAged: ['entries', 'Sources that aged out.'],
  sfcSourcesRefused: ['entries', 'Sources that found no entry.'],
  sfcSfcmsReceived: ['messages', 'SFCMs received.'],
  sfcSfcmsExecuted: ['messages', 'Of those, paused or resumed this station.'],
  sfcPfcInvoked: ['messages', 'SFCMs executed by PFC towards the station (proxy).'],
  sfcProxyNoPfc: ['messages', 'Forwarded, since PFC does not run on the link of the station.'],
  sfcSfcmsMalformed: ['messages', 'Discarded for their form.'],
  sfcSfcmsIgnored: ['messages', 'Of an unknown type.'],
  sfcSfcmsForged: ['messages', 'For a source that is not here: spoofed.'],
};

/** The counters under their managed names. */
export function sfcManagedValues(counters: SfcCounters): ManagedValue[] {
  return Object.entries(counters)
    .filter(([name]) => name.startsWith('sfc'))
    .map(([name, value]) => ({ name, priority: null, value: value as number }));
}
