import type { LiveAnswer, LiveOrder, LiveStatus, LiveRequest } from '../report/page/live-data.js';
import type { TreesView } from '../report/page/page-data.js';
import type { SnapshotCache } from '../runtime/run-snapshot.js';
import type { ThreadsRun } from '../runtime/threads/run-threads.js';
import type { LiveRun } from './live-run.js';
import type { LiveListener } from './live-session.js';
import { LiveTrees } from './live-trees.js';
import { answerTo, steer } from './steer.js';

/** Interval of samples, by the wall clock, while there are viewers. */
const SAMPLE_MS = 150;

/** A run in threads of this process that can be paused, stepped and viewed. */
export class LiveThreads implements LiveRun {
  private timer: NodeJS.Timeout | undefined;

  private readonly found: LiveTrees;

  constructor(
    private readonly run: ThreadsRun,
    snapshots: SnapshotCache,
  ) {
    this.found = new LiveTrees(snapshots, () => run.live.fabric);
  }

  listen(listener: LiveListener): void {
    this.run.listener = listener;
  }

  get status(): LiveStatus {
    const { run } = this;
    const isPaused = run.controller.state === 'paused';
    return { state: isPaused ? 'paused' : 'running', ...run.progress(), detail: '' };
  }

  order(order: LiveOrder): Promise<LiveAnswer> {
    const answer = steer(this.run.controller, order);
    this.run.listener?.changed();
    return Promise.resolve(answer);
  }

  async request(request: LiveRequest): Promise<LiveAnswer> {
    const { run } = this;
    const answer = await answerTo(() => run.controller.change(request, run.live));
    run.listener?.changed();
    return answer;
  }

  trees(): Promise<TreesView | null> {
    return this.found.view();
  }

  watched(isWatched: boolean): void {
    const { controller } = this.run;
    controller.isWatched = isWatched;
    clearInterval(this.timer);
    if (!isWatched) return;
    controller.sample();
    this.timer = setInterval(() => {
      if (controller.state !== 'paused') controller.sample();
    }, SAMPLE_MS);
    this.timer.unref();
  }
}
