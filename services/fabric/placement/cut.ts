import type { Topology } from '../topology/topology.js';
import { hostCount } from '../topology/topology.js';
import { Division } from './division.js';

/** Parts may have so much more than their share of the work if that cuts fewer links. */
const TOLERANCE = 1.05;

/**
 * Devices in so many groups with few links between them and about equal work. There are two initial
 * divisions, both of which use the structure of usual fabrics; the better one after refinement is
 * taken. `most`: no group may have more work than that.
 */
export function cut(
  topology: Topology,
  parts: number,
  workOf: (device: number) => number,
  most = 0,
): number[][] {
  const neighbors = neighborsIn(topology);
  const work = topology.devices.map((_, device) => workOf(device));
  const tiers = tiersOf(topology, neighbors);
  const divide = (partOf: number[]): Division => new Division({ neighbors, work }, partOf, parts);
  const line = divide(evenly(inNeighborhoods(topology, tiers), work, parts));
  const share = (work.reduce((sum, one) => sum + one, 0) / parts) * TOLERANCE;
  const limit = most > 0 ? most : Math.max(share, line.heaviest);
  line.refine(limit);
  const spread = divide(withTopsSpread(topology, tiers, neighbors, work, parts));
  if (spread.heaviest > limit) return line.groups();
  spread.refine(limit);
  return (spread.cut < line.cut ? spread : line).groups();
}

function neighborsIn({ devices, links }: Topology): number[][] {
  const neighbors: number[][] = devices.map(() => []);
  for (const { a, b } of links) {
    neighbors[a.device]!.push(b.device);
    neighbors[b.device]!.push(a.device);
  }
  return neighbors;
}

/** A switch with its neighbors that are nearer to a host, and the others. */
interface Tiered {
  readonly device: number;
  readonly nearer: readonly number[];
  readonly isTop: boolean;
}

/** Every switch, the nearest to hosts first. */
function tiersOf(topology: Topology, neighbors: readonly (readonly number[])[]): Tiered[] {
  const hosts = hostCount(topology);
  const distance = topology.devices.map((_, device) => (device < hosts ? 0 : Infinity));
  const reached = topology.devices.map((_, device) => device).slice(0, hosts);
  for (const device of reached) {
    for (const next of neighbors[device]!) {
      if (distance[next] !== Infinity) continue;
      distance[next] = distance[device]! + 1;
      reached.push(next);
    }
  }
  return reached.slice(hosts).map((device) => {
    const nearer = neighbors[device]!.filter((next) => distance[next]! < distance[device]!);
    const isTop = distance[device]! > 1 && nearer.length === neighbors[device]!.length;
    return { device, nearer, isTop };
  });
}

/**
 * Devices in a line so that links are short: hosts in their order, each switch in the middle of
 * what is below it. Cutting this line anywhere cuts few links of the usual fabrics.
 */
function inNeighborhoods(topology: Topology, tiers: readonly Tiered[]): number[] {
  const hosts = hostCount(topology);
  const position = topology.devices.map((_, device) => (device < hosts ? device : NaN));
  const mean = (devices: readonly number[]): number =>
    devices.reduce((sum, device) => sum + position[device]!, 0) / devices.length;
  for (const { device, nearer } of tiers) position[device] = mean(nearer);
  const switchOf = new Map(tiers.flatMap(({ device, nearer }) => nearer.map((n) => [n, device])));
  const key = (device: number): number =>
    device < hosts ? position[switchOf.get(device) ?? device]! : position[device]!;
  const order = topology.devices.map((_, device) => device);
  return order.sort((a, b) => key(a) - key(b) || a - b);
}

/** The part of every device of a line, cut so that the work on both sides is equal. */
function evenly(line: readonly number[], work: readonly number[], parts: number): number[] {
  const total = line.reduce((sum, device) => sum + work[device]!, 0);
  const partOf: number[] = [];
  let before = 0;
  for (const device of line) {
    const middle = before + work[device]! / 2;
    partOf[device] = Math.floor((middle / total) * parts);
    before += work[device]!;
  }
  return partOf;
}

/** Without the topmost switches, which are assigned to the parts with the least work then. */
function withTopsSpread(
  topology: Topology,
  tiers: readonly Tiered[],
  neighbors: readonly (readonly number[])[],
  work: readonly number[],
  parts: number,
): number[] {
  const tops = new Set(tiers.filter(({ isTop }) => isTop).map(({ device }) => device));
  const rest = inNeighborhoods(topology, tiers).filter((device) => !tops.has(device));
  const partOf = evenly(rest, work, parts);
  const load = Array.from({ length: parts }, () => 0);
  for (const device of rest) load[partOf[device]!]! += work[device]!;
  for (const top of tops) {
    const links = Array.from({ length: parts }, () => 0);
    for (const below of neighbors[top]!) links[partOf[below]!]!++;
    const isBetter = (a: number, b: number): boolean =>
      load[a]! < load[b]! || (load[a] === load[b] && links[a]! > links[b]!);
    const best = load.reduce((found, _, part) => (isBetter(part, found) ? part : found), 0);
    partOf[top] = best;
    load[best]! += work[top]!;
  }
  return partOf;
}
