import type { Reclaim } from '../mechanisms/mechanism-slice.js';
import { GRANTING } from '../mechanisms/registry.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { BlockedLink } from '../runtime/results/path-methods.js';
import type { FaultResult, RunResults } from '../runtime/results/results.js';
import type { Congestion, Deadlock, Storm } from '../telemetry/congestion/congestion.js';
import type { CongestionTree } from '../telemetry/congestion/congestion-trees.js';
import { treesOfRun } from '../telemetry/congestion/trees-of-run.js';

/** The congestion of a run: its trees, the worst first, and every episode. */
export interface Why extends WhySummary {
  readonly congestion: Congestion;
}

export interface WhySummary {
  readonly scenario: string;
  readonly digest: string;
  readonly virtualPs: number;
  readonly trees: readonly CongestionTree[];
  readonly deadlocks: readonly Deadlock[];
  readonly storms: readonly Storm[];
  readonly reclaims: readonly Reclaim[];
  readonly faults: readonly FaultInWhy[];
  readonly episodes: number;
  /** Links of flows on which nothing is sent, for want of an agreement over LLDP. */
  readonly blocked: readonly BlockedLink[];
  /** Episodes beyond the limit. */
  readonly omitted: number;
}

/** A fault, and the congestion that it explains. */
export interface FaultInWhy extends FaultResult {
  readonly hasEffect: boolean;
  /** How long frames waited for it, summed over all of them. */
  readonly frameTimePs: number;
  /** When the last of it cleared; null: it has not. */
  readonly lastEffectPs: number | null;
}

export function whyOf(fabric: Fabric, results: RunResults, congestion: Congestion): Why {
  const { episodes, deadlocks, storms, omitted } = congestion;
  const { scenario, digest, virtualPs } = results;
  const trees = treesOfRun(fabric, results, congestion);
  const counts = { episodes: episodes.length, omitted };
  const blocked = results.discovery?.blocked ?? [];
  const faults = results.faults.map((fault) => withEffect(fault, trees));
  const found = {
    faults,
    trees,
    deadlocks,
    storms,
    reclaims: GRANTING?.reclaims(results) ?? [],
    blocked,
  };
  return { scenario, digest, virtualPs, ...found, ...counts, congestion };
}

function withEffect(fault: FaultResult, trees: readonly CongestionTree[]): FaultInWhy {
  const own = trees.filter(({ root }) => root.fault === fault.fault);
  const ends = own.map(({ clearedPs }) => clearedPs ?? Infinity);
  const last = Math.max(0, ...ends);
  const lastEffectPs = last === Infinity ? null : last;
  const frameTimePs = own
    .filter(({ root }) => root.reason === 'fault')
    .reduce((sum, tree) => sum + tree.frameTimePs, 0);
  return { ...fault, hasEffect: own.length > 0, frameTimePs, lastEffectPs };
}

export function whySummary({ congestion, ...summary }: Why): WhySummary {
  return summary;
}
