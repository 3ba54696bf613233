import { planParts } from '../../fabric/placement/part-plan.js';
import { placeInServices } from '../../fabric/placement/placement.js';
import type { LiveHost } from '../../live/live-host.js';
import { LiveThreads } from '../../live/live-threads.js';
import { shownFaults } from '../../live/shown-faults.js';
import { Glances } from '../../runtime/glance.js';
import { LiveFaults } from '../../runtime/live-faults.js';
import type { ThreadsRun } from '../../runtime/threads/run-threads.js';
import type { EmulateOptions, Emulation, Measured } from '../emulation.js';
import type { LiveView } from '../live-view.js';
import type { ProgressLine } from '../progress.js';
import { figuresOf, openMetrics } from './metrics.js';
import { controlOf, onInterrupt, SHOW_MS } from './steering.js';

/** In threads of this process, where the same actors do the same. */
export async function runInThreads(
  { loaded, fabric, from }: Emulation,
  threads: number,
  options: EmulateOptions,
  metricsPort: number | null,
  progress: ProgressLine,
  view: LiveView | null,
): Promise<Measured> {
  const { ThreadsRun } = await import('../../runtime/threads/run-threads.js');
  const { CycleCheck } = await import('../../runtime/checks/cycle-check.js');
  const { SERIES_COLUMNS } = await import('../../runtime/series.js');
  const check = options.check === true;
  const jams = check && CycleCheck.isWanted(fabric);
  const plans = planParts(fabric, placeInServices(fabric.topology, threads), jams);
  const live = new LiveFaults(loaded, fabric);
  const run = new ThreadsRun(fabric, plans, { check, from, live });
  const glances = new Glances(
    () => run.look(),
    () => run.progress().virtualPs,
  );
  const page = view && (await openPage(view, run, glances));
  const closeControl = await controlOf(run, options);
  const letGo = onInterrupt(() => {
    run.stop();
  });
  const closeMetrics = await openMetrics(metricsPort, fabric.scenario.name, () =>
    figuresOf(glances, () => run.progress()),
  );
  const timer = setInterval(() => {
    progress.show(() => run.progress());
    page?.look();
  }, SHOW_MS);
  try {
    const { rows, ...merged } = await run.run();
    return { ...merged, series: { columns: SERIES_COLUMNS, rows } };
  } finally {
    clearInterval(timer);
    await closeMetrics();
    progress.clear();
    letGo();
    closeControl();
  }
}

async function openPage(view: LiveView, run: ThreadsRun, glances: Glances): Promise<LiveHost> {
  const seen = new LiveThreads(run, glances);
  const page = await view.open(
    seen,
    () => seen.status,
    () => shownFaults(run.live.list(), run.progress().virtualPs),
  );
  seen.hear(page);
  if (view.beginsPaused) run.hold(true);
  return page;
}
