import type { Congestion, Deadlock, Episode } from './congestion.js';

/** A flow as trees use it: its duration, and the egress ports of its frames. */
export interface FlowOnPath {
  readonly name: string;
  readonly priority: number;
  readonly startPs: number;
  readonly endPs: number;
  readonly ports: ReadonlySet<string>;
}

/** An episode without a cause, and all that followed from it. */
export interface CongestionTree {
  readonly root: Episode;
  /** When the last of it cleared; null: not yet. */
  readonly clearedPs: number | null;
  readonly episodes: number;
  /** Ports and devices that were reached, and the number of links it spread over. */
  readonly ports: number;
  readonly devices: number;
  readonly depth: number;
  readonly frameTimePs: number;
  /** Flows that were paused and do not pass the root, without those that close a deadlock. */
  readonly victims: readonly string[];
  readonly branches: readonly Branch[];
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
 * The congestion trees of a run, the worst first: by aggregate blocked time, then by duration, then
 * by start.
 */
export function congestionTrees(
  { episodes, deadlocks }: Pick<Congestion, 'episodes' | 'deadlocks'>,
  nowPs: number,
  flows: readonly FlowOnPath[],
): CongestionTree[] {
  const children = childrenOf(episodes);
  const trees = episodes
    .filter(({ parent }) => parent === null)
    .map((root) => treeOf(root, children, nowPs, { flows, deadlocks }));
  return trees.sort(
    (a, b) =>
      b.frameTimePs - a.frameTimePs ||
      b.episodes - a.episodes ||
      a.root.startPs - b.root.startPs ||
      (a.root.id < b.root.id ? -1 : 1),
  );
}

/** By episode: the root of the tree that it belongs to. */
export function rootsOf(episodes: readonly Episode[]): Map<string, Episode> {
  const roots = new Map<string, Episode>();
  const queue = episodes.filter(({ parent }) => parent === null);
  const children = childrenOf(episodes);
  for (const root of queue) for (const { id } of membersOf(root, children)) roots.set(id, root);
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

/** What decides on victims. */
interface Passers {
  readonly flows: readonly FlowOnPath[];
  readonly deadlocks: readonly Deadlock[];
}

type Children = ReadonlyMap<string, readonly Episode[]>;

function childrenOf(episodes: readonly Episode[]): Children {
  const children = new Map<string, Episode[]>();
  for (const episode of episodes) {
    if (episode.parent === null) continue;
    const siblings = children.get(episode.parent);
    if (siblings === undefined) children.set(episode.parent, [episode]);
    else siblings.push(episode);
  }
  return children;
}

function treeOf(
  root: Episode,
  children: Children,
  nowPs: number,
  passers: Passers,
): CongestionTree {
  const all = membersOf(root, children);
  const ends = all.map(({ endPs }) => endPs ?? Infinity);
  const cleared = ends.reduce((a, b) => Math.max(a, b), 0);
  const holds = all.filter(({ kind }) => kind === 'blocked');
  return {
    root,
    clearedPs: cleared === Infinity ? null : cleared,
    episodes: all.length,
    ports: new Set(all.map(({ port }) => port)).size,
    devices: new Set(all.map(({ device }) => device)).size,
    depth: depthOf(root, children),
    frameTimePs: holds.reduce((sum, { frameTimePs }) => sum + frameTimePs, 0),
    victims: victimsOf(root, holds, nowPs, passers),
    branches: branchesOf(children.get(root.id) ?? [], children, nowPs),
  };
}

function membersOf(root: Episode, children: Children): Episode[] {
  const all = [root];
  for (let i = 0; i < all.length; i++) {
    for (const child of children.get(all[i]!.id) ?? []) all.push(child);
  }
  return all;
}

/** Links that it spread over: holds, one behind the other. */
function depthOf(root: Episode, children: Children): number {
  let level: readonly Episode[] = [root];
  let depth = 0;
  while (level.length > 0) {
    if (level.some(({ kind }) => kind === 'blocked')) depth++;
    level = level.flatMap(({ id }) => children.get(id) ?? []);
  }
  return depth;
}

function victimsOf(
  root: Episode,
  holds: readonly Episode[],
  nowPs: number,
  { flows, deadlocks }: Passers,
): string[] {
  const blocked = new Map<string, Episode[]>();
  for (const hold of holds) blocked.set(hold.port, [...(blocked.get(hold.port) ?? []), hold]);
  const isBlocked = (flow: FlowOnPath): boolean =>
    [...flow.ports].some((port) =>
      blocked.get(port)?.some(({ priority, startPs, endPs }) => {
        const isSame = priority === null || priority === flow.priority;
        return isSame && startPs < flow.endPs && (endPs ?? nowPs) > flow.startPs;
      }),
    );
  // A tree at the ports of a ring is the deadlock, or how it came about.
  const rings = deadlocks.filter(({ ring }) =>
    ring.some(({ egress }) => egress === root.port || blocked.has(egress)),
  );
  return flows
    .filter(({ ports }) => !ports.has(root.port) && !rings.some((ring) => isOfRing(ports, ring)))
    .filter(isBlocked)
    .map(({ name }) => name);
}

/** Hundreds of pauses of one account are one line, with what they caused together. */
function branchesOf(episodes: readonly Episode[], children: Children, nowPs: number): Branch[] {
  const places = new Map<string, Episode[]>();
  for (const episode of episodes) {
    const place = `${episode.kind} ${episode.port} ${episode.priority ?? ''}`;
    const same = places.get(place);
    if (same === undefined) places.set(place, [episode]);
    else same.push(episode);
  }
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
