import type { PlannedMechanism } from '../../mechanisms/mechanism-slice.js';
import { SLOTTED } from '../../mechanisms/registry.js';
import type { SlottedPlan } from '../../mechanisms/slotted-slice.js';
import { livePorts } from '../live/live-plan.js';
import type { LivePlan } from '../live/live-section.js';
import { hostCount } from '../topology/topology.js';
import { MemoryPlan } from './accounts.js';
import { Backing } from './backing.js';
import { CongestionPlan } from './congestion-plan.js';
import { usualDscps } from './port-maps.js';
import { type Connections, connect } from './connections.js';
import { DiscoveryPlan } from './discovery-plan.js';
import { EqualPaths } from './equal-paths.js';
import { groupTree } from '../routing/group-tree.js';
import { treesOf } from './groups.js';
import { fabricOfMechanisms, planMechanisms } from './mechanism-plans.js';
import { type OperationsPlan, planOperations } from './operations-plan.js';
import type { ResolvedFabric } from './resolved-fabric.js';
import { placeOf } from './settings.js';

/** What specifications of devices are made from. */
export interface FabricPlans extends Connections {
  readonly mechanisms: readonly PlannedMechanism[];
  readonly discovery: DiscoveryPlan;
  readonly operations: OperationsPlan;
  readonly backing: Backing;
  readonly memory: MemoryPlan;
  /** Null: no switch has slots. */
  readonly chips: SlottedPlan | null;
  /** By group, then by position of the switch: ports of its tree. */
  readonly trees: ReturnType<typeof treesOf>;
  /** By position, of real hosts. */
  readonly live: ReturnType<typeof livePorts>;
  /** Traffic classes whose packets are given telemetry, one bit each. */
  readonly telemetry: number;
}

export function planFabric(fabric: ResolvedFabric): FabricPlans {
  const { topology, settings, linkEnds, routes, flows, jobs, members, paths, fail } = fabric;
  const ofMechanisms = fabricOfMechanisms({
    ...fabric,
    // Buffers are planned from what mechanisms grant, so thresholds are known only after both.
    xoffOctets: (device, port, priority) => memory.xoffOctets(device, port, priority),
  });
  const congestion = new CongestionPlan(fabric, ofMechanisms);
  const connections = connect(flows, {
    ...{ hosts: hostCount(topology), members, paths, settings, congestion, fail },
    usualDscp: usualDscps(fabric),
    equal: new EqualPaths(routes, linkEnds, settings),
  });
  const operations = planOperations(jobs, connections.flowEnds);
  const trees = treesOf(members, flows, routes);
  const live = livePlanned(fabric);
  if (fabric.live !== null) trees.push(treeOfLive(fabric, fabric.live));
  const discovery = new DiscoveryPlan(fabric, () => mechanisms);
  const mechanisms = planMechanisms(ofMechanisms);
  const backing = new Backing(mechanisms);
  const memory = new MemoryPlan(fabric, backing);
  const chips =
    SLOTTED?.plan({
      ...fabric,
      responseDelayPs: (device, port) =>
        fabric.ports[device]![port]!.pause?.pausing.responseDelay ?? null,
      placeOf: (device, isGiven, keys) =>
        placeOf(settings[device]!, (change) => isGiven(change.switch), keys),
    }) ?? null;
  const telemetry = congestion.telemetryClasses(flows);
  return {
    ...connections,
    ...{ operations, mechanisms, discovery, backing, memory, chips, trees, telemetry },
    live,
  };
}

function livePlanned({ live, scenario, fail }: ResolvedFabric): FabricPlans['live'] {
  return live === null ? new Map() : livePorts(live, scenario.live!.inputs, fail);
}

/** What a real host sends to a group, or to an address that none has used, comes to all others. */
function treeOfLive({ routes }: ResolvedFabric, { hosts, group }: LivePlan): number[][] {
  const positions = hosts.map(({ position }) => position);
  return groupTree(routes.adjacency, positions, group);
}
