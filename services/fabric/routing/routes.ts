import type { Adjacency } from '../../engine/routing/adjacency.js';
import type { SwitchRoutes } from '../../engine/routing/shortest-paths.js';
import { NO_ROUTE, shortestPaths } from '../../engine/routing/shortest-paths.js';
import { adjacencyOf } from '../topology/adjacency.js';
import type { Topology } from '../topology/topology.js';

/** All shortest paths of a fabric without faults. */
export function computeRoutes(topology: Topology): Routes {
  const adjacency = adjacencyOf(topology);
  return new Routes(adjacency, shortestPaths(adjacency, null));
}

export class Routes {
  constructor(
    readonly adjacency: Adjacency,
    private readonly tables: readonly SwitchRoutes[],
  ) {}

  /** The routes of a switch, by its index among devices. */
  of(device: number): SwitchRoutes {
    return this.tables[device - this.adjacency.hosts]!;
  }

  reachable(source: number, destination: number): boolean {
    if (source === destination) return true;
    const { adjacency } = this;
    const neighbor = adjacency.peer[adjacency.firstSlot[source]!]!;
    if (neighbor < adjacency.hosts) return neighbor === destination;
    return this.of(neighbor).setOfHost[destination] !== NO_ROUTE;
  }

  /** Links on a shortest path between two hosts; Infinity where there is none. */
  hopsBetween(source: number, destination: number): number {
    return this.pathBetween(source, destination)?.length ?? Infinity;
  }

  /** The links of the shortest path over the lowest ports; null where there is none. */
  pathBetween(source: number, destination: number): number[] | null {
    if (!this.reachable(source, destination)) return null;
    const { firstSlot, peer, link } = this.adjacency;
    const path: number[] = [];
    for (let device = source; device !== destination;) {
      const port = device === source ? 0 : this.lowestPort(device, destination);
      const slot = firstSlot[device]! + port;
      path.push(link[slot]!);
      device = peer[slot]!;
    }
    return path;
  }

  private lowestPort(device: number, destination: number): number {
    const { setOfHost, sets } = this.of(device);
    return sets[setOfHost[destination]!]![0]!;
  }
}
