import { planParts } from '../../fabric/placement/part-plan.js';
import { placeInServices } from '../../fabric/placement/placement.js';
import { LiveFaults } from '../../runtime/live-faults.js';
import type { EmulateOptions, Emulation, Measured } from '../emulation.js';
import type { ProgressLine } from '../progress.js';
import { NO_PORTS, openMetrics } from './metrics.js';
import { controlOf, onInterrupt, SHOW_MS } from './steering.js';

/** In threads of this process, where the same actors do the same. */
export async function runInThreads(
  { loaded, fabric, from }: Emulation,
  threads: number,
  options: EmulateOptions,
  metricsPort: number | null,
  progress: ProgressLine,
): Promise<Measured> {
  const { ThreadsRun } = await import('../../runtime/threads/run-threads.js');
  const { CycleCheck } = await import('../../runtime/cycle-check.js');
  const { SERIES_COLUMNS } = await import('../../runtime/series.js');
  const check = options.check === true;
  const jams = check && CycleCheck.isWanted(fabric);
  const plans = planParts(fabric, placeInServices(fabric.topology, threads), jams);
  const live = new LiveFaults(loaded, fabric);
  const run = new ThreadsRun(fabric, plans, { check, from, live });
  const closeControl = await controlOf(run, options);
  const letGo = onInterrupt(() => {
    run.stop();
  });
  const closeMetrics = await openMetrics(metricsPort, fabric.scenario.name, () => ({
    ...run.progress(),
    ...NO_PORTS,
  }));
  const timer = setInterval(() => {
    progress.show(() => run.progress());
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
