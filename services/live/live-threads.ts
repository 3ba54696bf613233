import { formatTime } from '../report/format.js';
import type { LiveAnswer, LiveOrder, LiveStatus, LiveWish } from '../report/page/live-data.js';
import type { TreesView } from '../report/page/page-data.js';
import type { Glances } from '../runtime/glance.js';
import type { ThreadsRun } from '../runtime/threads/run-threads.js';
import type { LiveRun } from './live-run.js';
import type { LiveListener } from './live-session.js';
import { LiveTrees } from './live-trees.js';

/** A sample so often, by the wall clock, while somebody looks. */
const SAMPLE_MS = 150;

/** A run in threads of this process that can be held, stepped and looked at. */
export class LiveThreads implements LiveRun {
  private timer: NodeJS.Timeout | undefined;

  private readonly found: LiveTrees;

  constructor(
    private readonly run: ThreadsRun,
    glances: Glances,
  ) {
    this.found = new LiveTrees(glances, () => run.live.fabric);
  }

  hear(listener: LiveListener): void {
    this.run.listener = listener;
  }

  get status(): LiveStatus {
    const { run } = this;
    return { state: run.isStanding ? 'paused' : 'running', ...run.progress(), detail: '' };
  }

  order({ action, stepPs }: LiveOrder): Promise<LiveAnswer> {
    const { run } = this;
    if (action === 'stop') run.stop();
    else if (action === 'step') run.step(stepPs);
    else run.hold(action === 'pause');
    run.listener?.changed();
    return Promise.resolve({ done: true, detail: '' });
  }

  async wish(wish: LiveWish): Promise<LiveAnswer> {
    try {
      const { atPs } = await this.run.change(wish);
      this.run.listener?.changed();
      return { done: true, detail: `at ${formatTime(atPs)}` };
    } catch (error) {
      return { done: false, detail: (error as Error).message };
    }
  }

  trees(): Promise<TreesView | null> {
    return this.found.view();
  }

  watched(isWatched: boolean): void {
    const { run } = this;
    run.isWatched = isWatched;
    clearInterval(this.timer);
    if (!isWatched) return;
    run.count();
    this.timer = setInterval(() => {
      if (!run.isStanding) run.count();
    }, SAMPLE_MS);
    this.timer.unref();
  }
}
