import type { DependencySpec, OperationLists } from '../engine/contract/operations.js';

/**
 * A job: the operations of all its ranks, numbered through rank by rank, and what each waits for.
 * Columns and no objects: a job has millions of operations.
 */
export interface JobGraph extends DependencySpec {
  readonly ranks: number;
  /** By rank, and one more: its first operation. */
  readonly firstOfRank: Int32Array;
  readonly kind: Uint8Array;
  /** Picoseconds of a computation, octets of a message. */
  readonly amount: Float64Array;
  /** The other rank of a send or receive; ANY where a receive takes all. */
  readonly peer: Int32Array;
  /** 32 bits; ANY where a receive takes all. */
  readonly tag: Int32Array;
  /** The stream of its rank that a computation takes; -1: none. */
  readonly stream: Int32Array;
  /** By operation: the step of the job that it belongs to; -1: none. */
  readonly step: Int32Array;
  readonly steps: readonly Step[];
  /** By operation: the line of the file, or the number of the node, that it comes from. */
  readonly origin: Float64Array;
  nameOf(operation: number): string;
}

/** A part of a job that people name: a collective of a group. */
export interface Step {
  readonly kind: string;
  /** Ranks that take part, in their order in the group. */
  readonly group: readonly number[];
  /** Octets of the whole vector. */
  readonly octets: number;
}

export function rankOf({ firstOfRank }: Pick<JobGraph, 'firstOfRank'>, operation: number): number {
  let [low, high] = [0, firstOfRank.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (firstOfRank[middle]! <= operation) low = middle;
    else high = middle;
  }
  return low;
}

/** What an operation is, beside its kind and its size; absent: none, and the first stream. */
interface OperationDetails {
  readonly peer?: number;
  readonly tag?: number;
  readonly stream?: number;
  readonly step?: number;
  readonly origin?: number;
  readonly name?: string;
}

/** More operations at a host than this have no number in its timer queue. */
const OPERATIONS_MOST = 1 << 24;

/** A job is too large to stand in memory. */
export class TooManyOperations extends Error {
  /** `known`: so many it would have, counted before they are made. */
  constructor(known?: number) {
    const has = known === undefined ? 'more' : `${known.toLocaleString('en-US')} operations, more`;
    super(`it has ${has} than ${OPERATIONS_MOST.toLocaleString('en-US')} operations`);
  }
}

/** Collects a job's operations, rank by rank. */
export class GraphBuilder {
  readonly steps: Step[] = [];
  readonly ranks: RankBuilder[] = [];
  private count = 0;

  constructor(ranks = 0) {
    for (let rank = 0; rank < ranks; rank++) this.addRank();
  }

  addRank(): RankBuilder {
    const rank = new RankBuilder(() => {
      this.expect(1);
      this.count++;
    });
    this.ranks.push(rank);
    return rank;
  }

  /** Throws if there is no room for so many more operations. */
  expect(operations: number): void {
    if (this.count + operations > OPERATIONS_MOST) throw new TooManyOperations();
  }

  /** The same of all operations of the job, before any is made. */
  expectAll(operations: number): void {
    if (operations > OPERATIONS_MOST) throw new TooManyOperations(operations);
  }

  build(): JobGraph {
    const { ranks, steps } = this;
    const firstOfRank = new Int32Array(ranks.length + 1);
    ranks.forEach((rank, i) => (firstOfRank[i + 1] = firstOfRank[i]! + rank.count));
    const count = firstOfRank[ranks.length]!;
    const needs = new Int32Array(count);
    const fill = <Numbers extends Uint8Array | Int32Array | Float64Array>(
      into: Numbers,
      columnOf: (rank: RankBuilder) => readonly number[],
    ): Numbers => {
      ranks.forEach((rank, i) => {
        into.set(columnOf(rank), firstOfRank[i]);
      });
      return into;
    };
    const edges = (what: Happening): OperationLists => {
      const [from, to]: [number[], number[]] = [[], []];
      ranks.forEach(({ edges: own }, i) => {
        const first = firstOfRank[i]!;
        for (const earlier of own[what].earlier) from.push(first + earlier);
        for (const later of own[what].later) to.push(first + later);
      });
      for (const later of to) needs[later]!++;
      return listsOf(count, from, to);
    };
    return {
      ...{ count, needs, firstOfRank, steps, ranks: ranks.length },
      afterDone: edges('done'),
      afterStart: edges('started'),
      kind: fill(new Uint8Array(count), ({ kind }) => kind),
      amount: fill(new Float64Array(count), ({ amount }) => amount),
      peer: fill(new Int32Array(count), ({ peer }) => peer),
      tag: fill(new Int32Array(count), ({ tag }) => tag),
      stream: fill(new Int32Array(count), ({ stream }) => stream),
      step: fill(new Int32Array(count), ({ step }) => step),
      origin: fill(new Float64Array(count), ({ origin }) => origin),
      nameOf: (operation) => {
        const rank = rankOf({ firstOfRank }, operation);
        return ranks[rank]!.names.get(operation - firstOfRank[rank]!) ?? '';
      },
    };
  }
}

/** What an operation waits for of another. */
type Happening = 'done' | 'started';

/** The operations of a rank, numbered from 0. */
export class RankBuilder {
  readonly kind: number[] = [];
  readonly amount: number[] = [];
  readonly peer: number[] = [];
  readonly tag: number[] = [];
  readonly stream: number[] = [];
  readonly step: number[] = [];
  readonly origin: number[] = [];
  readonly names = new Map<number, string>();
  readonly edges = { done: new Edges(), started: new Edges() };

  constructor(private readonly admit: () => void) {}

  get count(): number {
    return this.kind.length;
  }

  add(kind: number, amount: number, details: OperationDetails = {}): number {
    const { peer = -1, tag = 0, stream = 0, step = -1, origin = 0, name } = details;
    this.admit();
    if (name !== undefined) this.names.set(this.count, name);
    this.peer.push(peer);
    this.tag.push(tag);
    this.stream.push(stream);
    this.step.push(step);
    this.origin.push(origin);
    this.amount.push(amount);
    return this.kind.push(kind) - 1;
  }

  /** `later` waits until `earlier` is done, or has started. */
  require(later: number, earlier: number, what: Happening): void {
    this.edges[what].earlier.push(earlier);
    this.edges[what].later.push(later);
  }
}

class Edges {
  readonly earlier: number[] = [];
  readonly later: number[] = [];
}

/** Pairs as lists of the second by the first. */
export function listsOf(
  count: number,
  from: ArrayLike<number>,
  values: ArrayLike<number>,
): OperationLists {
  const first = new Int32Array(count + 1);
  for (let i = 0; i < from.length; i++) first[from[i]! + 1]!++;
  for (let i = 0; i < count; i++) first[i + 1]! += first[i]!;
  const next = first.slice();
  const to = new Int32Array(from.length);
  for (let i = 0; i < from.length; i++) to[next[from[i]!]!++] = values[i]!;
  return { first, to };
}
