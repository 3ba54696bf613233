import type { SfcPoint } from './point.js';

/** Every received message was executed, forwarded, or discarded for a reason, or waits. */
export function everyMessageIsAccountedFor({ counters, proxy, station }: SfcPoint): boolean {
  const done = counters.sfcSfcmsExecuted + counters.sfcPfcInvoked + counters.sfcProxyNoPfc;
  const refused = counters.sfcSfcmsMalformed + counters.sfcSfcmsIgnored + counters.sfcSfcmsForged;
  const waiting = (proxy ?? station)?.unprocessed ?? 0;
  return counters.sfcSfcmsReceived <= done + refused + waiting;
}

/** Every frame that congests a queue leads to a message or to PFC, or was within an interval. */
export function everyDetectionIsAnswered({ counters }: SfcPoint): boolean {
  const sent = counters.sfcSfcmsTransmitted + counters.sfcPfcInvoked + counters.sfcProxyNoPfc;
  const withheld = counters.sfcSfcmsDeferred + counters.sfcSfcmsLimited;
  return counters.sfcCongestionDetected <= sent + withheld;
}

/** The table never has more sources than its limit. */
export function tableKeepsItsBound({ sender }: SfcPoint): boolean {
  return sender === null || sender.table.ages.peak <= sender.spec.maxSources;
}
