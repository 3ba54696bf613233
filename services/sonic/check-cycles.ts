/**
 * Cyclic buffer dependencies of a fabric: ingress ports, each of which cannot empty before the next
 * one does. Frames go by shortest paths between all stations.
 */

import type { Fabric } from '../fabric/assembly/fabric.js';
import { isPausable } from '../mechanisms/fabric-context.js';

/** Of a priority: devices of a cycle, the first one again at the end. */
export interface Cycle {
  readonly priority: number;
  readonly devices: readonly string[];
}

export function cyclesOf(fabric: Fabric): Cycle[] {
  const graph = dependencies(fabric);
  const priorities = new Set(
    fabric.methods.flat().flatMap((own) => own.flatMap((one, p) => (isPausable(one) ? [p] : []))),
  );
  return [...priorities].sort().flatMap((priority) => {
    const cycle = cycleIn(graph, (port) => isPausable(methodAt(fabric, port, priority)));
    if (cycle === null) return [];
    const devices = cycle.map(({ device }) => fabric.topology.devices[device]!.name);
    return [{ priority, devices: [...devices, devices[0]!] }];
  });
}

/** Where frames come in. */
interface Ingress {
  readonly device: number;
  readonly port: number;
}

type Graph = ReadonlyMap<
  string,
  { readonly at: Ingress; readonly next: ReadonlyMap<string, Ingress> }
>;

const nameOf = ({ device, port }: Ingress): string => `${device}:${port}`;

function methodAt({ methods }: Fabric, { device, port }: Ingress, priority: number): string {
  return methods[device]![port]![priority]!;
}

/** What frames that came in by a port wait for: ingress ports of the next switches. */
function dependencies({ topology, linkEnds, routes }: Fabric): Graph {
  const graph = new Map<string, { at: Ingress; next: Map<string, Ingress> }>();
  const isSwitch = (device: number): boolean => topology.devices[device]!.kind === 'switch';
  const hosts = topology.devices.flatMap(({ kind }, i) => (kind === 'host' ? [i] : []));
  const entries = hosts.flatMap((host) => {
    const [end] = linkEnds[host]!;
    return end === undefined || !isSwitch(end.peerDevice)
      ? []
      : [{ device: end.peerDevice, port: end.peerPort }];
  });
  for (const destination of hosts) {
    const seen = new Set<string>();
    const open: Ingress[] = [...entries];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const name = nameOf(at);
      if (seen.has(name)) continue;
      seen.add(name);
      const node = graph.get(name) ?? { at, next: new Map<string, Ingress>() };
      graph.set(name, node);
      const { setOfHost, sets } = routes.of(at.device);
      for (const out of sets[setOfHost[destination]!] ?? []) {
        const { peerDevice, peerPort } = linkEnds[at.device]![out]!;
        if (!isSwitch(peerDevice)) continue;
        const next = { device: peerDevice, port: peerPort };
        node.next.set(nameOf(next), next);
        open.push(next);
      }
    }
  }
  return graph;
}

/** Ingress ports that wait for each other, of those that `pauses` has. */
function cycleIn(graph: Graph, pauses: (port: Ingress) => boolean): Ingress[] | null {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (name: string): string[] | null => {
    const first = path.indexOf(name);
    if (first >= 0) return path.slice(first);
    if (done.has(name)) return null;
    done.add(name);
    path.push(name);
    for (const [next, at] of graph.get(name)?.next ?? []) {
      const cycle = pauses(at) ? visit(next) : null;
      if (cycle !== null) return cycle;
    }
    path.pop();
    return null;
  };
  for (const name of graph.keys()) {
    const cycle = visit(name);
    if (cycle !== null) return cycle.map((own) => graph.get(own)!.at);
  }
  return null;
}
