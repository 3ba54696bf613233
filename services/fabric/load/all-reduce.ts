import type { LoadSection } from '../scenario/scenario.js';
import type { Prerequisite } from './flow.js';
import type { LoadEntry } from './load-entry.js';

/**
 * Reductions of a vector over all hosts, each of which has the result in the end. What a host may
 * send depends on what it has received: message m of a flow is released by message m of those that
 * it is computed from. Parts that are no whole number of octets are rounded up.
 */
export function expandAllReduce(
  entry: LoadEntry,
  section: Extract<LoadSection, { kind: 'all-reduce' }>,
): void {
  const { algorithm, bytes, chunks } = section;
  entry.checkBytes(['bytes'], bytes);
  if (!Number.isInteger(chunks) || chunks < 1) {
    throw entry.fail(['chunks'], `${chunks} chunks; there must be at least one`);
  }
  if (section.transport.kind !== 'reliable') {
    throw entry.fail(['transport'], 'an all-reduce waits for deliveries: it must be reliable');
  }
  const hosts = entry.hostsAmong(section.hosts);
  switch (algorithm) {
    case 'ring':
      ring(entry, hosts, bytes, chunks);
      return;
    case 'halving-doubling':
      halvingDoubling(entry, hosts, bytes, chunks);
      return;
    case 'tree':
      tree(entry, hosts, bytes, chunks);
      return;
  }
}

/**
 * Every host sends a part of the vector to the next in each of N - 1 steps that reduce and N - 1
 * that gather. What is sent in a step was received in the step before: a lead of one step.
 */
function ring(entry: LoadEntry, hosts: readonly number[], bytes: number, chunks: number): void {
  const count = hosts.length;
  entry.announce(count);
  const shape = {
    messages: 2 * (count - 1) * chunks,
    messageBytes: Math.ceil(bytes / (count * chunks)),
  };
  const first = entry.nextPlace;
  hosts.forEach((host, i) => {
    const before = { flow: first + ((i + count - 1) % count), lead: chunks };
    entry.add(host, hosts[(i + 1) % count]!, { ...shape, after: [before] });
  });
}

/**
 * Recursive halving, then doubling (Rabenseifner, 2004): in step s hosts N / 2^(s+1) apart
 * exchange that share of the vector, first to reduce it, then in the opposite order to gather it.
 */
function halvingDoubling(
  entry: LoadEntry,
  hosts: readonly number[],
  bytes: number,
  chunks: number,
): void {
  const count = hosts.length;
  const steps = Math.log2(count);
  if (!Number.isInteger(steps)) {
    throw entry.fail(
      ['hosts'],
      `halving-doubling needs a power of two of hosts, and these are ${count} (ring takes any)`,
    );
  }
  entry.announce(2 * count * steps);
  const order = Array.from({ length: steps }, (_, step) => step);
  const first = entry.nextPlace;
  [...order, ...order.toReversed()].forEach((step, phase) => {
    const distance = count >> (step + 1);
    const messageBytes = Math.ceil(bytes / 2 ** (step + 1) / chunks);
    hosts.forEach((host, i) => {
      // Everything that this host has received so far is part of what it sends.
      const after = Array.from({ length: phase }, (_, earlier) => {
        const earlierStep = earlier < steps ? earlier : 2 * steps - 1 - earlier;
        const partner = i ^ (count >> (earlierStep + 1));
        return { flow: first + earlier * count + partner, lead: 0 };
      });
      entry.add(host, hosts[i ^ distance]!, { messages: chunks, messageBytes, after });
    });
  });
}

/**
 * Up a binary tree for the reduction, and down again with the result; the first host is the root.
 */
function tree(entry: LoadEntry, hosts: readonly number[], bytes: number, chunks: number): void {
  const count = hosts.length;
  entry.announce(2 * (count - 1));
  const shape = { messages: chunks, messageBytes: Math.ceil(bytes / chunks) };
  // The root has no flow of its own in either list.
  const up = entry.nextPlace - 1;
  const down = up + count - 1;
  const fromChildren = (i: number): Prerequisite[] =>
    [2 * i + 1, 2 * i + 2]
      .filter((child) => child < count)
      .map((child) => ({ flow: up + child, lead: 0 }));
  for (let i = 1; i < count; i++) {
    entry.add(hosts[i]!, hosts[(i - 1) >> 1]!, { ...shape, after: fromChildren(i) });
  }
  for (let i = 1; i < count; i++) {
    const parent = (i - 1) >> 1;
    const after = parent === 0 ? fromChildren(0) : [{ flow: down + parent, lead: 0 }];
    entry.add(hosts[parent]!, hosts[i]!, { ...shape, after });
  }
}
