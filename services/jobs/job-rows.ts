/** What a run has of its jobs and of their operations. */

import type { OperationRecord } from '../engine/operations/operations.js';

/** A job at the end of a run. */
export interface JobResult {
  readonly job: string;
  readonly ranks: number;
  readonly operations: number;
  readonly doneOperations: number;
  readonly startPs: number;
  /** From its start until all of its operations are done; null: they are not. */
  readonly iterationPs: number | null;
  /** What no network can beat; null: the job is not done, or that is not known. */
  readonly rooflinePs: number | null;
  /** By rank, in their order; null where the rank is not done. */
  readonly finished: RankSpread | null;
  /** Time in which a rank computes, and in which it is there and does not. */
  readonly computing: RankSpread;
  readonly exposed: RankSpread | null;
  readonly collectives: readonly CollectiveResult[];
}

/** Least, median (by nearest rank) and most of the ranks of a job. */
export interface RankSpread {
  readonly minPs: number;
  readonly p50Ps: number;
  readonly maxPs: number;
}

/** Collectives of one kind, one number of ranks and one size. */
export interface CollectiveResult {
  readonly kind: string;
  readonly ranks: number;
  /** Of the whole vector. */
  readonly vectorOctets: number;
  readonly count: number;
  readonly done: number;
  /** Mean time from the first rank that began to the last that was done; null: none is done. */
  readonly timePs: number | null;
  readonly slowestPs: number | null;
  /** Vector over time, and that times the factor of nccl-tests. */
  readonly algorithmBps: number | null;
  readonly busBps: number | null;
}

/** An operation as it went; -1 for what has not happened. Others are named by number in the job. */
export interface OperationResult extends Omit<OperationRecord, 'message'> {
  readonly job: string;
  readonly rank: number;
  readonly host: string;
  /** Its number in the job. */
  readonly operation: number;
  readonly name: string;
  readonly kind: 'compute' | 'send' | 'receive';
  /** The other rank; -1: any, or none. */
  readonly peer: number;
  /** Picoseconds of a computation, octets of a message. */
  readonly amount: number;
  /** The flow of a send to another host, by its number; -1 of all others. */
  readonly flow: number;
  /** The send whose message a receive took. */
  readonly took: number;
  /** The collective that it is a part of, by its number in the job. */
  readonly collective: number;
}
