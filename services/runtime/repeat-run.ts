import { NO_HOPS, type SeenHops } from '../engine/analysis/trace/hop-recorder.js';
import type { SamplingSpec } from '../engine/analysis/trace/frame-sampler.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { Congestion } from '../telemetry/congestion/congestion.js';
import type { RunResults } from './results/results.js';
import type { SeriesRow } from './series-rows.js';
import { Session } from './session.js';

export interface RepeatedRun {
  readonly results: RunResults;
  readonly congestion: Congestion;
  readonly hops: SeenHops;
}

/** Wall-clock time of a slice. */
const SLICE_MS = 1000;

/**
 * A run repeats itself event for event, so what was not recorded can be recorded in a repetition.
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
    scenario: { ...scenario, observe: { ...scenario.observe, series: null } },
  };
  const session = new Session(
    quiet,
    { check: false },
    { episodes: true, traces, captures: null, events: false, wire: false },
  );
  return repeated(session, untilPs);
}

/** The same, observed as `observe` says, with samples of ports. */
export function repeatObserved(
  fabric: Fabric,
  untilPs: number | null,
  observe: Fabric['scenario']['observe'],
): RepeatedRun & { readonly rows: Iterable<SeriesRow> } {
  const observed = { ...fabric, scenario: { ...fabric.scenario, observe } };
  const session = new Session(observed, { check: false });
  return { ...repeated(session, untilPs), rows: session.series().rows };
}

function repeated(session: Session, untilPs: number | null): RepeatedRun {
  if (untilPs !== null) session.runTo(untilPs);
  else while (session.advance(SLICE_MS) === 'running');
  const results = session.results(untilPs === null ? 'complete' : 'interrupted');
  return { results, congestion: session.congestion()!, hops: session.hops() ?? NO_HOPS };
}
