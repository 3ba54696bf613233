import type { Hop } from '../assembly/clusters.js';
import { clustersOf, levelsOf } from '../assembly/clusters.js';
import { Division } from './division.js';

/** Parts may have so much more than their share of the work if that cuts fewer links. */
const TOLERANCE = 1.05;
/** Weight of the shortest link; longer ones weigh less. */
const HEAVIEST_LINK = 1000;

/** Devices that are divided, by their places. Hosts are the first of them. */
export interface CutSite {
  readonly hosts: number;
  /** Of links among them. */
  readonly hops: readonly Hop[];
  /** Never apart. */
  readonly pairs: readonly (readonly [number, number])[];
  readonly work: readonly number[];
}

/**
 * Devices in so many groups with few links between them and about equal work. Clusters stay whole
 * where they can: groups go in step, and a step is as long as the least lookahead between them. It
 * is worth twice the work in the heaviest group if a step is four times as long. `most`: no group
 * may have more work than that.
 */
export function cut(site: CutSite, parts: number, most = 0): readonly number[][] {
  const levels = [...levelsOf(clustersOf(site.work.length, site.hops, site.pairs))];
  const share = total(site.work) / parts;
  let best: Candidate | null = null;
  for (const [level, vertices] of levels.entries()) {
    // The last is as fine as can be.
    const isLast = level === levels.length - 1;
    if (vertices.length < parts && !isLast) continue;
    const candidate = candidateOf(site, vertices, parts, most);
    if (most > 0 && candidate.heaviest > most && !isLast) continue;
    if (best === null || candidate.cost * TOLERANCE < best.cost) best = candidate;
    if (candidate.heaviest <= share * TOLERANCE) break;
  }
  return best!.groups;
}

interface Candidate {
  readonly groups: readonly number[][];
  readonly heaviest: number;
  readonly cost: number;
}

/**
 * There are two initial divisions, both of which use the structure of usual fabrics; the better one
 * after refinement is taken.
 */
function candidateOf(
  site: CutSite,
  vertices: readonly (readonly number[])[],
  parts: number,
  most: number,
): Candidate {
  const graph = graphOf(site, vertices);
  const { work } = graph;
  const divide = (partOf: number[]): Division => {
    fill(partOf, work, parts);
    return new Division(graph, partOf, parts);
  };
  const line = divide(evenly(inNeighborhoods(graph), work, parts));
  const limit = most > 0 ? most : Math.max((total(work) / parts) * TOLERANCE, line.heaviest);
  line.refine(limit);
  const spread = divide(withTopsSpread(graph, parts));
  const isAllowed = spread.heaviest <= limit;
  if (isAllowed) spread.refine(limit);
  const division = isAllowed && spread.cut < line.cut ? spread : line;
  const groups = division
    .groups()
    .map((group) => group.flatMap((vertex) => vertices[vertex]!).sort((a, b) => a - b));
  const { heaviest } = division;
  return { groups, heaviest, cost: heaviest / Math.sqrt(lookaheadBetween(site.hops, groups)) };
}

/** The least of all links whose ends are in different groups. */
export function lookaheadBetween(
  hops: readonly Hop[],
  groups: readonly (readonly number[])[],
): number {
  const groupOf = groupsOf(groups);
  return hops.reduce(
    (least, { from, to, lookaheadPs }) =>
      groupOf[from] === groupOf[to] ? least : Math.min(least, lookaheadPs),
    Infinity,
  );
}

function groupsOf(groups: readonly (readonly number[])[]): number[] {
  const groupOf: number[] = [];
  groups.forEach((devices, group) => {
    for (const device of devices) groupOf[device] = group;
  });
  return groupOf;
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** What is cut: vertices, which are devices or clusters of some; those with hosts are the first. */
interface Graph {
  /** By vertex: the others that it has links to, and how heavy these are. */
  readonly neighbors: readonly ReadonlyMap<number, number>[];
  readonly work: readonly number[];
  /** How many have hosts. */
  readonly grounds: number;
  /** Every other that hosts reach, the nearest to them first. */
  readonly tiers: readonly Tiered[];
}

/** A vertex of switches with its neighbors that are nearer to a host. */
interface Tiered {
  readonly vertex: number;
  readonly nearer: readonly number[];
  readonly isTop: boolean;
}

function graphOf(site: CutSite, vertices: readonly (readonly number[])[]): Graph {
  const vertexOf = groupsOf(vertices);
  const neighbors = vertices.map(() => new Map<number, number>());
  const shortestPs = lookaheadBetween(site.hops, vertices);
  for (const { from, to, lookaheadPs } of site.hops) {
    const [a, b] = [vertexOf[from]!, vertexOf[to]!];
    if (a === b) continue;
    const weight = Math.max(1, Math.round((HEAVIEST_LINK * shortestPs) / lookaheadPs));
    neighbors[a]!.set(b, (neighbors[a]!.get(b) ?? 0) + weight);
    neighbors[b]!.set(a, (neighbors[b]!.get(a) ?? 0) + weight);
  }
  const work = vertices.map((devices) => total(devices.map((device) => site.work[device]!)));
  const grounds = vertices.filter(([first]) => first! < site.hosts).length;
  return { neighbors, work, grounds, tiers: tiersOf(site, vertices, neighbors) };
}

function tiersOf(
  { hosts, hops, work }: CutSite,
  vertices: readonly (readonly number[])[],
  neighbors: readonly ReadonlyMap<number, number>[],
): Tiered[] {
  const linked: number[][] = work.map(() => []);
  for (const { from, to } of hops) linked[from]!.push(to);
  const tierOf = work.map((_, device) => (device < hosts ? 0 : Infinity));
  const reached = work.map((_, device) => device).slice(0, hosts);
  for (const device of reached) {
    for (const next of linked[device]!) {
      if (tierOf[next] !== Infinity) continue;
      tierOf[next] = tierOf[device]! + 1;
      reached.push(next);
    }
  }
  // A cluster of hosts and switches is as high as these.
  const heights = vertices.map((devices) =>
    devices.reduce((highest, device) => Math.max(highest, tierOf[device]!), 0),
  );
  const above = vertices.flatMap(([first], vertex) =>
    first! >= hosts && heights[vertex] !== Infinity ? vertex : [],
  );
  return above
    .sort((a, b) => heights[a]! - heights[b]! || a - b)
    .map((vertex) => {
      const all = [...neighbors[vertex]!.keys()];
      const nearer = all.filter((other) => heights[other]! < heights[vertex]!);
      return { vertex, nearer, isTop: heights[vertex]! > 1 && nearer.length === all.length };
    });
}

/**
 * Vertices in a line so that links are short: those with hosts in their order, each switch in the
 * middle of what is below it. Cutting this line anywhere cuts few links of the usual fabrics.
 */
function inNeighborhoods({ work, grounds, tiers }: Graph): number[] {
  const position = work.map((_, vertex) => (vertex < grounds ? vertex : 0));
  for (const { vertex, nearer } of tiers) {
    const sum = total(nearer.map((other) => position[other]!));
    position[vertex] = nearer.length === 0 ? 0 : sum / nearer.length;
  }
  const switchOf = new Map(tiers.flatMap(({ vertex, nearer }) => nearer.map((n) => [n, vertex])));
  const key = (vertex: number): number =>
    vertex < grounds ? position[switchOf.get(vertex) ?? vertex]! : position[vertex]!;
  return work.map((_, vertex) => vertex).sort((a, b) => key(a) - key(b) || a - b);
}

/** The part of every vertex of a line, cut so that the work on both sides is equal. */
function evenly(line: readonly number[], work: readonly number[], parts: number): number[] {
  const all = total(line.map((vertex) => work[vertex]!));
  const partOf: number[] = [];
  let before = 0;
  for (const vertex of line) {
    const middle = before + work[vertex]! / 2;
    partOf[vertex] = Math.floor((middle / all) * parts);
    before += work[vertex]!;
  }
  return partOf;
}

/** No part stays empty while another has several vertices: that of most work gives one up. */
function fill(partOf: number[], work: readonly number[], parts: number): void {
  const load = Array.from({ length: parts }, () => 0);
  const vertices = Array.from({ length: parts }, (): number[] => []);
  partOf.forEach((part, vertex) => {
    load[part]! += work[vertex]!;
    vertices[part]!.push(vertex);
  });
  for (let part = 0; part < parts; part++) {
    if (vertices[part]!.length > 0) continue;
    const from = load.reduce(
      (most, own, other) =>
        vertices[other]!.length > 1 && (most < 0 || own > load[most]!) ? other : most,
      -1,
    );
    if (from < 0) return;
    const vertex = vertices[from]!.pop()!;
    partOf[vertex] = part;
    vertices[part]!.push(vertex);
    load[from]! -= work[vertex]!;
    load[part]! += work[vertex]!;
  }
}

/** Without the topmost switches, which are assigned to the parts with the least work then. */
function withTopsSpread(graph: Graph, parts: number): number[] {
  const { work, neighbors, tiers } = graph;
  const tops = tiers.flatMap(({ vertex, isTop }) => (isTop ? vertex : []));
  const isTop = new Set(tops);
  const rest = inNeighborhoods(graph).filter((vertex) => !isTop.has(vertex));
  const partOf = evenly(rest, work, parts);
  const load = Array.from({ length: parts }, () => 0);
  for (const vertex of rest) load[partOf[vertex]!]! += work[vertex]!;
  for (const top of tops) {
    const links = Array.from({ length: parts }, () => 0);
    for (const [below, weight] of neighbors[top]!) links[partOf[below]!]! += weight;
    const isBetter = (a: number, b: number): boolean =>
      load[a]! < load[b]! || (load[a] === load[b] && links[a]! > links[b]!);
    const best = load.reduce((found, _, part) => (isBetter(part, found) ? part : found), 0);
    partOf[top] = best;
    load[best]! += work[top]!;
  }
  return partOf;
}
