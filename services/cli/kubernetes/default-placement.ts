import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { DistributionOptions } from '../fleet/distribution.js';
import type { Cluster } from './cluster.js';
import type { NodeChoice } from './room.js';
import { roomOf } from './room.js';
import type { Values } from './values.js';

// Small fabrics have a pod for each device. In a large one, threads of a pod exchange frames by
// shared memory, and only nodes by the broker: it has a pod for each node.

/** Devices up to which each has a pod. */
const SMALL = 64;
/** Where nodes are unknown. */
const DEVICES_PER_POD = 64;
/** For the broker and the coordinator, which share a node with a service. */
const OTHERS_CORES = 1;

/** What the services of a large fabric have: nodes, and cores of each. */
export type Nodes = NonNullable<Values['nodes']>;

/** Whether neither the command nor the scenario places the devices of a large fabric. */
export function needsNodes({ topology, scenario }: Fabric, options: DistributionOptions): boolean {
  const { services, devicesPerService } = options;
  const isPlaced = services !== undefined || devicesPerService !== undefined;
  return !isPlaced && scenario.placement.length === 0 && topology.devices.length > SMALL;
}

/** Options of a run of a large fabric; `nodes`: null where they are unknown. */
export function onNodes<T extends DistributionOptions>(options: T, nodes: Nodes | null): T {
  if (nodes === null) return { ...options, devicesPerService: `${DEVICES_PER_POD}` };
  return { threads: `${nodes.cores}`, ...options, services: `${nodes.count}` };
}

/** Nodes with a core to spare for such pods, and the cores of each; null: they are not listed. */
export async function nodesOf(cluster: Cluster, choice: NodeChoice): Promise<Nodes | null> {
  const machine = await cluster.machine();
  if (machine === null) return null;
  const cores = roomOf(machine.nodes, machine.pods, choice)
    .map((left) => Math.floor((left.get('cpu') ?? 0) - OTHERS_CORES))
    .filter((free) => free >= 1);
  return cores.length === 0 ? null : { count: cores.length, cores: Math.min(...cores) };
}
