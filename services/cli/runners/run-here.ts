import type { MetricsAddress } from '../../telemetry/metrics/serve-metrics.js';
import { shownFaults } from '../../live/shown-faults.js';
import type { Measured } from '../../library/runners.js';
import { runInProcess } from '../../library/runners.js';
import type { SkipPace } from '../../runtime/skipping/skipper.js';
import type { EmulateOptions, Emulation } from '../emulation.js';
import type { LiveView } from '../live-view.js';
import type { ProgressLine } from '../progress.js';
import { openMetrics } from './metrics.js';
import { controlOf, onInterrupt } from './steering.js';

/** In this thread. */
export async function runHere(
  emulation: Emulation & { readonly skips: SkipPace | null },
  options: EmulateOptions,
  metricsAt: MetricsAddress | null,
  progress: ProgressLine,
  view: LiveView | null,
): Promise<Measured> {
  const paused = options.paused === true;
  const checkRows = options.checkRows === true;
  const deep = options.checkDeep === true;
  const check = options.check === true || checkRows || deep;
  const start = { ...emulation, check, checkRows, deep, paused };
  return runInProcess(start, async (run, session) => {
    const { name } = emulation.fabric.scenario;
    const closeMetrics = await openMetrics(metricsAt, name, () => ({
      ...session.progress(),
      ...session.counted(),
    }));
    run.listener =
      view &&
      (await view.open(
        run,
        () => run.status,
        () => shownFaults(run.live.list(), session.boundPs),
      ));
    const closeControl = await controlOf(run, options);
    const removeHandlers = onInterrupt(() => {
      run.controller.stop();
    });
    return {
      progressed: () => {
        progress.show(() => run.progress());
      },
      close: async () => {
        progress.clear();
        removeHandlers();
        closeControl();
        await closeMetrics();
      },
    };
  });
}
