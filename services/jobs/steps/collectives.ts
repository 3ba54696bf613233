import type { Step } from '../graph.js';
import type { Weaver } from './weaver.js';

/** A collective of a group: where its vector goes, in which order. */
interface Collective {
  readonly weaver: Weaver;
  /** Ranks, in the order of the group. */
  readonly group: readonly number[];
  /** Octets of the whole vector. */
  readonly octets: number;
}

interface Algorithm {
  readonly weave: (collective: Collective) => void;
  /** Of one vector among so many ranks. */
  readonly messages: (ranks: number) => number;
}

interface CollectiveKind {
  readonly help: string;
  /** By name; the first is the usual one. */
  readonly algorithms: Readonly<Record<string, Algorithm>>;
  /** Bandwidth of the bus over that of the algorithm, as nccl-tests print it. */
  readonly busFactor: (ranks: number) => number;
}

const roundTheRing = (n: number): number => n * (n - 1);
const rounds = (n: number): number => Math.ceil(Math.log2(n));

/**
 * Collectives as messages between ranks: what a rank may send depends on what it has received.
 * Schedules are those that MPI, NCCL and ASTRA-sim use under these names.
 */
export const COLLECTIVES: Readonly<Record<string, CollectiveKind>> = {
  'all-reduce': {
    help: 'All ranks have the sum of their vectors.',
    algorithms: {
      ring: { weave: allReduceRing, messages: (n) => 2 * roundTheRing(n) },
      'halving-doubling': { weave: halvingDoubling, messages: (n) => 2 * n * rounds(n) },
      tree: { weave: doubleTree, messages: (n) => 4 * (n - 1) },
    },
    busFactor: (n) => (2 * (n - 1)) / n,
  },
  'reduce-scatter': {
    help: 'Each rank has its part of the sum of all vectors.',
    algorithms: { ring: { weave: (one) => void ring(one, 1), messages: roundTheRing } },
    busFactor: (n) => (n - 1) / n,
  },
  'all-gather': {
    help: 'All ranks have the parts of all; the size is that of the whole.',
    algorithms: { ring: { weave: (one) => void ring(one, 0), messages: roundTheRing } },
    busFactor: (n) => (n - 1) / n,
  },
  'all-to-all': {
    help: 'Each rank sends its part to each other; the size is that of the vector of a rank.',
    algorithms: {
      direct: { weave: allToAllDirect, messages: roundTheRing },
      pairwise: { weave: allToAllPairwise, messages: roundTheRing },
    },
    busFactor: (n) => (n - 1) / n,
  },
  broadcast: {
    help: 'All ranks have the vector of the first.',
    algorithms: { binomial: { weave: (one) => void broadcast(one), messages: (n) => n - 1 } },
    busFactor: () => 1,
  },
  reduce: {
    help: 'The first rank has the sum of all vectors.',
    algorithms: { binomial: { weave: reduce, messages: (n) => n - 1 } },
    busFactor: () => 1,
  },
  barrier: {
    help: 'No rank goes on before all are there.',
    algorithms: { dissemination: { weave: barrier, messages: (n) => n * rounds(n) } },
    busFactor: () => 1,
  },
};

/** Adds a collective to a job, cut into so many vectors that follow each other. */
export function weaveCollective(weaver: Weaver, step: Step, how: Schedule): void {
  weaver.collective(step, () => {
    weaveMessages(weaver, step, how);
  });
}

interface Schedule {
  readonly algorithm: string;
  readonly chunks: number;
}

/** The messages of a collective that has begun. */
export function weaveMessages(
  weaver: Weaver,
  { kind, group, octets }: Step,
  { algorithm, chunks }: Schedule,
): void {
  if (group.length < 2) return;
  const { weave, messages } = COLLECTIVES[kind]!.algorithms[algorithm]!;
  weaver.expect(messages(group.length) * chunks);
  for (const part of partsOf(octets, chunks)) weave({ weaver, group, octets: part });
}

/** A vector in parts, as equal as whole octets allow: their sum is the vector. */
export function partsOf(octets: number, parts: number): number[] {
  const full = Math.ceil(octets / parts);
  return Array.from({ length: parts }, (_, part) =>
    Math.max(0, Math.min(full, octets - part * full)),
  );
}

/**
 * Part by part around the ring, n - 1 steps: what is sent in a step was received in the one
 * before. `shift` is which part a rank begins with: 0 its own (gathering), 1 the one before.
 * Returns the last receive of each.
 */
function ring({ weaver, group, octets }: Collective, shift: number, from?: number[]): number[] {
  const n = group.length;
  const parts = partsOf(octets, n);
  let received: number[] = from ?? [];
  for (let step = 0; step < n - 1; step++) {
    const next: number[] = [];
    for (let i = 0; i < n; i++) {
      const [to, part] = [(i + 1) % n, (i - step - shift + 2 * n) % n];
      next[to] = weaver.message(group[i]!, group[to]!, parts[part]!, received[i]);
    }
    received = next;
  }
  return received;
}

/** Reduces part by part around the ring, then gathers: 2 (n - 1) steps without a break. */
function allReduceRing(collective: Collective): void {
  // After n - 1 steps of parts i, i - 1, … rank i has the sum of part i + 1.
  const reduced = ring(collective, 0);
  ring(collective, -1, reduced);
}

/** Recursive halving, then doubling (Rabenseifner, 2004), for a power of two of ranks. */
function halvingDoubling({ weaver, group, octets }: Collective): void {
  const n = group.length;
  const steps = Math.log2(n);
  const order = Array.from({ length: steps }, (_, step) => step);
  let ready: number[] = [];
  for (const step of [...order, ...order.toReversed()]) {
    const distance = n >> (step + 1);
    const next: number[] = [];
    for (let i = 0; i < n; i++) {
      const size = Math.ceil(octets / 2 ** (step + 1));
      const other = i ^ distance;
      next[other] = weaver.message(group[i]!, group[other]!, size, ready[i]);
    }
    // Everything that a rank has received so far is part of what it sends.
    const before = ready;
    ready = next.map((receive, i) => joined(weaver, group[i]!, receive, before[i]));
  }
}

/** A rank in a tree: its parent, and its children. */
interface TreePlace {
  readonly parent: number | null;
  readonly children: readonly number[];
}

/**
 * NCCL's binary tree (NCCL 5067397, trees.cc): the parent of a rank has its lowest set bit moved up
 * by one place, and rank 0 has one child, the highest power of two below n.
 */
export function binaryTree(rank: number, n: number): TreePlace {
  if (rank === 0) {
    let child = 1;
    while (child * 2 < n) child *= 2;
    return { parent: null, children: n > 1 ? [child] : [] };
  }
  const bit = rank & -rank;
  const raised = (rank ^ bit) | (bit << 1);
  const parent = raised >= n ? rank ^ bit : raised;
  const children: number[] = [];
  if (bit > 1) {
    const low = bit >> 1;
    children.push(rank - low);
    let up = low;
    while (up > 0 && rank + up >= n) up >>= 1;
    if (up > 0) children.push(rank + up);
  }
  return { parent, children };
}

/** Of the second tree: mirrored for an even number of ranks, else shifted by one. */
function secondTree(rank: number, n: number): TreePlace {
  const [to, back] =
    n % 2 === 0
      ? [(one: number) => n - 1 - one, (one: number) => n - 1 - one]
      : [(one: number) => (one - 1 + n) % n, (one: number) => (one + 1) % n];
  const { parent, children } = binaryTree(to(rank), n);
  return { parent: parent === null ? null : back(parent), children: children.map(back) };
}

/** Half of the vector in each of two trees, in which no rank is inner twice. */
function doubleTree({ weaver, group, octets }: Collective): void {
  const [first, second] = partsOf(octets, 2);
  treeAllReduce({ weaver, group, octets: first! }, binaryTree);
  if (second! > 0) treeAllReduce({ weaver, group, octets: second! }, secondTree);
}

/** Sums go up a tree to its root, and the result goes down again. */
function treeAllReduce(
  { weaver, group, octets }: Collective,
  placeOf: (rank: number, n: number) => TreePlace,
): void {
  const n = group.length;
  const places = group.map((_, i) => placeOf(i, n));
  const up = (i: number): number => {
    const sums = places[i]!.children.map((child) =>
      weaver.message(group[child]!, group[i]!, octets, up(child)),
    );
    return sums.length === 0 ? -1 : weaver.join(group[i]!, sums);
  };
  const down = (i: number, result: number): void => {
    for (const child of places[i]!.children) {
      down(child, weaver.message(group[i]!, group[child]!, octets, result));
    }
  };
  const root = places.findIndex(({ parent }) => parent === null);
  down(root, up(root));
}

/** To every other at once, the next in the group first. */
function allToAllDirect({ weaver, group, octets }: Collective): void {
  const n = group.length;
  const parts = partsOf(octets, n);
  for (let step = 1; step < n; step++) {
    for (let i = 0; i < n; i++) {
      const to = (i + step) % n;
      weaver.message(group[i]!, group[to]!, parts[to]!);
    }
  }
}

/** With one other at a time; the next one when both messages are done. */
function allToAllPairwise({ weaver, group, octets }: Collective): void {
  const n = group.length;
  const parts = partsOf(octets, n);
  const isPower = (n & (n - 1)) === 0;
  let ready: number[] = [];
  for (let step = 1; step < n; step++) {
    const next: number[] = [];
    for (let i = 0; i < n; i++) {
      const to = isPower ? i ^ step : (i + step) % n;
      next[to] = weaver.message(group[i]!, group[to]!, parts[to]!, ready[i]);
    }
    ready = next;
  }
}

/** Rank i receives from i without its highest bit; returns the receives. */
function broadcast({ weaver, group, octets }: Collective): number[] {
  const n = group.length;
  const received: number[] = [];
  for (let distance = 1; distance < n; distance *= 2) {
    for (let i = 0; i < distance && i + distance < n; i++) {
      received[i + distance] = weaver.message(group[i]!, group[i + distance]!, octets, received[i]);
    }
  }
  return received;
}

/** The broadcast backwards. */
function reduce({ weaver, group, octets }: Collective): void {
  const n = group.length;
  const sums: number[] = [];
  let distance = 1;
  while (distance * 2 < n) distance *= 2;
  for (; distance >= 1; distance /= 2) {
    for (let i = 0; i < distance && i + distance < n; i++) {
      const receive = weaver.message(group[i + distance]!, group[i]!, octets, sums[i + distance]);
      sums[i] = joined(weaver, group[i]!, receive, sums[i]);
    }
  }
}

/** What a rank has received now, and before. */
function joined(weaver: Weaver, rank: number, now: number, before: number | undefined): number {
  return before === undefined ? now : weaver.join(rank, [before, now]);
}

/** In round k to rank i + 2^k, after what rank i - 2^k has sent. */
function barrier({ weaver, group }: Collective): void {
  const n = group.length;
  let ready: number[] = [];
  for (let distance = 1; distance < n; distance *= 2) {
    const next: number[] = [];
    for (let i = 0; i < n; i++) {
      const to = (i + distance) % n;
      next[to] = weaver.message(group[i]!, group[to]!, 0, ready[i]);
    }
    const before = ready;
    ready = next.map((receive, i) => joined(weaver, group[i]!, receive, before[i]));
  }
}
