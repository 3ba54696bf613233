import type { GrantNegotiation } from './grant-negotiation.js';
import type { Charges } from '../buffer/charges.js';
import type { ExchangeTerms } from './discovery.js';
import type {
  ControlFrameHandler,
  ControlFrameSource,
  IngressObserver,
  TimerClient,
} from './flow-control.js';
import type { SliceMechanism } from './slice.js';
import type { FrameRef, PortRow, Priority, TrafficClass } from '../units/indices.js';

/** The accounts of all ports. */
export interface GrantAccounts {
  readonly count: number;
  readonly portCount: number;
  /** By traffic class and then port: its account if it has only one; or -1. */
  readonly onlyOfClass: Int32Array;
  /** Whether a priority of a port has accounts. */
  has(port: PortRow, priority: Priority): boolean;
  /** Accounts whose frames wait for the same queue. */
  rowsOfClass(port: PortRow, trafficClass: TrafficClass): readonly number[];
  /** The account that a frame is charged to, by its priority and VLAN tags. */
  rowOfFrame(port: PortRow, priority: Priority, vlans: number): number;
  /** Octets of buffer behind a port for a priority that has accounts, all channels together. */
  bufferOctets(port: PortRow, priority: Priority): number;
  /** By number of the channel. */
  rowOfChannel(port: PortRow, priority: Priority, channel: number): number;
  forEach(port: PortRow, visit: (row: number) => void): void;
  port(row: number): number;
  priority(row: number): number;
  channel(row: number): number;
  trafficClass(row: number): number;
  /** Its weight among those of its class. */
  share(row: number): number;
}

/** What a port may send. */
interface GrantSender {
  /** Units of a frame of so many octets. */
  cost(row: number, octets: number): number;
  mayStart(row: number, octets: number): boolean;
  spend(row: number, units: number): void;
  /** Its first frame lacks a grant, or has one, or there is none. */
  block(row: number): void;
  unblock(row: number): void;
  isBlocked(row: number): boolean;
  /** Since when its first frame lacks a grant; null while it does not. */
  blockedSincePs(row: number): number | null;
  /** Units granted and not used. */
  available(row: number): number;
}

/** What a link partner may send. */
interface GrantReceiver {
  cost(row: number, octets: number): number;
  isGranted(row: number, units: number): boolean;
  /** Units of frames that are stored. */
  occupied(row: number): number;
  /** All that was granted so far. */
  limit(row: number): number;
  /** Less than a frame may take is left to grant while frames are stored. */
  isExhausted(row: number): boolean;
  /** Units stored from which on what is left of its buffer is less than a loop of the link. */
  crowdedFrom(row: number): number;
}

/** Its messages ride on data frames, or are frames of their own. */
interface GrantMessages {
  /** By port: not 0 where a message waits for a data frame. */
  readonly tagOffered: Uint8Array;
  /** The tag of the data frame that starts now; returns its octets, 0 if there is none. */
  composeTag(port: PortRow, octets: Uint8Array): number;
}

/**
 * The mechanism that keeps the accounts. The data path calls it for each frame, and so calls it by
 * this role and looks up nothing; without such a mechanism no port has an account (`noAccounts`).
 */
export interface GrantKeeper
  extends
    Omit<SliceMechanism, 'admitted' | 'released' | 'compose' | 'receiveControl' | 'onTimer'>,
    IngressObserver,
    ControlFrameSource,
    ControlFrameHandler,
    TimerClient {
  readonly accounts: GrantAccounts;
  readonly sender: GrantSender;
  readonly receiver: GrantReceiver;
  readonly messages: GrantMessages;
  readonly negotiation: GrantNegotiation;
  /** A frame came in that takes no memory, or has left it already. */
  readonly passed: Charges['passed'];
  /** The account at a port that a frame belongs to. */
  readonly rowOf: (port: PortRow, frame: FrameRef) => number;
  /** Priorities of a port that exchange grants now, one bit each. */
  operationalAt(port: PortRow): number;
  isOperational(port: PortRow, priority: Priority): boolean;
  setOperational(port: PortRow, priorities: number, agreed: ExchangeTerms): void;
}
