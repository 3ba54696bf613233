import { COMPUTE, RECEIVE, SEND } from '../../engine/contract/operations.js';
import { GraphBuilder, type JobGraph, type Step } from '../graph.js';

/** A computation of no time that takes no stream: what it joins is done when it is. */
const NO_STREAM = -1;
/** Tags of collectives go down from here, those that people write up from 0; -1 is any. */
const FIRST_TAG = -2;

/**
 * Writes a job step by step: a rank begins a step when it is done with the one before, whatever
 * others do. Within a step, messages have tags of their own, so that none is taken for another.
 */
export class Weaver {
  /** By rank: what its next step waits for; -1: nothing. */
  private readonly lasts: Int32Array;
  private step = -1;
  private tags = 0;
  private startOf: (rank: number) => number = () => -1;
  /** By rank: operations of the collective that was written last. */
  joined: number[][] = [];

  constructor(
    ranks: number,
    private readonly builder = new GraphBuilder(ranks),
  ) {
    this.lasts = new Int32Array(ranks).fill(-1);
  }

  /** A computation at one rank, in the stream of all its computations. */
  compute(rank: number, durationPs: number): void {
    const operation = this.builder.ranks[rank]!.add(COMPUTE, durationPs);
    this.follow(rank, operation, this.lasts[rank]!);
    this.lasts[rank] = operation;
  }

  /** A collective is the next step of the ranks of its group. */
  collective(step: Step, weave: () => void): void {
    for (const rank of step.group) this.lasts[rank] = this.join(rank, [this.lasts[rank]!]);
    this.weave(step, (rank) => this.lasts[rank]!, weave);
    for (const rank of step.group) this.lasts[rank] = this.join(rank, this.joined[rank]!);
  }

  /**
   * Adds a collective, whose messages `weave` writes, after an operation of each of its ranks.
   * `joined` has by rank what is to be done until its part is.
   */
  weave(step: Step, startOf: (rank: number) => number, weave: () => void): void {
    this.step = this.builder.steps.push(step) - 1;
    this.startOf = startOf;
    this.joined = [];
    for (const rank of step.group) this.joined[rank] = [];
    weave();
    this.step = -1;
  }

  /** Says no, before it takes time and memory, to more messages than there is room for. */
  expect(messages: number): void {
    this.builder.expect(2 * messages);
  }

  /**
   * A message of the collective, and both of its ends. It is sent when `after` (an operation of
   * the sender; -1: the beginning of the step) is done; returns its receive.
   */
  message(from: number, to: number, octets: number, after = -1): number {
    const details = { tag: FIRST_TAG - this.tags++, step: this.step, stream: NO_STREAM };
    const [source, target] = [this.builder.ranks[from]!, this.builder.ranks[to]!];
    const send = source.add(SEND, octets, { ...details, peer: to });
    const receive = target.add(RECEIVE, octets, { ...details, peer: from });
    this.follow(from, send, after < 0 ? this.startOf(from) : after);
    this.follow(to, receive, this.startOf(to));
    this.joined[from]!.push(send);
    this.joined[to]!.push(receive);
    return receive;
  }

  /** Of what a rank has received so far in this step, all is done. */
  join(rank: number, operations: readonly number[]): number {
    const own = this.builder.ranks[rank]!;
    const details = { step: this.step, stream: NO_STREAM };
    const operation = own.add(COMPUTE, 0, details);
    for (const one of operations) this.follow(rank, operation, one);
    return operation;
  }

  build(): JobGraph {
    return this.builder.build();
  }

  private follow(rank: number, later: number, earlier: number): void {
    if (earlier >= 0) this.builder.ranks[rank]!.require(later, earlier, 'done');
  }
}
