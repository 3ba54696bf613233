/** Operations of the ranks at a host: plain columns, made by assembly from a job's graph. */

/** What an operation does. */
export const COMPUTE = 0;
export const SEND = 1;
export const RECEIVE = 2;
/** Takes a stream, and keeps it until LEAVE of the same stream is done. */
export const ENTER = 3;
export const LEAVE = 4;

/** Of a receive: any rank, any tag. */
export const ANY = -1;

/** Lists of operations, one after the other: that of `i` is from `first[i]` to `first[i + 1]`. */
export interface OperationLists {
  readonly first: Int32Array;
  readonly to: Int32Array;
}

/** Which operations wait for which. An operation is ready when nothing that it needs is left. */
export interface DependencySpec {
  readonly count: number;
  /** By operation: how many others it needs, done or started. */
  readonly needs: Int32Array;
  /** By operation: those that need it done, and those that need it started. */
  readonly afterDone: OperationLists;
  readonly afterStart: OperationLists;
}

/** Which messages a receive takes: of a rank and a tag, or of any. */
export interface MatchingSpec {
  /** Receives of one source and tag (either may be any) are served in the order of posting. */
  readonly patterns: number;
  /** By operation: the pattern of a receive; -1 of others. */
  readonly patternOf: Int32Array;
  /** By message: the channel, a source and a tag, that it comes on. */
  readonly channelOf: Int32Array;
  /** By channel: patterns that take its messages. */
  readonly patternsOfChannel: OperationLists;
  /** By pattern: channels whose messages it takes. */
  readonly channelsOfPattern: OperationLists;
}

/** When a send is done: the NIC has taken its last frame, or all of it is acknowledged. */
export type SendsDone = 'handed' | 'acknowledged';

export interface RankSpec {
  /** Its operations are from `first`, so many; they become ready from `startPs` on. */
  readonly first: number;
  readonly count: number;
  readonly startPs: number;
  readonly sendsDone: SendsDone;
}

/** All ranks at a host. Operations are numbered through, in the order in which ready ones start. */
export interface OperationsSpec extends DependencySpec {
  readonly ranks: readonly RankSpec[];
  readonly kind: Uint8Array;
  /** By operation: how long a computation takes, or a message between ranks of the host. */
  readonly durationPs: Float64Array;
  /** By operation: the stream that it takes, one at a time in each, or leaves; -1: none. */
  readonly stream: Int32Array;
  readonly streams: number;
  /** By operation: the sending connection; -1: a message to a rank of the host, or no send. */
  readonly connection: Int32Array;
  /** By operation: the message of a send to a rank of the host; -1 of others. */
  readonly localMessage: Int32Array;
  /** By receiving connection: its message; -1: it is none of a job. */
  readonly messageOf: Int32Array;
  readonly matching: MatchingSpec;
}
