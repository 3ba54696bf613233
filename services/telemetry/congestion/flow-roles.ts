import type { CongestionTree } from './congestion-trees.js';

/**
 * What a flow is to the congestion of a run: it fills a root (culprit), it waits because of a root
 * that it does not fill (victim), it does the one here and the other there (both), or neither.
 */
export type FlowRole = 'culprit' | 'victim' | 'both' | 'bystander';

/** Trees of a run, by their places, in which a flow has a part, and its role by them. */
export interface FlowParts {
  readonly fills: readonly number[];
  readonly suffers: readonly number[];
  readonly role: FlowRole;
}

type Tree = Pick<CongestionTree, 'culprits' | 'victims' | 'frameTimePs'>;

/** A tree that is lighter than this share of the heaviest one of a flow makes no role. */
const LIGHT = 0.1;

/** By name of a flow; those that are bystanders are not there. */
export function partsOfFlows(trees: readonly Tree[]): ReadonlyMap<string, FlowParts> {
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
  const weightOf = (places: readonly number[]): number =>
    places.reduce((most, place) => Math.max(most, trees[place]!.frameTimePs), 0);
  return new Map(
    [...parts].map(([name, { fills, suffers }]) => {
      const [filled, suffered] = [weightOf(fills), weightOf(suffers)];
      const isCulprit = fills.length > 0 && filled >= LIGHT * suffered;
      const isVictim = suffers.length > 0 && suffered >= LIGHT * filled;
      const role = isCulprit ? (isVictim ? 'both' : 'culprit') : 'victim';
      return [name, { fills, suffers, role }];
    }),
  );
}

/** How many of the flows have each role. */
export function rolesOf(
  trees: readonly Tree[],
  flows: readonly { readonly name: string }[],
): Record<FlowRole, number> {
  const parts = partsOfFlows(trees);
  const counts: Record<FlowRole, number> = { culprit: 0, victim: 0, both: 0, bystander: 0 };
  for (const { name } of flows) counts[(parts.get(name) ?? BYSTANDER).role]++;
  return counts;
}

/** Names of the flows that are victims, and no culprits. */
export function victimsOf(trees: readonly Tree[]): string[] {
  return [...partsOfFlows(trees)].flatMap(([name, { role }]) => (role === 'victim' ? [name] : []));
}

export const BYSTANDER: FlowParts = { fills: [], suffers: [], role: 'bystander' };
