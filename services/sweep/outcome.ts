/** What a run came to in terms that people decide by: plain data, of a run that may be stored. */

import { type RunTotals, totalsOf } from '../measures/run-totals.js';
import { completionOf } from '../measures/flow-statistics.js';
import type { FlowResult, RunResults } from '../runtime/results/results.js';
import type { Percentiles, Ranks } from '../measures/statistics.js';
import type { FlowRole } from '../telemetry/congestion/flow-roles.js';

/** A time that is only known to be longer is open. */
export interface Duration {
  readonly ps: number;
  readonly isOpen: boolean;
}

export interface LoadOutcome {
  readonly load: string;
  readonly flows: number;
  readonly goodputBps: number;
  /** FCT; null: a stream, which has none. */
  readonly fctP50: Duration | null;
  readonly fctP99: Duration | null;
  /** From the start of its first flow until one, and all, are complete; null: no fan-in. */
  readonly first: Duration | null;
  readonly last: Duration | null;
}

export interface JobOutcome {
  readonly job: string;
  /** Of a job that is not done it is longer than the run. */
  readonly iteration: Duration;
  /** Over that which no network can beat (the JCT ratio); null: it is not done, or has none. */
  readonly rooflineRatio: number | null;
  /** Of its slowest collective; null: it has none that is done. */
  readonly busBps: number | null;
}

export interface Outcome {
  readonly status: RunResults['status'];
  /** Frames that were dropped, and that no transport sent again. */
  readonly lostFrames: number;
  /** Those that are no jobs: a message of a collective that is late is not slow by itself. */
  readonly loads: readonly LoadOutcome[];
  readonly jobs: readonly JobOutcome[];
  /** Per flow of those that are victims in any of the runs; null: there are none. */
  readonly victimsBps: number | null;
  /** Flows by role; null where episodes were not recorded. */
  readonly roles: Readonly<Record<FlowRole, number>> | null;
  /** What runs are compared by, and what a sweep has of each. */
  readonly totals: RunTotals;
}

type Measured = Pick<
  RunResults,
  'status' | 'flows' | 'loads' | 'jobs' | 'ports' | 'priorities' | 'stalls' | 'virtualPs'
>;

/** `victims`: names of flows whose goodput is followed, whatever they are in this run. */
export function outcomeOf(
  results: Measured,
  roles: Readonly<Record<FlowRole, number>> | null,
  victims: ReadonlySet<string>,
): Outcome {
  const { flows, priorities, status } = results;
  const dropped = priorities.map(({ priority, drops }) => ({
    priority,
    frames: sum(Object.values(drops)),
  }));
  const raw = new Set(flows.flatMap((f) => (f.transport === 'raw' ? [f.priority] : [])));
  const followed = flows.filter(({ name }) => victims.has(name));
  return {
    status,
    lostFrames: sum(dropped.flatMap(({ priority, frames }) => (raw.has(priority) ? [frames] : []))),
    loads: loadsOf(results),
    jobs: jobsOf(results),
    victimsBps:
      followed.length === 0
        ? null
        : sum(followed.map(({ goodputBps }) => goodputBps)) / followed.length,
    roles,
    totals: totalsOf(results),
  };
}

function jobsOf({ jobs, virtualPs }: Measured): JobOutcome[] {
  return jobs.map(({ job, startPs, iterationPs, rooflinePs, collectives }) => {
    const rates = collectives.flatMap(({ busBps }) => busBps ?? []);
    return {
      job,
      iteration: { ps: iterationPs ?? virtualPs - startPs, isOpen: iterationPs === null },
      rooflineRatio: iterationPs && rooflinePs && iterationPs / rooflinePs,
      busBps: rates.length === 0 ? null : rates.reduce((a, b) => Math.min(a, b)),
    };
  });
}

function loadsOf({ flows, loads, jobs }: Measured): LoadOutcome[] {
  const named = new Set(jobs.map(({ job }) => job));
  const byLoad = new Map<string, FlowResult[]>(loads.map(({ load }) => [load, []]));
  for (const flow of flows) byLoad.get(flow.load)?.push(flow);
  return loads.flatMap(({ load, goodputBps }) => {
    if (named.has(load)) return [];
    const own = byLoad.get(load)!;
    const fct = completionOf(own);
    const isFanIn =
      fct !== null && own.length > 1 && new Set(own.map((flow) => flow.destination)).size === 1;
    return {
      ...{ load, flows: own.length, goodputBps },
      ...{ fctP50: durationOf(fct, 'p50'), fctP99: durationOf(fct, 'p99') },
      ...{ first: isFanIn ? endOf(own, Math.min) : null },
      ...{ last: isFanIn ? endOf(own, Math.max) : null },
    };
  });
}

function durationOf(percentiles: Percentiles | null, rank: keyof Ranks<number>): Duration | null {
  if (percentiles === null) return null;
  return { ps: percentiles.atLeast[rank], isOpen: percentiles[rank] === null };
}

/** A flow that is not complete ends later than the run. */
function endOf(flows: readonly FlowResult[], pick: (...ends: number[]) => number): Duration {
  const starts = flows.map(({ startPs }) => startPs);
  const startPs = starts.reduce((a, b) => Math.min(a, b));
  const ends = flows.map(({ startPs: own, completionPs, unfinishedPs }) => ({
    ps: own + (completionPs ?? unfinishedPs ?? 0) - startPs,
    isOpen: completionPs === null,
  }));
  const closed = ends.flatMap(({ ps, isOpen }) => (isOpen ? [] : [ps]));
  const isAll = closed.length === ends.length;
  // The first that is complete is known as soon as one is; the last when all are.
  if (isAll || (pick === Math.min && closed.length > 0)) {
    return { ps: closed.reduce((a, b) => pick(a, b)), isOpen: false };
  }
  return { ps: ends.reduce((a, { ps }) => pick(a, ps), ends[0]!.ps), isOpen: true };
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}
