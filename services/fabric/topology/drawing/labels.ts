import type { Topology, TopologyLink } from '../topology.js';
import { hostCount } from '../topology.js';

/** Links between the same tiers with the same rate and delay. */
export interface LinkClass {
  readonly count: number;
  /** `leaf - spine`, the tier nearer to hosts first. */
  readonly tiers: string;
  readonly rate: string;
  readonly delay: string;
  readonly rateBps: number;
}

/** `12 hosts, 6 switches, 20 links` */
export function sizeLabel(topology: Topology): string {
  const hosts = hostCount(topology);
  return [
    counted(hosts, 'host', 'hosts'),
    counted(topology.devices.length - hosts, 'switch', 'switches'),
    counted(topology.links.length, 'link', 'links'),
  ].join(', ');
}

/** In the order in which they first occur. */
export function linkClasses(topology: Topology, layers: readonly number[]): LinkClass[] {
  const classes = new Map<string, LinkClass>();
  for (const link of topology.links) {
    const ends = [link.a.device, link.b.device].sort((a, b) => layers[a]! - layers[b]!);
    const tiers = ends.map((device) => topology.devices[device]!.tier).join(' - ');
    const key = [tiers, link.rateBps, link.propagationPs].join();
    const count = (classes.get(key)?.count ?? 0) + 1;
    classes.set(key, { count, tiers, ...linkLabel(link), rateBps: link.rateBps });
  }
  return [...classes.values()];
}

export function linkLabel(link: TopologyLink): { rate: string; delay: string } {
  return {
    rate: scaled(link.rateBps, ['b/s', 'kb/s', 'Mb/s', 'Gb/s', 'Tb/s']),
    delay: scaled(link.propagationPs, ['ps', 'ns', 'us', 'ms', 's']),
  };
}

/** Names in a row, short: `h1..h4 spine1 agg1,agg3..agg7`. */
export function shortNames(names: readonly string[]): string {
  const parts: string[] = [];
  for (let start = 0; start < names.length;) {
    const length = progressionLength(names, start);
    const [first, second, last] = [start, start + 1, start + length - 1].map((i) => names[i]!);
    if (length < 3) parts.push(first!);
    else if (numberOf(second!) === numberOf(first!) + 1) parts.push(`${first!}..${last!}`);
    else parts.push(`${first!},${second!}..${last!}`);
    start += length < 3 ? 1 : length;
  }
  return parts.join(' ');
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function scaled(value: number, units: readonly string[]): string {
  const powers = units.findLastIndex((_, power) => value >= 1000 ** power);
  const power = Math.max(0, powers);
  return `${value / 1000 ** power} ${units[power]!}`;
}

/** Number of names from here on with one prefix and numbers at the same distance. */
function progressionLength(names: readonly string[], start: number): number {
  const prefix = prefixOf(names[start]!);
  const step = numberOf(names[start + 1] ?? '') - numberOf(names[start]!);
  let end = start + 1;
  while (
    end < names.length &&
    prefixOf(names[end]!) === prefix &&
    numberOf(names[end]!) - numberOf(names[end - 1]!) === step &&
    step > 0
  ) {
    end++;
  }
  return end - start;
}

function prefixOf(name: string): string {
  return name.replace(/\d+$/, '');
}

/** NaN for a name without a number, which therefore ends a progression. */
function numberOf(name: string): number {
  return Number(/\d+$/.exec(name)?.[0] ?? NaN);
}
