import { LiveSession } from '../../live/live-session.js';
import { shownFaults } from '../../live/shown-faults.js';
import { LiveFaults } from '../../runtime/live-faults.js';
import type { EmulateOptions, Emulation, Measured } from '../emulation.js';
import type { LiveView } from '../live-view.js';
import type { ProgressLine } from '../progress.js';
import { openMetrics } from './metrics.js';
import { controlOf, onInterrupt, SHOW_MS } from './steering.js';

/** In this thread. */
export async function runHere(
  { loaded, fabric, from }: Emulation,
  options: EmulateOptions,
  metricsPort: number | null,
  progress: ProgressLine,
  view: LiveView | null,
): Promise<Measured> {
  const { Session } = await import('../../runtime/session.js');
  const checkRows = options.checkRows === true;
  const session = new Session(fabric, { check: options.check === true || checkRows, checkRows });
  if (from !== null) session.restore(from);
  const closeMetrics = await openMetrics(metricsPort, fabric.scenario.name, () => ({
    ...session.progress(),
    ...session.counted(),
  }));
  const run = new LiveSession(session, new LiveFaults(loaded, fabric), view?.beginsPaused ?? false);
  run.listener =
    view &&
    (await view.open(
      run,
      () => run.status,
      () => shownFaults(run.live.list(), session.boundPs),
    ));
  const closeControl = await controlOf(run, options);
  const letGo = onInterrupt(() => {
    run.stop();
  });
  const showProgress = (): void => {
    progress.show(() => run.progress());
  };
  const status = await run.drive(SHOW_MS, showProgress).finally(() => {
    progress.clear();
    letGo();
    closeControl();
  });
  await closeMetrics();
  const results = session.results(status);
  const state = results.status === 'interrupted' ? session.save() : null;
  const seen = {
    congestion: session.congestion(),
    hops: session.hops(),
    captures: session.captures(),
    events: session.events(),
  };
  return { results, series: session.series(), state, steps: run.live.steps, ...seen };
}
