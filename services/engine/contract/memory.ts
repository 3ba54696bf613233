/** An ingress buffer account: one per port and priority group. */
export interface AccountSpec {
  /** At XOFF the link partner is paused; nothing is dropped. */
  readonly lossless: boolean;
  readonly reservedOctets: number;
  /** Dynamic threshold as a multiple of the free shared pool. */
  readonly alpha: number;
  /** Fixed XOFF threshold on the whole account; Infinity: the dynamic threshold alone. */
  readonly xoffOctets: number;
  readonly xonGapOctets: number;
  readonly headroomOctets: number;
}

export interface BufferSpec {
  readonly sizeOctets: number;
  readonly cellOctets: number;
  readonly egressReservedOctets: number;
  readonly egressAlpha: number;
  /** By port, then by group. */
  readonly accounts: readonly (readonly AccountSpec[])[];
  /** Null: one pool, of all that is neither reserved nor headroom. */
  readonly pools: PoolsSpec | null;
}

/** A buffer as a switch is configured: pools of fixed size, in slices of the packet memory. */
export interface PoolsSpec {
  /** Octets that the chip stores with each frame. */
  readonly frameOctets: number;
  /** By port: the slice of the packet memory that it sees. */
  readonly sliceOf: readonly number[];
  readonly slices: number;
  readonly pools: readonly PoolSpec[];
  /** Shared headroom in each slice; Infinity: accounts have the whole of theirs. */
  readonly headroomOctets: number;
  /** By port, then by group. */
  readonly groups: readonly (readonly PooledGroupSpec[])[];
  /** By port, then by traffic class. */
  readonly queues: readonly (readonly PooledSpec[])[];
  /** By port, then by pool: threshold of the port as a whole, as a multiple of what is free. */
  readonly portAlphas: readonly (readonly (number | null)[])[];
  readonly wreds: readonly WredSpec[];
  /** By port, then by traffic class: its WRED; -1: none. */
  readonly wredOf: readonly (readonly number[])[];
  /** XON refers to the threshold that a group would have at its limit, whatever it has now. */
  readonly steadyXon: boolean;
}

/** Weighted random early detection of a queue, by colour; null: frames of it pass. */
export interface WredSpec {
  /** What the present length counts in the average. */
  readonly share: number;
  readonly green: WredCurve | null;
  readonly yellow: WredCurve | null;
}

export interface WredCurve {
  readonly minOctets: number;
  readonly maxOctets: number;
  /** Just below `maxOctets`; from there on it is 1. */
  readonly probability: number;
  /** Frames that can be marked are; others, if it drops, are lost. */
  readonly marks: boolean;
  readonly drops: boolean;
}

interface PoolSpec {
  readonly name: string;
  /** What accounts may share of it in each slice. */
  readonly octets: number;
}

/** What an account may take of its pool, beyond what is reserved for it. */
export interface PooledSpec {
  /** -1: it is charged to no pool, and nothing limits it. */
  readonly pool: number;
  /** Of a queue: its pool is charged by groups alone, and its threshold is of what these leave. */
  readonly isByGroups: boolean;
  readonly reservedOctets: number;
  /** Of what is free; Infinity: `limitOctets` alone. */
  readonly alpha: number;
  /** Infinity: the dynamic threshold alone. */
  readonly limitOctets: number;
}

/** In place of `xoffOctets` and `xonGapOctets` of its account. */
export interface PooledGroupSpec extends PooledSpec {
  /** At or below this it is at XON, or so far below its threshold, whichever is more. */
  readonly xonOctets: number;
  readonly xonOffsetOctets: number;
}

/** What of a buffer with pools is configured anew during a run; ports as the device has them. */
export interface BufferChange {
  /** By pool, the headroom pool last: so many octets more in each slice. */
  readonly sizes: readonly number[];
  /** So many octets more in ingress pools of all slices. */
  readonly sharedOctets: number;
  readonly groups: readonly GroupChange[];
  readonly queues: readonly QueueChange[];
}

interface GroupChange {
  readonly port: number;
  readonly group: number;
  readonly account: Pick<AccountSpec, 'reservedOctets' | 'headroomOctets'>;
  readonly share: PooledGroupSpec;
  readonly portAlpha: number | null;
}

interface QueueChange {
  readonly port: number;
  readonly queue: number;
  readonly share: PooledSpec;
}

/** Rows that the state of a buffer takes in the tables. */
export function poolRows({ pools }: BufferSpec): number {
  if (pools === null) return 0;
  const { slices, sliceOf } = pools;
  const count = pools.pools.length;
  return slices * (count + 1) + sliceOf.length * (count + QUEUES);
}

export const QUEUES = 8;
