import type { SendsDone } from '../../engine/contract/operations.js';
import type { JobGraph } from '../../jobs/graph.js';

/** A job with its place in the fabric. */
export interface Job {
  readonly name: string;
  readonly graph: JobGraph;
  /** By rank. */
  readonly hostOfRank: Int32Array;
  /** By operation: the flow of a send to another host; -1 of all others. */
  readonly flowOf: Int32Array;
  readonly startPs: number;
  readonly sendsDone: SendsDone;
  /** Of messages within a host: time of an octet, and of a message beside its octets. */
  readonly boxOctetPs: number;
  readonly boxPs: number;
}

/** Where the operations of a job are: at hosts, whose operations are numbered through. */
export interface JobPlace {
  readonly job: Job;
  /** By rank: the number at its host of its first operation. */
  readonly firstAtHost: Int32Array;
  /** By host: sends to its ranks. */
  readonly sendsTo: ReadonlyMap<number, readonly number[]>;
  /** By host: the number there of the first of those messages. */
  readonly firstMessage: ReadonlyMap<number, number>;
}
