import type { RunResults } from '../../runtime/results/results.js';
import { outcomeOf } from '../../sweep/outcome.js';
import type { CongestionTree } from '../../telemetry/congestion/congestion-trees.js';
import { rolesOf, victimsOf } from '../../telemetry/congestion/flow-roles.js';
import type { Contender } from './comparison.js';
import { measuresOf } from './measures.js';

/** The runs of a contender, seed by seed. */
interface Side {
  readonly name: string;
  readonly runs: readonly SideRun[];
}

export interface SideRun {
  readonly results: Parameters<typeof outcomeOf>[0] & Pick<RunResults, 'flows'>;
  /** Null where episodes were not recorded. */
  readonly trees: readonly CongestionTree[] | null;
}

/** The goodput of a flow that is a victim in one run is followed in all of them. */
export function contendersOf(sides: readonly Side[]): Contender[] {
  const runs = sides.flatMap((side) => side.runs);
  const victims = new Set(runs.flatMap(({ trees }) => victimsOf(trees ?? [])));
  return sides.map(({ name, runs: own }) => ({
    name,
    runs: own.map(({ results, trees }) => {
      const roles = trees && rolesOf(trees, results.flows);
      const outcome = outcomeOf(results, roles, victims);
      const { status, lostFrames } = outcome;
      return { status, lostFrames, measures: measuresOf(outcome) };
    }),
  }));
}
