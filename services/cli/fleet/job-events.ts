import { selvage } from '#contracts';
import { formatTime } from '../../report/format.js';
import { COORDINATOR, nameIn } from '../kubernetes/labels.js';
import { isOver, phaseName } from './phases.js';
import { PodApi } from './pod-api.js';

const { Phase } = selvage.v1.RunStatus;

/** A Job whose events tell of epochs and recoveries; `kubectl describe job` shows them. */
export class JobEvents {
  private epoch = 0;
  private phase: selvage.v1.RunStatus.Phase = Phase.PHASE_GATHERING;
  private last: Promise<void> = Promise.resolve();

  private constructor(
    private readonly uid: string,
    private readonly job: string,
    private readonly api: PodApi,
  ) {}

  /** Null: this process is no pod with rights to write events. */
  static ofPod(env: NodeJS.ProcessEnv = process.env, api = new PodApi(env)): JobEvents | null {
    const { SELVAGE_JOB_UID: uid, SELVAGE_RUN: run = '' } = env;
    return uid === undefined ? null : new JobEvents(uid, nameIn(run, COORDINATOR), api);
  }

  onStatus(status: selvage.v1.RunStatus): void {
    const { epoch, phase, detail, virtualPs, checkpointPs } = status;
    const isNew = phase !== this.phase;
    this.phase = phase;
    if (isNew && phase === Phase.PHASE_RECOVERING) this.note('Warning', 'Recovering', detail);
    if (epoch !== this.epoch && phase === Phase.PHASE_RUNNING) {
      this.epoch = epoch;
      const from = formatTime(Math.max(0, checkpointPs));
      this.note('Normal', 'EpochBegins', `epoch ${epoch} begins at ${from} of virtual time`);
    }
    if (!isNew || !isOver(status)) return;
    const type = phase === Phase.PHASE_COMPLETE ? 'Normal' : 'Warning';
    const words = `${phaseName(status)} at ${formatTime(virtualPs)} of virtual time`;
    this.note(type, 'Ended', detail === '' ? words : `${words}: ${detail}`);
  }

  /** Resolves when all events are written, or refused. */
  async close(): Promise<void> {
    await this.last;
  }

  private note(type: string, reason: string, message: string): void {
    const { namespace } = this.api;
    const now = new Date().toISOString();
    const job = { apiVersion: 'batch/v1', kind: 'Job', name: this.job, uid: this.uid };
    const event = {
      ...{ apiVersion: 'v1', kind: 'Event', type, reason, message, count: 1 },
      metadata: { generateName: `${this.job}.`, namespace },
      involvedObject: { ...job, namespace },
      source: { component: 'selvage' },
      ...{ firstTimestamp: now, lastTimestamp: now },
    };
    // One after the other, so that a list has them in order.
    this.last = this.last
      .then(() => this.api.send('POST', 'events', event))
      .catch((error: unknown) => {
        process.stderr.write(`no event was written: ${(error as Error).message}\n`);
      });
  }
}
