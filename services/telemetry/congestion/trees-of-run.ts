import { CONGESTED_PS } from '../../engine/analysis/waits/queue-book.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { Congestion } from './congestion.js';
import {
  type CongestionTree,
  congestionTrees,
  type FlowOnPath,
  type Precedence,
} from './congestion-trees.js';
import { portsOfFlow } from './flow-paths.js';

/** What results have of a flow that waits, or makes others wait. */
interface RunFlow extends Pick<FlowOnPath, 'flow' | 'name' | 'priority' | 'startPs'> {
  readonly completionPs: number | null;
  readonly destination: string;
  readonly payloadOctets: number;
}

/** The congestion trees of a run, with the flows that fill their roots or wait for them. */
export function treesOfRun(
  fabric: Fabric,
  { flows, virtualPs }: { readonly flows: readonly RunFlow[]; readonly virtualPs: number },
  congestion: Congestion,
): CongestionTree[] {
  const onPaths = flows.map((flow): FlowOnPath => {
    const endPs = flow.completionPs === null ? virtualPs : flow.startPs + flow.completionPs;
    const { name, priority, startPs, destination: to, payloadOctets: octets } = flow;
    const ports = portsOfFlow(fabric, flow.flow);
    return { flow: flow.flow, name, priority, startPs, endPs, ports, to, octets };
  });
  const trees = congestionTrees(congestion, virtualPs, onPaths, precedenceOf(fabric));
  return trees.filter((tree) => !isTurn(tree));
}

/**
 * Frames of other classes had their turns: that is how a link is shared, and no class was outrun.
 * What waits longer than a queue may without being congested is said, though nobody is to name.
 */
function isTurn({ root, culprits, totalPs }: CongestionTree): boolean {
  return root.reason === 'other-classes' && culprits.length === 0 && totalPs < CONGESTED_PS;
}

/** A strict arbiter never sends a lower class first; of others any may have its share. */
function precedenceOf({ linkEnds, specs }: Fabric): Precedence {
  const ends = new Map(linkEnds.flat().map((end) => [end.name, end]));
  return (name, priority, other) => {
    const end = ends.get(name);
    if (end === undefined) return false;
    const { classOf, arbiter } = specs[end.device]!.ports[end.port]!;
    const [own, behind] = [classOf[priority]!, classOf[other]!];
    return arbiter.kind === 'strict' ? own > behind : own !== behind;
  };
}
