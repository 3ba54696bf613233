import type { Branch, CongestionTree } from '../../telemetry/congestion/congestion-trees.js';
import { faultNames } from '../fault-text.js';
import { rootText } from '../why-text.js';
import type { WhySummary } from '../why.js';
import type { TreeNode, TreesView, TreeView } from './page-data.js';

export const TREES_SHOWN = 24;
const VICTIMS_SHOWN = 24;
/** Places of one tree, and what one place caused; the rest is counted. */
const NODES_SHOWN = 400;
const CHILDREN_SHOWN = 40;

/** The trees of a run, worst first, and their branches as far as they are shown. */
export function treesView(
  why: Pick<WhySummary, 'trees' | 'deadlocks' | 'storms' | 'episodes' | 'faults'>,
  portNames: readonly string[],
): TreesView {
  const placeOf = new Map(portNames.map((name, place) => [name, place]));
  const { trees, deadlocks, storms, episodes } = why;
  const faults = faultNames(why.faults);
  return {
    episodes,
    omitted: Math.max(0, trees.length - TREES_SHOWN),
    trees: trees.slice(0, TREES_SHOWN).map((tree) => treeView(tree, placeOf, faults)),
    deadlocks: deadlocks.map(({ closedPs, openedPs, ring }) => ({
      closedPs,
      openedPs,
      ring: ring.map(({ ingress, egress, priority }) => ({ ingress, egress, priority })),
    })),
    storms: storms.map(({ port, priority, startPs, endPs }) => {
      return { port, priority, startPs, endPs };
    }),
  };
}

function treeView(
  tree: CongestionTree,
  placeOf: ReadonlyMap<string, number>,
  faults: ReadonlyMap<string, string>,
): TreeView {
  const { root, clearedPs, episodes, ports, devices, depth, frameTimePs, victims } = tree;
  const { kind, port, priority, mechanism, startPs } = root;
  const { times, totalPs } = tree;
  const budget = { left: NODES_SHOWN };
  const children = nodesOf(tree.branches, placeOf, budget);
  return {
    reason: rootText(root, faults),
    ...{ startPs, clearedPs, episodes, ports, devices, depth, frameTimePs },
    culprits: tree.culprits.slice(0, VICTIMS_SHOWN),
    culpritCount: tree.othersShare > 0 ? null : tree.culprits.length,
    victims: victims.slice(0, VICTIMS_SHOWN),
    victimCount: victims.length,
    root: {
      ...{ kind, name: port, port: placeOf.get(port) ?? null, priority, mechanism, times },
      ...{ totalPs, frameTimePs, ...children },
    },
  };
}

/** The widest first, level by level, until there are enough. */
function nodesOf(
  branches: readonly Branch[],
  placeOf: ReadonlyMap<string, number>,
  budget: { left: number },
): Pick<TreeNode, 'children' | 'omitted'> {
  const shown = branches.slice(0, Math.min(CHILDREN_SHOWN, budget.left));
  budget.left -= shown.length;
  return {
    omitted: branches.length - shown.length,
    children: shown.map((branch): TreeNode => {
      const { kind, port, priority, mechanism, times, totalPs, frameTimePs } = branch;
      return {
        ...{ kind, name: port, port: placeOf.get(port) ?? null, priority, mechanism, times },
        ...{ totalPs, frameTimePs, ...nodesOf(branch.branches, placeOf, budget) },
      };
    }),
  };
}
