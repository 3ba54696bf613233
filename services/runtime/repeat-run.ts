import { NO_HOPS, type SeenHops } from '../engine/analysis/trace/hop-recorder.js';
import type { SamplingSpec } from '../engine/analysis/trace/frame-sampler.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { Congestion } from '../telemetry/congestion/congestion.js';
import type { RunResults } from './results/results.js';
import { Session } from './session.js';

export interface RepeatedRun {
  readonly results: RunResults;
  readonly congestion: Congestion;
  readonly hops: SeenHops;
}

/** How much is run between two looks; nobody is there to be asked. */
const SLICE_MS = 1000;

/**
 * A run repeats itself event for event, so what nobody watched can be watched the next time.
 * `untilPs`: where it was interrupted; null: to its end.
 */
export function repeatRun(
  fabric: Fabric,
  untilPs: number | null,
  traces: SamplingSpec | null,
): RepeatedRun {
  const { scenario } = fabric;
  const quiet = {
    ...fabric,
    scenario: { ...scenario, observe: { ...scenario.observe, seriesPs: null } },
  };
  const session = new Session(
    quiet,
    { check: false },
    { episodes: true, traces, captures: null, events: false, wire: false },
  );
  if (untilPs !== null) session.runTo(untilPs);
  else while (session.advance(SLICE_MS) === 'running');
  const results = session.results(untilPs === null ? 'complete' : 'interrupted');
  return { results, congestion: session.congestion()!, hops: session.hops() ?? NO_HOPS };
}
