/** What a duel measures of each run, for programs; `duel.json` has it beside the comparison. */

import {
  type DuelledByTier,
  type DuelledInRun,
  duelTotals,
  tierTotals,
} from '../measures/run-totals.js';
import { completionOf, slowdownOf } from '../measures/flow-statistics.js';
import type { Percentiles, RunResults, Spread, Tally } from '../runtime/results/results.js';
import { rolesOf } from '../telemetry/congestion/flow-roles.js';
import type { DuelWatch } from './duel-watch.js';
import type { ExpectationResult } from './expectations.js';
import type { WhySummary } from './why.js';

/** One side of a duel: its run, and how to repeat it. */
export interface DuelRun {
  readonly variant: string;
  readonly set: readonly string[];
  readonly results: RunResults;
  readonly expectations: readonly ExpectationResult[];
  readonly why: Pick<WhySummary, 'trees'>;
  readonly watch: Pick<DuelWatch, 'controlOctets' | 'reservedOctets' | 'reactionPs'>;
  /** Its run directory, within that of the duel. */
  readonly folder: string;
}

/** What is compared; times in ps, rates in bit/s. */
interface DuelFacts {
  readonly variant: string;
  readonly status: string;
  readonly failure: string | null;
  readonly digest: string;
  /** Flows with a volume. */
  readonly finished: Tally;
  readonly completionPs: Percentiles | null;
  readonly slowdown: Percentiles | null;
  /** By load: payload of its flows over the time that they were offered. */
  readonly goodputBps: Readonly<Record<string, number>>;
  /** By load with several flows: of each of them. */
  readonly perFlowBps: Readonly<Record<string, Spread>>;
  /** Jain's index over the flows of a load that has several: 1 when all get the same. */
  readonly fairness: Readonly<Record<string, number>>;
  /** Headroom, or buffer behind grants, of the device with the most. */
  readonly neededOctets: number;
  /** Over the run. */
  readonly deadlocks: number;
  readonly storms: number;
  /** Flows that wait for roots of congestion that they do not fill, and fill none. */
  readonly victims: number;
  readonly culprits: number;
  /** From the congestion of the queue to the reaction of the first of its sources; null: none. */
  readonly reactionPs: number | null;
  readonly controlFrames: number;
  /** Of control frames, of congestion messages, and of telemetry, on every link. */
  readonly controlOctets: number;
  readonly notifications: number;
}

/** With totals of the measures that a duel has; of some by tier of the device. */
export type DuelMetrics = DuelFacts &
  Readonly<Record<DuelledInRun, number>> &
  Readonly<Record<DuelledByTier, Readonly<Record<string, number>>>>;

export function duelMetrics(run: DuelRun, tierOf: ReadonlyMap<string, string>): DuelMetrics {
  const { results, variant, watch } = run;
  const { flows, ports } = results;
  const roles = rolesOf(run.why.trees, flows);
  const shared = results.loads.filter((load) => load.flows > 1);
  return {
    variant,
    status: results.status,
    failure: results.failure?.reason ?? null,
    digest: results.digest,
    finished: results.finished,
    completionPs: completionOf(flows),
    slowdown: slowdownOf(flows),
    goodputBps: Object.fromEntries(results.loads.map((l) => [l.load, l.goodputBps])),
    perFlowBps: Object.fromEntries(shared.map((l) => [l.load, l.perFlowBps])),
    fairness: Object.fromEntries(
      shared.map(({ load }) => {
        const own = flows.filter((flow) => flow.load === load);
        return [load, jain(own.map((flow) => flow.goodputBps))];
      }),
    ),
    ...tierTotals(results, tierOf),
    ...duelTotals(results),
    neededOctets: watch.reservedOctets,
    deadlocks: results.deadlocks.length,
    storms: results.storms.length,
    victims: roles.victim,
    culprits: roles.culprit,
    reactionPs: watch.reactionPs,
    controlFrames: sum(ports.map(({ controlSent }) => controlSent)),
    controlOctets: watch.controlOctets,
    notifications: sum(results.rates.map(({ notifications }) => notifications)),
  };
}

function jain(values: readonly number[]): number {
  const squares = sum(values.map((value) => value * value));
  return squares === 0 ? 1 : sum(values) ** 2 / (values.length * squares);
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}
