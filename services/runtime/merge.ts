import type { CaptureLog } from '../engine/analysis/capture/capture-log.js';
import type { EventLog } from '../engine/analysis/events/event-recorder.js';
import type { SeenHops } from '../engine/analysis/trace/hop-recorder.js';
import { restoreDevice } from '../engine/device/checkpoint.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { PartPlan } from '../fabric/placement/part-plan.js';
import type { Congestion } from '../telemetry/congestion/congestion.js';
import { congestionOf } from '../telemetry/congestion/congestion-of.js';
import type { FaultStep } from './live-faults.js';
import { CycleCheck } from './checks/cycle-check.js';
import { Observers, observersOf } from './observers.js';
import { outcomeOf, virtualTimeOf } from './results/outcome.js';
import type { PartState } from './part/part.js';
import type { Failure, RunResults } from './results/results.js';
import type { SeriesRow } from './series.js';
import { sendsOf } from './series.js';
import { checkWhole } from './checks/whole-check.js';
import { wholeEngine } from './whole-engine.js';
import type { WholeState } from './whole-state.js';
import { wholeOf } from './whole-state.js';

/** What a run measured, as one process would have. */
export interface MergedRun {
  readonly results: RunResults;
  readonly rows: readonly SeriesRow[];
  /** Who held whom back; null where that was not observed. */
  readonly congestion: Congestion | null;
  /** The ways of sampled frames; null unless frames are sampled. */
  readonly hops: SeenHops | null;
  /** By device: what passed captured ports; null unless there are any. */
  readonly captures: readonly CaptureLog[] | null;
  /** By device: what happened to frames and priorities; null unless that is observed. */
  readonly events: readonly EventLog[] | null;
  /** Where an interrupted run can go on; null of one that has ended. */
  readonly state: WholeState | null;
  /** Faults that came and went while it was under way. */
  readonly steps: readonly FaultStep[];
}

export interface MergeOptions {
  readonly status: 'complete' | 'interrupted';
  readonly failure: Failure | null;
  /** Balance the books of the whole. */
  readonly check: boolean;
  /** Recovery that was due by then has been looked at. */
  readonly lookedPs: number;
  readonly moment: Pick<WholeState, 'boundPs' | 'framesSeen'>;
  readonly steps: readonly FaultStep[];
}

/** Puts every actor's state into one engine, and asks that. */
export function mergeParts(
  fabric: Fabric,
  plans: readonly PartPlan[],
  states: readonly PartState[],
  { status, failure, check, lookedPs, moment, steps }: MergeOptions,
): MergedRun {
  const engine = wholeEngine(fabric);
  const jams = check && CycleCheck.isWanted(fabric);
  const observers = new Observers(engine, { ...observersOf(fabric), jams });
  plans.forEach(({ devices }, service) => {
    devices.forEach((device, place) => {
      restoreDevice(engine, device, states[service]!.devices[place]!);
      observers.restore(device, states[service]!.observed[place] ?? null);
    });
  });
  const nowPs = virtualTimeOf(engine, fabric.scenario.durationPs);
  const waited = jams ? observers.jams() : null;
  const found = check ? checkWhole(fabric, engine, nowPs, lookedPs, waited, failure) : failure;
  const { waits, hops, captures, events, wire } = observers.observed(nowPs);
  const congestion = waits && congestionOf(fabric, waits, nowPs);
  const results = outcomeOf(fabric, engine, status, found, { congestion, wire });
  const isInterrupted = results.status === 'interrupted';
  // Without a duration a run ends with its last event.
  const lasts = isInterrupted || results.durationPs !== null;
  const rows = mergeRows(fabric, states, lasts ? Infinity : latestOf(states));
  const state = isInterrupted ? wholeOf(plans, states, rows, moment) : null;
  return { results, rows, congestion, hops, captures, events, state, steps };
}

/** When anything was last executed. */
function latestOf(states: readonly PartState[]): number {
  return Math.max(...states.map(({ latestPs }) => latestPs));
}

/** Samples up to a time, in the order of one process. */
function mergeRows(fabric: Fabric, states: readonly PartState[], untilPs: number): SeriesRow[] {
  if (fabric.scenario.observe.seriesPs === null) return [];
  const sampled = [...fabric.linkEnds.flat(), ...fabric.specs.flatMap(sendsOf)];
  const orderOf = new Map(sampled.map(({ name }, order) => [name, order]));
  const order = (row: SeriesRow): number => orderOf.get(row[1] as string)!;
  return states
    .flatMap(({ rows }) => rows)
    .filter(([time]) => (time as number) <= untilPs)
    .sort((a, b) => (a[0] as number) - (b[0] as number) || order(a) - order(b));
}
