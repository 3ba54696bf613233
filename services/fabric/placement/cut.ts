import type { Topology } from '../topology/topology.js';
import { hostCount } from '../topology/topology.js';
import { Division } from './division.js';

/** Parts may have so much more than their share of the work if that cuts fewer links. */
const TOLERANCE = 1.05;

/**
 * Devices in so many groups that few links are between them and the work of each is about equal.
 * There are two ways to begin, both of which know what fabrics look like; what is better after
 * refinement is taken. `most`: no group may have more work than that.
 */
export function cut(
  topology: Topology,
  parts: number,
  workOf: (device: number) => number,
  most = 0,
): number[][] {
  const neighbours = neighboursIn(topology);
  const work = topology.devices.map((_, device) => workOf(device));
  const tiers = tiersOf(topology, neighbours);
  const divide = (partOf: number[]): Division => new Division({ neighbours, work }, partOf, parts);
  const line = divide(evenly(inNeighbourhoods(topology, tiers), work, parts));
  const share = (work.reduce((sum, one) => sum + one, 0) / parts) * TOLERANCE;
  const limit = most > 0 ? most : Math.max(share, line.heaviest);
  line.refine(limit);
  const spread = divide(withTopsSpread(topology, tiers, neighbours, work, parts));
  if (spread.heaviest > limit) return line.groups();
  spread.refine(limit);
  return (spread.cut < line.cut ? spread : line).groups();
}

function neighboursIn({ devices, links }: Topology): number[][] {
  const neighbours: number[][] = devices.map(() => []);
  for (const { a, b } of links) {
    neighbours[a.device]!.push(b.device);
    neighbours[b.device]!.push(a.device);
  }
  return neighbours;
}

/** A switch with its neighbours that are nearer to a host, and those that are not. */
interface Tiered {
  readonly device: number;
  readonly nearer: readonly number[];
  readonly isTop: boolean;
}

/** Every switch, the nearest to hosts first. */
function tiersOf(topology: Topology, neighbours: readonly (readonly number[])[]): Tiered[] {
  const hosts = hostCount(topology);
  const distance = topology.devices.map((_, device) => (device < hosts ? 0 : Infinity));
  const reached = topology.devices.map((_, device) => device).slice(0, hosts);
  for (const device of reached) {
    for (const next of neighbours[device]!) {
      if (distance[next] !== Infinity) continue;
      distance[next] = distance[device]! + 1;
      reached.push(next);
    }
  }
  return reached.slice(hosts).map((device) => {
    const nearer = neighbours[device]!.filter((next) => distance[next]! < distance[device]!);
    const isTop = distance[device]! > 1 && nearer.length === neighbours[device]!.length;
    return { device, nearer, isTop };
  });
}

/**
 * Devices in a line so that cables are short: hosts in their order, each switch in the middle of
 * what hangs below it. Cutting this line anywhere cuts few links of the usual fabrics.
 */
function inNeighbourhoods(topology: Topology, tiers: readonly Tiered[]): number[] {
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

/** The part of every device of a line, cut where the work on both sides is equal. */
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

/** Without the topmost switches, which are dealt out to the parts that are lightest then. */
function withTopsSpread(
  topology: Topology,
  tiers: readonly Tiered[],
  neighbours: readonly (readonly number[])[],
  work: readonly number[],
  parts: number,
): number[] {
  const tops = new Set(tiers.filter(({ isTop }) => isTop).map(({ device }) => device));
  const rest = inNeighbourhoods(topology, tiers).filter((device) => !tops.has(device));
  const partOf = evenly(rest, work, parts);
  const load = Array.from({ length: parts }, () => 0);
  for (const device of rest) load[partOf[device]!]! += work[device]!;
  for (const top of tops) {
    const links = Array.from({ length: parts }, () => 0);
    for (const below of neighbours[top]!) links[partOf[below]!]!++;
    const isBetter = (a: number, b: number): boolean =>
      load[a]! < load[b]! || (load[a] === load[b] && links[a]! > links[b]!);
    const best = load.reduce((found, _, part) => (isBetter(part, found) ? part : found), 0);
    partOf[top] = best;
    load[best]! += work[top]!;
  }
  return partOf;
}
