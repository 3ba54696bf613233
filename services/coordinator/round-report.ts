import type { selvage } from '#contracts';
import type { RoundReport } from '../runtime/partition/sync-protocol.js';

/** A service's report without missing fields. */
export function roundReport(report: selvage.v1.Report.$Properties): RoundReport {
  return {
    epoch: report.epoch ?? 0,
    round: report.round ?? 0,
    nextPs: report.nextPs ?? 0,
    handedOverPs: report.handedOverPs ?? 0,
    sent: report.sent ?? [],
    steps: report.steps ?? 0,
    activeSteps: report.activeSteps ?? 0,
    framesStarted: report.framesStarted ?? 0,
    framesStored: report.framesStored ?? 0,
    planned: report.planned ?? 0,
    handedOver: report.handedOver ?? 0,
    takenOver: report.takenOver ?? 0,
    packetsLeft: report.packetsLeft ?? 0,
    packetsTotal: report.packetsTotal ?? 0,
    messagesSent: report.messagesSent ?? 0,
    ignoredMessages: report.ignoredMessages ?? 0,
    resentMessages: report.resentMessages ?? 0,
    latestPs: report.latestPs ?? 0,
  };
}
