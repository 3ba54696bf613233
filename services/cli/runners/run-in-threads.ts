import type { MetricsAddress } from '../../telemetry/metrics/serve-metrics.js';
import type { LiveHost } from '../../live/live-host.js';
import { LiveThreads } from '../../live/live-threads.js';
import { shownFaults } from '../../live/shown-faults.js';
import type { Measured } from '../../library/runners.js';
import { runInThreads as execute } from '../../library/runners.js';
import { SnapshotCache } from '../../runtime/run-snapshot.js';
import type { ThreadsRun } from '../../runtime/threads/run-threads.js';
import type { EmulateOptions, Emulation } from '../emulation.js';
import type { LiveView } from '../live-view.js';
import type { ProgressLine } from '../progress.js';
import { warnOfShortSteps } from '../short-steps.js';
import { metricsOf, openMetrics } from './metrics.js';
import { controlOf, onInterrupt } from './steering.js';

/** Where a run shows itself while it goes on. */
interface Shown {
  readonly metricsAt: MetricsAddress | null;
  readonly progress: ProgressLine;
  readonly view: LiveView | null;
}

/** In threads of this process. */
export async function runInThreads(
  emulation: Emulation,
  threads: number,
  options: EmulateOptions,
  { metricsAt, progress, view }: Shown,
): Promise<Measured> {
  const paused = options.paused === true;
  const start = { ...emulation, check: options.check === true, paused };
  return execute(start, threads, async (run) => {
    if (options.quiet !== true)
      warnOfShortSteps(`--threads ${threads}`, emulation.fabric, run.plans);
    const snapshots = new SnapshotCache(
      () => run.controller.snapshot(),
      () => run.progress().virtualPs,
    );
    const page = view && (await openPage(view, run, snapshots));
    const closeControl = await controlOf(run, options);
    const removeHandlers = onInterrupt(() => {
      run.controller.stop();
    });
    const { name } = emulation.fabric.scenario;
    const closeMetrics = await openMetrics(metricsAt, name, () =>
      metricsOf(snapshots, () => run.progress()),
    );
    return {
      progressed: () => {
        progress.show(() => run.progress());
        page?.publish();
      },
      close: async () => {
        await closeMetrics();
        progress.clear();
        removeHandlers();
        closeControl();
      },
    };
  });
}

async function openPage(
  view: LiveView,
  run: ThreadsRun,
  snapshots: SnapshotCache,
): Promise<LiveHost> {
  const seen = new LiveThreads(run, snapshots);
  const page = await view.open(
    seen,
    () => seen.status,
    () => shownFaults(run.live.list(), run.progress().virtualPs),
  );
  seen.listen(page);
  return page;
}
