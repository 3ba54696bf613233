import { restoreDevice } from '../engine/device/checkpoint.js';
import { Engine } from '../engine/device/engine.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { PartPlan } from '../fabric/placement/part-plan.js';
import { outcomeOf, unbalanced, virtualTimeOf } from '../runtime/outcome.js';
import type { PartState } from '../runtime/part/part.js';
import type { Failure, RunResults } from '../runtime/results.js';
import type { SeriesRow } from '../runtime/series.js';

/** What a run measured, as one process would have. */
export interface MergedRun {
  readonly results: RunResults;
  readonly rows: readonly SeriesRow[];
}

export interface MergeOptions {
  readonly status: 'complete' | 'interrupted';
  readonly failure: Failure | null;
  /** Balance the books of the whole. */
  readonly check: boolean;
}

/** Puts every actor's state into one engine, and asks that. */
export function mergeParts(
  fabric: Fabric,
  plans: readonly PartPlan[],
  states: readonly PartState[],
  { status, failure, check }: MergeOptions,
): MergedRun {
  const engine = new Engine(fabric.specs);
  for (const { a, b } of fabric.topology.links) {
    engine.connect([a.device, a.port], [b.device, b.port]);
  }
  plans.forEach(({ devices }, service) => {
    devices.forEach((device, place) => {
      restoreDevice(engine, device, states[service]!.devices[place]!);
    });
  });
  const nowPs = virtualTimeOf(engine, fabric.scenario.durationPs);
  const found = failure ?? (check ? unbalanced(fabric, engine, nowPs) : null);
  const latestPs = Math.max(...states.map((state) => state.latestPs));
  return {
    results: outcomeOf(fabric, engine, status, found),
    rows: mergeRows(fabric, states, latestPs),
  };
}

/** Samples in the order of one process, which takes none after its last event. */
function mergeRows(fabric: Fabric, states: readonly PartState[], latestPs: number): SeriesRow[] {
  const { seriesPs } = fabric.scenario.observe;
  if (seriesPs === null) return [];
  const endPs = fabric.scenario.durationPs;
  const orderOf = new Map(fabric.linkEnds.flat().map(({ name }, order) => [name, order]));
  const isTaken = (timePs: number): boolean =>
    timePs <= latestPs || (timePs === endPs && timePs - seriesPs <= latestPs);
  const order = (row: SeriesRow): number => orderOf.get(row[1] as string)!;
  return states
    .flatMap(({ rows }) => rows)
    .filter(([time]) => isTaken(time as number))
    .sort((a, b) => (a[0] as number) - (b[0] as number) || order(a) - order(b));
}
