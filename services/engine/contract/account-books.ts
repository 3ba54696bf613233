import { assert } from '../kernel/assert.js';
import type { FrameRef, PortRow, Priority, TrafficClass } from '../units/indices.js';

/**
 * Accounts by which frames start, as analysis, checks and results read them: a row each, used by
 * both directions of its link.
 */
export interface AccountBooks {
  readonly accounts: AccountRows;
  readonly sender: SenderBook;
  readonly receiver: ReceiverBook;
  /** The account at a port that a frame belongs to. */
  readonly rowOf: (port: PortRow, frame: FrameRef) => number;
  /** Frames of a priority start as accounts cover them, now. */
  isOperational(port: PortRow, priority: Priority): boolean;
}

/** The accounts of all ports. */
interface AccountRows {
  /** Accounts whose frames wait for the same queue. */
  rowsOfClass(port: PortRow, trafficClass: TrafficClass): readonly number[];
  /** Octets of buffer behind a port for a priority that has accounts, all channels together. */
  bufferOctets(port: PortRow, priority: Priority): number;
  /** By number of the channel. */
  rowOfChannel(port: PortRow, priority: Priority, channel: number): number;
  forEach(port: PortRow, visit: (row: number) => void): void;
  port(row: number): number;
  priority(row: number): number;
  channel(row: number): number;
  trafficClass(row: number): number;
}

/** What a port may send. */
interface SenderBook {
  mayStart(row: number, octets: number): boolean;
  /** Since when it does not cover its first frame; null while it does. */
  blockedSincePs(row: number): number | null;
  /** Units that its link partner has allowed, and that it has not used. */
  available(row: number): number;
}

/** What a link partner may send. */
interface ReceiverBook {
  /** Units of so many octets. */
  cost(row: number, octets: number): number;
  /** Units of frames that are stored. */
  occupied(row: number): number;
  /** All that was allowed so far. */
  limit(row: number): number;
  /** Less than a frame may take is left to allow while frames are stored. */
  isExhausted(row: number): boolean;
  /** Units stored from which on what is left of its buffer is less than a loop of the link. */
  crowdedFrom(row: number): number;
}

/** Of an engine whose ports have no accounts: a row is never asked for. */
export const NO_BOOKS: AccountBooks = {
  accounts: {
    ...{ rowsOfClass: () => [], forEach: () => undefined, bufferOctets: () => 0 },
    ...{ port: noRow, priority: noRow, channel: noRow, trafficClass: noRow },
    rowOfChannel: noRow,
  },
  sender: { mayStart: noRow, blockedSincePs: noRow, available: noRow },
  receiver: { cost: noRow, occupied: noRow, limit: noRow, isExhausted: noRow, crowdedFrom: noRow },
  rowOf: noRow,
  isOperational: () => false,
};

function noRow(): never {
  assert(false, 'accounts.none');
}
