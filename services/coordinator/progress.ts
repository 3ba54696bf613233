import type { selvage } from '#contracts';
import { deliveredShare } from '../runtime/packets.js';
import type { RoundReport } from '../runtime/partition/sync-protocol.js';
import type { RunResults } from '../runtime/results/results.js';

type ProgressFields = Pick<
  selvage.v1.RunStatus.$Properties,
  'share' | 'frameHops' | 'messages' | 'ignoredMessages' | 'resentMessages'
>;

/** Progress of a run, from the reports of services. */
export class Progress {
  private share = 0;
  private frameHops = 0;

  /** Services have counted frames and packets; `durationPs`: null for a run to completion. */
  count(reports: readonly RoundReport[], virtualPs: number, durationPs: number | null): void {
    this.frameHops = reports.reduce((sum, report) => sum + report.framesStarted, 0);
    const parts = reports.map(({ packetsLeft: left, packetsTotal: total }) => ({ left, total }));
    this.share = durationPs === null ? deliveredShare(parts) : virtualPs / durationPs;
  }

  end({ status, frameHops }: RunResults): void {
    this.frameHops = frameHops;
    if (status === 'complete') this.share = 1;
  }

  fields(reports: readonly RoundReport[]): ProgressFields {
    const sum = (value: (report: RoundReport) => number): number =>
      reports.reduce((total, report) => total + value(report), 0);
    return {
      share: this.share,
      frameHops: this.frameHops,
      messages: sum(({ messagesSent }) => messagesSent),
      ignoredMessages: sum(({ ignoredMessages }) => ignoredMessages),
      resentMessages: sum(({ resentMessages }) => resentMessages),
    };
  }
}
