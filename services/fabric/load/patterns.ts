import { RandomStream } from '../../engine/kernel/random.js';
import type { HostSelector, LoadSection } from '../scenario/scenario.js';
import { didYouMean } from '../../settings/errors.js';
import type { LoadEntry } from './load-entry.js';
import { steadyRelease, streamRelease } from './release.js';

/** Loads that are defined by their pairs of source and destination. */

type Section<Kind extends LoadSection['kind']> = Extract<LoadSection, { kind: Kind }>;

export function expandStream(entry: LoadEntry, section: Section<'stream'>): void {
  if (section.bytes !== null) entry.checkBytes(['bytes'], section.bytes);
  const volume = entry.volume(section.bytes);
  const group = section.group ? groupOf(entry, section.to) : null;
  const pairs =
    group === null
      ? pairUp(entry, section)
      : entry.hosts('from', section.from).map((source) => [source, group] as const);
  entry.announce(pairs.length);
  for (const [source, destination] of pairs) {
    const release = streamRelease(entry, section, source);
    entry.add(source, destination, { ...volume, release, group: section.group });
  }
}

export function expandIncast(entry: LoadEntry, section: Section<'incast'>): void {
  entry.checkBytes(['bytes'], section.bytes);
  const destinations = entry.hosts('to', [section.to]);
  if (destinations.length > 1) throw entry.fail(['to'], 'an incast has one destination');
  const to = destinations[0]!;
  const sources = othersThan(entry, to, 'from', section.from);
  entry.announce(sources.length);
  for (const source of sources) entry.add(source, to, entry.volume(section.bytes));
}

export function expandPermutation(entry: LoadEntry, section: Section<'permutation'>): void {
  if (section.bytes !== null) entry.checkBytes(['bytes'], section.bytes);
  const hosts = entry.hostsAmong(section.hosts);
  entry.announce(hosts.length);
  const targets =
    section.shift === null
      ? derangement(hosts.length, new RandomStream(entry.context.seed, entry.label))
      : shifted(entry, hosts.length, section.shift);
  hosts.forEach((source, i) => {
    const release = steadyRelease(entry, section.rate, source);
    entry.add(source, hosts[targets[i]!]!, { ...entry.volume(section.bytes), release });
  });
}

export function expandAllToAll(entry: LoadEntry, section: Section<'all-to-all'>): void {
  entry.checkBytes(['bytes'], section.bytes);
  const hosts = entry.hostsAmong(section.hosts);
  entry.announce(hosts.length * (hosts.length - 1));
  // Host i sends to i + 1 first, and so on: the first flows of all hosts have different
  // destinations.
  for (let distance = 1; distance < hosts.length; distance++) {
    hosts.forEach((source, i) => {
      const destination = hosts[(i + distance) % hosts.length]!;
      entry.add(source, destination, entry.volume(section.bytes));
    });
  }
}

/** One to one in the order given, all to one, or one to all. */
function pairUp(
  entry: LoadEntry,
  { from, to }: Section<'stream'>,
): (readonly [source: number, destination: number])[] {
  const [sources, destinations] = [entry.hosts('from', from), entry.hosts('to', to)];
  if (sources.length === destinations.length) {
    return sources.map((source, i) => [source, destinations[i]!]);
  }
  if (destinations.length === 1) {
    const destination = destinations[0]!;
    return othersThan(entry, destination, 'from', from).map((source) => [source, destination]);
  }
  if (sources.length === 1) {
    const source = sources[0]!;
    return othersThan(entry, source, 'to', to).map((destination) => [source, destination]);
  }
  throw entry.fail(
    ['to'],
    `${sources.length} sources and ${destinations.length} destinations: ` +
      'there must be as many of the one as of the other, or one of either',
  );
}

/** The host at the other end is left out of globs and ranges; to name it there is a mistake. */
function othersThan(entry: LoadEntry, host: number, key: string, selector: HostSelector): number[] {
  const name = entry.nameOf(host);
  if (selector.includes(name)) throw entry.fail([key], `${name} would send to itself`);
  const others = entry.hosts(key, selector).filter((other) => other !== host);
  if (others.length === 0) throw entry.fail([key], `${name} would send to itself`);
  return others;
}

function groupOf(entry: LoadEntry, names: HostSelector): number {
  if (entry.section.transport.kind !== 'raw') {
    throw entry.fail(['transport'], 'only raw frames can be sent to a group');
  }
  const [name = ''] = names;
  const known = entry.context.groups.map((group) => group.name);
  const group = known.indexOf(name);
  if (names.length !== 1) throw entry.fail(['to'], 'a stream goes to one group');
  if (group < 0) throw entry.fail(['to'], `there is no group ${name}${didYouMean(name, known)}`);
  return group;
}

function shifted(entry: LoadEntry, count: number, shift: number): number[] {
  if (shift % count === 0) {
    throw entry.fail(
      ['shift'],
      `with a shift of ${shift}, ${count} hosts would send to themselves`,
    );
  }
  const forward = ((shift % count) + count) % count;
  return Array.from({ length: count }, (_, i) => (i + forward) % count);
}

/** A random permutation without fixed points; all such permutations are equally likely. */
function derangement(count: number, random: RandomStream): number[] {
  const order = Array.from({ length: count }, (_, i) => i);
  // One order in e has no fixed point, so few tries are needed.
  do random.shuffle(order);
  while (order.some((target, i) => target === i));
  return order;
}
