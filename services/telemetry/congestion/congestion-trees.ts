import type { Congestion, Deadlock, Episode, QueueShare } from './congestion.js';

/** A flow as trees use it: its duration, and the egress ports of its frames. */
export interface FlowOnPath {
  /** Its number. */
  readonly flow: number;
  readonly name: string;
  readonly priority: number;
  readonly startPs: number;
  readonly endPs: number;
  readonly ports: ReadonlySet<string>;
  /** The device that it is sent to. */
  readonly to: string;
  /** What was delivered of it. */
  readonly octets: number;
}

/** Whether a port may send frames of one priority in place of those of another. */
export type Precedence = (port: string, priority: number, other: number) => boolean;

/** A cause without another behind it, whenever it occurred, and all that followed from it. */
export interface CongestionTree {
  /** The first of its root's episodes. */
  readonly root: Episode;
  /** How many episodes its root has, and how long they lasted together. */
  readonly times: number;
  readonly totalPs: number;
  /** When the last of it cleared; null: not yet. */
  readonly clearedPs: number | null;
  readonly episodes: number;
  /** Ports and devices that were reached, and the number of links it spread over. */
  readonly ports: number;
  readonly devices: number;
  readonly depth: number;
  /** Frames that waited in its root or behind it, each times how long. */
  readonly frameTimePs: number;
  /**
   * Flows that fill the queue that is its root, with their share of it, the greatest first. Where
   * other classes take its link it is these, with their share of all that passed the port.
   */
  readonly culprits: readonly Culprit[];
  /** Share of flows that are not told apart, as there are too many. */
  readonly othersShare: number;
  /** Flows that waited because of it and do not fill its root; not those that close a deadlock. */
  readonly victims: readonly string[];
  readonly branches: readonly Branch[];
}

export interface Culprit {
  readonly flow: string;
  readonly share: number;
}

/** Episodes of one place in a tree, with those that they caused in other places. */
export interface Branch {
  readonly kind: Episode['kind'];
  readonly port: string;
  readonly priority: number | null;
  readonly mechanism: string;
  readonly times: number;
  readonly totalPs: number;
  readonly frameTimePs: number;
  readonly branches: readonly Branch[];
}

/**
 * The congestion trees of a run, the worst first: by the time that frames waited, then by duration,
 * then by start. Episodes of one place and cause are one root: a thousand short ones are one tree.
 */
export function congestionTrees(
  { episodes, deadlocks, shares }: Pick<Congestion, 'episodes' | 'deadlocks' | 'shares'>,
  nowPs: number,
  flows: readonly FlowOnPath[],
  precedes: Precedence,
): CongestionTree[] {
  const children = childrenOf(episodes);
  const passers = {
    ...{ flows: byPort(flows), names: flows, deadlocks, shares: byEpisode(shares) },
    precedes,
  };
  const trees = [
    ...grouped(
      episodes.filter(({ parent }) => parent === null),
      rootOf,
    ).values(),
  ].map((roots) => treeOf(roots, children, nowPs, passers));
  return trees.sort(
    (a, b) =>
      b.frameTimePs - a.frameTimePs ||
      b.totalPs - a.totalPs ||
      a.root.startPs - b.root.startPs ||
      (a.root.id < b.root.id ? -1 : 1),
  );
}

/** Queues are of one place, whatever feeds them, and so is what a fault holds there. */
function rootOf({ kind, port, priority, reason, fault }: Episode): string {
  if (reason === 'fault') return `fault ${port} ${fault ?? ''}`;
  const cause = kind === 'queue' ? '' : `${reason ?? ''} ${fault ?? ''}`;
  return `${kind} ${port} ${priority ?? ''} ${cause}`;
}

/** By episode: the root of the tree that it belongs to. */
export function rootsOf(episodes: readonly Episode[]): Map<string, Episode> {
  const roots = new Map<string, Episode>();
  const queue = episodes.filter(({ parent }) => parent === null);
  const children = childrenOf(episodes);
  for (const root of queue) for (const { id } of membersOf([root], children)) roots.set(id, root);
  return roots;
}

/**
 * Whether a flow keeps a cyclic buffer dependency closed: its frames fill a buffer of the ring
 * while they wait for the next one.
 */
export function isOfRing(ports: ReadonlySet<string>, { ring }: Pick<Deadlock, 'ring'>): boolean {
  return ring.some(({ egress }, i) => {
    return ports.has(egress) && ports.has(ring[(i + 1) % ring.length]!.egress);
  });
}

/** What decides on culprits and victims. */
interface Passers {
  /** By port. */
  readonly flows: ReadonlyMap<string, readonly FlowOnPath[]>;
  /** By number. */
  readonly names: readonly FlowOnPath[];
  readonly deadlocks: readonly Deadlock[];
  /** By episode. */
  readonly shares: ReadonlyMap<string, readonly QueueShare[]>;
  readonly precedes: Precedence;
}

type Children = ReadonlyMap<string, readonly Episode[]>;

function childrenOf(episodes: readonly Episode[]): Children {
  return grouped(
    episodes.filter(({ parent }) => parent !== null),
    ({ parent }) => parent!,
  );
}

function byEpisode(shares: readonly QueueShare[]): Passers['shares'] {
  return grouped(shares, ({ episode }) => episode);
}

function byPort(flows: readonly FlowOnPath[]): Passers['flows'] {
  const found = new Map<string, FlowOnPath[]>();
  for (const flow of flows) {
    for (const port of flow.ports) {
      const there = found.get(port);
      if (there === undefined) found.set(port, [flow]);
      else there.push(flow);
    }
  }
  return found;
}

function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

function treeOf(
  roots: readonly Episode[],
  children: Children,
  nowPs: number,
  passers: Passers,
): CongestionTree {
  const all = membersOf(roots, children);
  const ends = all.map(({ endPs }) => endPs ?? Infinity);
  const cleared = ends.reduce((a, b) => Math.max(a, b), 0);
  const holds = all.filter(({ kind }) => kind === 'blocked');
  const sharesOfRoot = sharesOf(roots, passers);
  const others = othersOf(roots, passers);
  const total = [...sharesOfRoot.values()].reduce((sum, octets) => sum + octets, others);
  const root = nameOfRoots(roots, nowPs);
  const isOutrun = root.reason === 'other-classes';
  const culprits = isOutrun ? outrunning(root, passers) : culpritsOf(sharesOfRoot, total, passers);
  return {
    root,
    times: roots.length,
    totalPs: unionPs(roots, nowPs),
    clearedPs: cleared === Infinity ? null : cleared,
    episodes: all.length,
    ports: new Set(all.map(({ port }) => port)).size,
    devices: new Set(all.map(({ device }) => device)).size,
    depth: depthOf(roots, children),
    frameTimePs: [...roots.filter(({ kind }) => kind !== 'blocked'), ...holds].reduce(
      (sum, { frameTimePs }) => sum + frameTimePs,
      0,
    ),
    culprits,
    othersShare: total === 0 || isOutrun ? 0 : others / total,
    victims: victimsOf(roots, holds, nowPs, {
      ...passers,
      filling: new Set(culprits.map(({ flow }) => flow)),
      inQueue: new Set(sharesOfRoot.keys()),
    }),
    branches: branchesOf(
      roots.flatMap(({ id }) => children.get(id) ?? []),
      children,
      nowPs,
    ),
  };
}

/** The first, with the reason and the fault of those that lasted longest. */
function nameOfRoots(roots: readonly Episode[], nowPs: number): Episode {
  const [first] = roots as [Episode];
  const worst = grouped(roots, ({ reason, fault }) => `${reason ?? ''} ${fault ?? ''}`);
  const [longest] = [...worst.values()].sort((a, b) => unionPs(b, nowPs) - unionPs(a, nowPs));
  const { reason, fault } = longest![0]!;
  const isOfOne = roots.every(({ priority }) => priority === first.priority);
  return { ...first, priority: isOfOne ? first.priority : null, reason, fault };
}

/** How long at least one of them lasted; they begin in order. */
function unionPs(episodes: readonly Episode[], nowPs: number): number {
  let sum = 0;
  let until = 0;
  for (const { startPs, endPs } of episodes) {
    const end = endPs ?? nowPs;
    sum += Math.max(0, end - Math.max(startPs, until));
    until = Math.max(until, end);
  }
  return sum;
}

function membersOf(roots: readonly Episode[], children: Children): Episode[] {
  const all = [...roots];
  for (let i = 0; i < all.length; i++) {
    for (const child of children.get(all[i]!.id) ?? []) all.push(child);
  }
  return all;
}

/** Links that it spread over: holds, one behind the other. */
function depthOf(roots: readonly Episode[], children: Children): number {
  let level = roots;
  let depth = 0;
  while (level.length > 0) {
    if (level.some(({ kind }) => kind === 'blocked')) depth++;
    level = level.flatMap(({ id }) => children.get(id) ?? []);
  }
  return depth;
}

/** By flow: octets that were sampled of it in the queues of a root. */
function sharesOf(roots: readonly Episode[], { shares }: Passers): Map<number, number> {
  const octetsOf = new Map<number, number>();
  for (const { id } of roots) {
    for (const { flow, octets } of shares.get(id) ?? []) {
      octetsOf.set(flow, (octetsOf.get(flow) ?? 0) + octets);
    }
  }
  return octetsOf;
}

function othersOf(roots: readonly Episode[], { shares }: Passers): number {
  return roots
    .flatMap(({ id }) => shares.get(id) ?? [])
    .reduce((sum, { othersOctets }) => sum + othersOctets, 0);
}

/** A flow fills a queue if it has at least a third of what it would have if all were alike. */
function culpritsOf(
  octetsOf: ReadonlyMap<number, number>,
  total: number,
  { names }: Pick<Passers, 'names'>,
): Culprit[] {
  const known = [...octetsOf.values()].reduce((sum, octets) => sum + octets, 0);
  return [...octetsOf]
    .filter(([, octets]) => octets >= (LEAST_PART * known) / octetsOf.size)
    .map(([flow, octets]) => ({ flow: names[flow]?.name ?? '', share: octets / total }))
    .sort((a, b) => b.share - a.share || (a.flow < b.flow ? -1 : 1));
}

/** One that fills less may still be what makes it too much. */
const LEAST_PART = 1 / 3;

/** Flows of other classes that take the link of a port. */
function outrunning({ port, priority }: Episode, { flows, names, precedes }: Passers): Culprit[] {
  const passing = flows.get(port) ?? [];
  const total = passing.reduce((sum, { octets }) => sum + octets, 0);
  const taking = passing.filter(
    ({ priority: own, octets }) => octets > 0 && precedes(port, own, priority ?? own),
  );
  const octetsOf = new Map(taking.map(({ flow, octets }) => [flow, octets]));
  return culpritsOf(octetsOf, total, { names });
}

interface Filled extends Passers {
  /** Flows that fill the root, and those that were seen in it. */
  readonly filling: ReadonlySet<string>;
  readonly inQueue: ReadonlySet<number>;
}

function victimsOf(
  roots: readonly Episode[],
  holds: readonly Episode[],
  nowPs: number,
  { flows, deadlocks, filling, inQueue, names }: Filled,
): string[] {
  const { port: rootPort, device: rootDevice, reason } = roots[0]!;
  const blocked = grouped(holds, ({ port }) => port);
  // A tree at the ports of a ring is the deadlock, or how it came about.
  const rings = deadlocks.filter(({ ring }) =>
    ring.some(({ egress }) => egress === rootPort || blocked.has(egress)),
  );
  const waits = (flow: FlowOnPath, { priority, startPs, endPs }: Episode): boolean => {
    const isSame = priority === null || priority === flow.priority;
    return isSame && startPs < flow.endPs && (endPs ?? nowPs) > flow.startPs;
  };
  // What a host does not read keeps others from sending. Where a queue was not looked into, whoever
  // passes it may have filled it, unless a fault did.
  const isOwn = ({ ports, to }: FlowOnPath): boolean =>
    to === rootDevice || (filling.size === 0 && reason !== 'fault' && ports.has(rootPort));
  const found = new Set<FlowOnPath>();
  for (const [port, there] of blocked) {
    for (const flow of flows.get(port) ?? []) {
      if (found.has(flow) || filling.has(flow.name) || isOwn(flow)) continue;
      if (there.some((hold) => waits(flow, hold))) found.add(flow);
    }
  }
  if (reason === 'fault' && roots[0]!.kind !== 'full') {
    for (const flow of flows.get(rootPort) ?? []) {
      if (!filling.has(flow.name) && roots.some((root) => waits(flow, root))) found.add(flow);
    }
  }
  for (const flow of inQueue) {
    const own = names[flow];
    if (own !== undefined && !filling.has(own.name)) found.add(own);
  }
  return [...found]
    .filter(({ ports }) => !rings.some((ring) => isOfRing(ports, ring)))
    .sort((a, b) => a.flow - b.flow)
    .map(({ name }) => name);
}

/** Hundreds of pauses of one account are one line, with what they caused together. */
function branchesOf(episodes: readonly Episode[], children: Children, nowPs: number): Branch[] {
  const places = grouped(
    episodes,
    ({ kind, port, priority }) => `${kind} ${port} ${priority ?? ''}`,
  );
  const branches = [...places.values()].map((same): Branch => {
    const [{ kind, port, priority, mechanism }] = same as [Episode];
    const next = same.flatMap(({ id }) => children.get(id) ?? []);
    return {
      kind,
      port,
      priority,
      mechanism,
      times: same.length,
      totalPs: same.reduce((sum, { startPs, endPs }) => sum + (endPs ?? nowPs) - startPs, 0),
      frameTimePs: same.reduce((sum, { frameTimePs }) => sum + frameTimePs, 0),
      branches: branchesOf(next, children, nowPs),
    };
  });
  return branches.sort((a, b) => b.totalPs - a.totalPs || (a.port < b.port ? -1 : 1));
}
