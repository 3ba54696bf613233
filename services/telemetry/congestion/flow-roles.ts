import type { CongestionTree } from './congestion-trees.js';

/**
 * What a flow is to the congestion of a run: it fills a root (culprit), it waits because of a root
 * that it does not fill (victim), it does the one here and the other there (both), or neither.
 */
export type FlowRole = 'culprit' | 'victim' | 'both' | 'bystander';

/** Trees of a run, by their places, in which a flow has a part. */
export interface FlowParts {
  readonly fills: readonly number[];
  readonly suffers: readonly number[];
}

export function roleOf({ fills, suffers }: FlowParts): FlowRole {
  if (fills.length > 0) return suffers.length > 0 ? 'both' : 'culprit';
  return suffers.length > 0 ? 'victim' : 'bystander';
}

/** By name of a flow; those that are bystanders are not there. */
export function partsOfFlows(
  trees: readonly Pick<CongestionTree, 'culprits' | 'victims'>[],
): ReadonlyMap<string, FlowParts> {
  const parts = new Map<string, { fills: number[]; suffers: number[] }>();
  const of = (name: string): { fills: number[]; suffers: number[] } => {
    const known = parts.get(name) ?? { fills: [], suffers: [] };
    parts.set(name, known);
    return known;
  };
  trees.forEach(({ culprits, victims }, tree) => {
    for (const { flow } of culprits) of(flow).fills.push(tree);
    for (const name of victims) of(name).suffers.push(tree);
  });
  return parts;
}

export const BYSTANDER: FlowParts = { fills: [], suffers: [] };
