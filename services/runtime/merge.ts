import type { CaptureLog } from '../engine/analysis/capture/capture-log.js';
import type { EventLog } from '../engine/analysis/events/event-recorder.js';
import type { SeenHops } from '../engine/analysis/trace/hop-recorder.js';
import { restoreDevice } from '../engine/device/checkpoint.js';
import type { SavedRows, SharedRows } from '../engine/kernel/tables.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { PartitionPlan } from '../fabric/placement/partition-plan.js';
import type { Congestion } from '../telemetry/congestion/congestion.js';
import { congestionOf } from '../telemetry/congestion/congestion-of.js';
import { seriesUpTo } from './series-of-run.js';
import type { FaultStep } from './live-faults.js';
import type { RunOperation } from '../telemetry/run-operation.js';
import { CycleCheck } from './checks/cycle-check.js';
import { Observers, observersOf } from './observers.js';
import { outcomeOf, virtualTimeOf } from './results/outcome.js';
import type { PartitionState } from './partition/partition.js';
import type { Failure, RunResults } from './results/results.js';
import type { SeriesRow } from './series-rows.js';
import { checkWhole, disagreement } from './checks/whole-check.js';
import { wholeEngine } from './whole-engine.js';
import type { WholeState } from './whole-state.js';
import { wholeOf } from './whole-state.js';

/** What a run measured, as one process would have. */
export interface MergedRun {
  readonly results: RunResults;
  readonly rows: readonly SeriesRow[];
  /** Congestion episodes; null where they were not recorded. */
  readonly congestion: Congestion | null;
  /** Traces of sampled frames; null unless frames are sampled. */
  readonly hops: SeenHops | null;
  /** By device: frames at captured ports; null unless there are any. */
  readonly captures: readonly CaptureLog[] | null;
  /** By device: events of frames and priorities; null unless they are recorded. */
  readonly events: readonly EventLog[] | null;
  /** Where an interrupted run can continue; null for one that has ended. */
  readonly state: WholeState | null;
  /** Faults that were injected or ended during the run. */
  readonly steps: readonly FaultStep[];
  /** Of a run in services: a sample of its rounds, its checkpoints and recoveries. */
  readonly operations?: readonly RunOperation[];
}

interface MergeOptions {
  readonly status: 'complete' | 'interrupted';
  readonly failure: Failure | null;
  /** Check the ledgers of the whole. */
  readonly check: boolean;
  /** Recovery that was due by then has been checked. */
  readonly checkedPs: number;
  readonly moment: Pick<WholeState, 'boundPs' | 'framesSeen'>;
  readonly steps: readonly FaultStep[];
}

/** Puts every actor's state into one engine, and reads the results there. */
export function mergePartitions(
  fabric: Fabric,
  plans: readonly PartitionPlan[],
  states: readonly PartitionState<SavedRows | SharedRows>[],
  { status, failure, check, checkedPs, moment, steps }: MergeOptions,
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
  const whole = { nowPs, checkedPs, jams: jams ? observers.jams() : null, known: failure };
  const found = check ? checkWhole(fabric, engine, whole) : failure;
  const seen = observers.observed(nowPs);
  const { waits, hops, captures, events, wire } = seen;
  const congestion = waits && congestionOf(fabric, waits, nowPs);
  const isOver = status === 'complete' && found === null;
  const failed = isOver ? disagreement(fabric, engine, seen, nowPs) : found;
  const results = outcomeOf(fabric, engine, status, failed, { congestion, wire });
  const isInterrupted = results.status === 'interrupted';
  const sampled = sampledUpTo(states, isInterrupted ? Infinity : results.virtualPs);
  const state = isInterrupted ? wholeOf(plans, states, sampled, moment) : null;
  const rows = seriesUpTo(fabric, sampled, results.virtualPs);
  return { results, rows, congestion, hops, captures, events, state, steps };
}

function sampledUpTo(
  states: readonly Pick<PartitionState, 'rows'>[],
  untilPs: number,
): SeriesRow[] {
  const rows = states.flatMap((state) => state.rows);
  return rows.filter(([time]) => (time as number) <= untilPs);
}
