import { GRANTING } from '../../mechanisms/registry.js';
import type { DeviceWaits, JamRecord } from '../../engine/analysis/waits/wait-records.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { Deadlock, RingStep } from './congestion.js';

/** An account that waits for the account behind one of its egresses. */
interface Edge {
  readonly from: string;
  readonly to: string;
  readonly startPs: number;
  readonly endPs: number;
  /** It resumes as soon as one of its edges of this kind ends; else only after each of them. */
  readonly isAny: boolean;
  readonly step: RingStep;
}

/**
 * Cycles in the wait-for graph, each at the moment when its last edge began. An edge exists as long
 * as an account cannot resume before an egress is released, and the egress waits for its link
 * partner's account; so an account in a cycle never resumes by itself. `nowPs`: virtual time of the
 * run.
 */
export function findDeadlocks(
  fabric: Fabric,
  waits: readonly Pick<DeviceWaits, 'jams'>[],
  nowPs: number,
): Deadlock[] {
  const edges = waits
    .flatMap(({ jams }, device) => jams.map((jam) => edgeOf(fabric, device, jam)))
    .filter(({ startPs, endPs }) => startPs <= nowPs && startPs < endPs)
    .sort((a, b) => a.startPs - b.startPs || (a.from < b.from ? -1 : 1));
  const standing = new Map<string, Edge[]>();
  const found: Deadlock[] = [];
  for (const [i, edge] of edges.entries()) {
    const { from, startPs } = edge;
    const known = (standing.get(from) ?? []).filter(({ endPs }) => endPs > startPs);
    if (!known.includes(edge)) standing.set(from, [...known, edge, ...alongside(edges, i)]);
    const cycle = cycleThrough(edge, standing);
    if (cycle === null) continue;
    const deadlock = deadlockOf([edge, ...cycle]);
    if (!found.some((known) => isSame(known, deadlock))) found.push(deadlock);
  }
  return found;
}

/** Edges that exist as soon as one of several edges does, and with it. */
function alongside(edges: readonly Edge[], i: number): Edge[] {
  const { from, startPs, isAny } = edges[i]!;
  const others: Edge[] = [];
  for (let j = i + 1; isAny && edges[j]?.startPs === startPs; j++) {
    if (edges[j]!.from === from && edges[j]!.isAny) others.push(edges[j]!);
  }
  return others;
}

/** From the end of an edge back to its beginning; null if there is no cycle that stays closed. */
function cycleThrough(edge: Edge, standing: ReadonlyMap<string, readonly Edge[]>): Edge[] | null {
  const { from, to, startPs } = edge;
  const cycle = pathBetween(standing, to, from, startPs);
  if (cycle === null || ![edge, ...cycle].some(({ isAny }) => isAny)) return cycle;
  const stuck = stuckAt(standing, startPs);
  if (!stuck.has(from) || !stuck.has(to)) return null;
  return pathBetween(new Map([...standing].filter(([node]) => stuck.has(node))), to, from, startPs);
}

/** Accounts that never resume: each waits for one of them, or can be released by nothing else. */
function stuckAt(standing: ReadonlyMap<string, readonly Edge[]>, timePs: number): Set<string> {
  const stuck = new Set(standing.keys());
  for (let changed = true; changed;) {
    changed = false;
    for (const node of stuck) {
      const edges = standing.get(node)!.filter(({ endPs }) => endPs > timePs);
      const any = edges.filter(({ isAny }) => isAny);
      const waits = edges.some(({ isAny, to }) => !isAny && stuck.has(to));
      if (waits || (any.length > 0 && any.every(({ to }) => stuck.has(to)))) continue;
      stuck.delete(node);
      changed = true;
    }
  }
  return stuck;
}

function edgeOf(fabric: Fabric, device: number, jam: JamRecord): Edge {
  const { port, group, egress, priority, endPs, isAny } = jam;
  const ends = fabric.linkEnds[device]!;
  const startPs =
    jam.startPs + settlingPs(fabric, device, isAny ? [...ends.keys()] : [port, egress]);
  const { peerDevice, peerPort, name } = ends[egress]!;
  const there = fabric.specs[peerDevice]!.ports[peerPort]!.groupOf[priority]!;
  return {
    from: `${device} ${port} ${group}`,
    to: `${peerDevice} ${peerPort} ${there}`,
    startPs,
    endPs,
    isAny,
    step: {
      device: fabric.topology.devices[device]!.name,
      ingress: ends[port]!.name,
      egress: name,
      priority,
    },
  };
}

/**
 * How long a grant may be unknown to the sender: until then an account that waits
 * for it may still resume. It is granted at once, or with the next refresh or answer.
 */
function settlingPs(fabric: Fabric, device: number, ports: readonly number[]): number {
  const specs = ports.map((p) => fabric.specs[device]!.ports[p]!);
  return specs.reduce((most, port) => Math.max(most, GRANTING?.unknownPs(port) ?? 0), 0);
}

/** Edges that lead from one account to another at a time; null if none do. */
function pathBetween(
  standing: ReadonlyMap<string, readonly Edge[]>,
  from: string,
  to: string,
  timePs: number,
): Edge[] | null {
  const seen = new Set<string>();
  const follow = (node: string): Edge[] | null => {
    if (node === to) return [];
    if (seen.has(node)) return null;
    seen.add(node);
    for (const edge of standing.get(node) ?? []) {
      if (edge.endPs <= timePs) continue;
      const rest = follow(edge.to);
      if (rest !== null) return [edge, ...rest];
    }
    return null;
  };
  return follow(from);
}

/** The cycle begins at the step whose name is first, wherever it closed. */
function deadlockOf(edges: readonly Edge[]): Deadlock {
  const names = edges.map(({ step }) => step.ingress);
  const first = names.indexOf([...names].sort()[0]!);
  const ring = [...edges.slice(first), ...edges.slice(0, first)].map(({ step }) => step);
  const opened = Math.min(...edges.map(({ endPs }) => endPs));
  const closedPs = Math.max(...edges.map(({ startPs }) => startPs));
  return { closedPs, openedPs: opened === Infinity ? null : opened, ring };
}

/** The same cycle, which has existed since. */
function isSame(known: Deadlock, { ring, closedPs }: Deadlock): boolean {
  if (known.openedPs !== null && known.openedPs <= closedPs) return false;
  const text = (steps: readonly RingStep[]): string =>
    steps.map(({ ingress, egress }) => `${ingress} ${egress}`).join();
  return text(known.ring) === text(ring);
}
