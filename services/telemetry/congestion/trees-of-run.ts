import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { Congestion } from './congestion.js';
import { type CongestionTree, congestionTrees, type FlowOnPath } from './congestion-trees.js';
import { portsOfFlow } from './flow-paths.js';

/** What results have of a flow that waits, or makes others wait. */
interface RunFlow extends Pick<FlowOnPath, 'flow' | 'name' | 'priority' | 'startPs'> {
  readonly completionPs: number | null;
  readonly destination: string;
}

/** The congestion trees of a run, with the flows that fill their roots or wait for them. */
export function treesOfRun(
  fabric: Fabric,
  { flows, virtualPs }: { readonly flows: readonly RunFlow[]; readonly virtualPs: number },
  congestion: Congestion,
): CongestionTree[] {
  const onPaths = flows.map((flow): FlowOnPath => {
    const endPs = flow.completionPs === null ? virtualPs : flow.startPs + flow.completionPs;
    const { name, priority, startPs, destination: to } = flow;
    const ports = portsOfFlow(fabric, flow.flow);
    return { flow: flow.flow, name, priority, startPs, endPs, ports, to };
  });
  return congestionTrees(congestion, virtualPs, onPaths);
}
