import { selvage } from '#contracts';
import type { LiveListener } from '../../live/live-session.js';
import type { LiveRun } from '../../live/live-run.js';
import type {
  LiveAction,
  LiveAnswer,
  LiveOrder,
  LiveState,
  LiveStatus,
  LiveRequest,
  ShownFault,
} from '../../report/page/live-data.js';
import type { TreesView } from '../../report/page/page-data.js';
import { LiveTrees } from '../../live/live-trees.js';
import { shownFaults } from '../../live/shown-faults.js';
import { formatTime } from '../../report/format.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { SnapshotCache } from '../../runtime/run-snapshot.js';
import type { FaultWords, LiveFault as RunFault } from '../../runtime/live-faults.js';
import type { CoordinatorClient } from './coordinator-client.js';
import { isOver, phaseName } from './phases.js';

const { Action } = selvage.v1.SteerRequest;
const { Phase } = selvage.v1.RunStatus;
type Status = selvage.v1.RunStatus;

const ACTIONS: Readonly<Record<LiveAction, selvage.v1.SteerRequest.Action>> = {
  pause: Action.ACTION_PAUSE,
  resume: Action.ACTION_RESUME,
  step: Action.ACTION_STEP,
  stop: Action.ACTION_STOP,
};

const RETRY_MS = 200;

/** A run in processes, by the control plane of its coordinator. */
export class LiveFleet implements LiveRun {
  listener: LiveListener | null = null;
  private last: Status | null = null;
  private faults: readonly Omit<RunFault, 'kind'>[] = [];
  private isWatched = false;
  private endSamples: () => void = () => undefined;

  private readonly found: LiveTrees;

  constructor(
    private readonly client: CoordinatorClient,
    snapshots: SnapshotCache,
    fabric: Fabric,
  ) {
    this.found = new LiveTrees(snapshots, () => fabric);
  }

  onStatus(status: Status): void {
    this.last = status;
    this.listener?.changed();
  }

  get status(): LiveStatus {
    const { last } = this;
    if (last === null) return GATHERING;
    const { virtualPs, endPs, share, frameHops, detail, connected, services } = last;
    return {
      state: stateOf(last),
      endPs: endPs === Infinity ? null : endPs,
      ...{ virtualPs, share, frameHops },
      detail: detail === '' ? `${phaseName(last)}, ${connected} of ${services} services` : detail,
    };
  }

  async order({ action, stepPs }: LiveOrder): Promise<LiveAnswer> {
    try {
      const { done, detail } = await this.client.steer(ACTIONS[action], stepPs);
      return { done, detail };
    } catch (error) {
      return { done: false, detail: (error as Error).message };
    }
  }

  async request(request: LiveRequest): Promise<LiveAnswer> {
    const { client } = this;
    try {
      const { done, detail, atPs } =
        request.kind === 'clear'
          ? await client.clear(request.name)
          : await client.inject(JSON.stringify(request.fault));
      await this.learnFaults();
      return { done, detail: done ? `at ${formatTime(atPs)}` : detail };
    } catch (error) {
      return { done: false, detail: (error as Error).message };
    }
  }

  shownFaults(): ShownFault[] {
    return shownFaults(this.faults, this.last?.virtualPs ?? 0);
  }

  trees(): Promise<TreesView | null> {
    return this.found.view();
  }

  watched(isWatched: boolean): void {
    this.isWatched = isWatched;
    if (isWatched) this.followSamples();
    else this.endSamples();
  }

  private async learnFaults(): Promise<void> {
    const faults = await this.client.faults();
    this.faults = faults.map(({ name, startPs, untilPs, injected, fault }) => ({
      name: name ?? '',
      startPs: startPs ?? 0,
      untilPs: untilPs ?? Infinity,
      injected: injected ?? false,
      words: JSON.parse(fault ?? '{}') as FaultWords,
    }));
    this.listener?.changed();
  }

  /** Repeatedly, since a coordinator may be lost and return. */
  private followSamples(): void {
    this.endSamples = this.client.samples(
      (sample) => {
        this.listener?.sampled(sample);
        this.listener?.publish();
      },
      () => {
        if (!this.isWatched || (this.last !== null && isOver(this.last))) return;
        setTimeout(() => {
          if (this.isWatched) this.followSamples();
        }, RETRY_MS).unref();
      },
    );
  }
}

const GATHERING: LiveStatus = {
  ...{ state: 'waiting', virtualPs: 0, endPs: null, share: 0, frameHops: 0 },
  detail: 'services are awaited',
};

function stateOf(status: Status): LiveState {
  if (status.phase === Phase.PHASE_PAUSED) return 'paused';
  return status.phase === Phase.PHASE_RUNNING ? 'running' : 'waiting';
}
