/**
 * Interface between the connections of hosts and their transport: what is sent next, what an answer
 * means, when a timer has expired, and what a packet that came in completes. A host segments
 * messages, paces packets and limits them to a window; it counts, and it asks the transport of the
 * connection for all that depends on order and loss.
 */

import type { FramePool } from '../frame/frame-pool.js';
import type { Clock } from '../kernel/clock.js';
import type { Tables } from '../kernel/tables.js';
import type { FrameRef } from '../units/indices.js';
import type { ReceiveSpec, SendSpec, TransportSpec } from './spec.js';

/** A kind of transport, of which an engine has one that serves all its connections. */
export interface TransportKind {
  readonly kind: string;
  create(tables: Tables, ends: TransportEnds): Transport;
}

/** Words of a row of the table unit `bitmap`: 128 packets, or two times. */
export const BITMAP_WORDS = 4;
const BITMAP_BITS = 32 * BITMAP_WORDS;
const BITMAP_TIMES = BITMAP_WORDS / 2;

/** Where an end that tells packets apart has its state. */
export interface TrackedRows {
  /** Of unit `transport`. */
  readonly row: number;
  /** Of unit `bitmap`: its first one. */
  readonly bitmap: number;
}

/** The NIC of an end: its device, the first connection there, and time of an octet on its link. */
export interface NicOfEnd {
  readonly device: number;
  readonly first: number;
  readonly octetPs: number;
}

/** How many rows of the units `transport` and `bitmap` an end has. */
export function trackRows(
  spec: TransportSpec | null,
  end: 'sending' | 'receiving',
): { readonly rows: number; readonly bitmaps: number } {
  const { trackedPackets = 0, rememberedMessages = 0, sendingWords = 0 } = spec ?? {};
  const further =
    end === 'receiving'
      ? Math.ceil(rememberedMessages / BITMAP_TIMES)
      : Math.ceil(sendingWords / BITMAP_WORDS);
  return {
    rows: trackedPackets > 0 ? 1 : 0,
    bitmaps: Math.ceil(trackedPackets / BITMAP_BITS) + further,
  };
}

/** What happened to the packets of a receiving end that accepts them in any order. */
export interface Reordering {
  /** Packets that came before an earlier one, and were stored. */
  readonly outOfOrder: number;
  /** Packets that had come already. */
  readonly duplicates: number;
  /** Most that were stored at once, and their payload. */
  readonly peakPackets: number;
  readonly peakOctets: number;
  /** So many were stored, or fewer, when 99 % of those had come. */
  readonly p99Packets: number;
}

/** Connections are numbered through the service: sending ones, and receiving ones. */
export interface Transport {
  readonly sending: TransportSender;
  readonly receiving: TransportReceiver;
}

export interface TransportSender {
  /** Absent: all that it needs is in what a host keeps of a connection. */
  configure?(c: number, spec: SendSpec, rows: TrackedRows): void;
  /**
   * From when on a packet may be sent; Infinity: not before an answer. Absent: as many as the
   * window of the connection admits.
   */
  permittedAt?(c: number): number;
  /** A packet is made, for the first time or again: what else it says. */
  departs?(c: number, pool: FramePool, frame: FrameRef, isResent: boolean): void;
  /** Whether packets are lost by an ACK or NAK that arrives, and will be sent again. */
  tellsLoss(c: number, pool: FramePool, frame: FrameRef): boolean;
  /** The same one, acted on: true if there may be something to send now, or another timer. */
  answered(c: number, pool: FramePool, frame: FrameRef): boolean;
  /** A packet was sent again: the one to send after it. */
  follows(c: number, packet: number): number;
  /** Nothing was acknowledged until a timeout: what is sent from here on. */
  timedOut(c: number): void;
  /** The name of an invariant that does not hold; null if all do. For `--check`. */
  broken?(c: number): string | null;
}

// What is sent back after a packet, and what a packet did, one bit each.

export const SAY_NOTHING = 0;
export const SAY_ACK = 1;
export const SAY_NAK = 2;
/** The packet completed a message, and perhaps some behind it. */
export const MESSAGE_DONE = 4;
/** The sender is to be notified of a mark. */
export const NOTIFY = 8;
/** Packets before it, marked otherwise, are acknowledged apart. */
export const EARLIER = 16;
/** Its payload has come for the first time. */
export const PLACED = 32;
/** More may be sent: no packet requests that. */
export const SAY_MORE = 64;

export interface TransportReceiver {
  configure(c: number, spec: ReceiveSpec, rows: TrackedRows, nic: NicOfEnd): void;
  /** Its time of `pace` has come; `first`: the first connection of the device. */
  paced?(device: number, first: number): void;
  /** A packet arrived, and was marked or not. Returns what it did, and what to send back. */
  take(c: number, pool: FramePool, frame: FrameRef, isMarked: boolean): number;
  /** The headers of a packet whose payload was cut off arrived; absent: they tell it nothing. */
  takeCut?(c: number, pool: FramePool, frame: FrameRef, isMarked: boolean): number;
  /** Writes what `take` requested into an acknowledgement. */
  answer(c: number, say: number, pool: FramePool, answer: FrameRef): void;
  /** Writes the acknowledgement of what came before the last packet; absent: none is ever due. */
  answerEarlier?(c: number, pool: FramePool, answer: FrameRef): void;
  /**
   * When message `message` was released, if it is complete although a packet of an earlier message
   * arrived last; -1: it is not complete.
   */
  completed(c: number, message: number): number;
  /** The name of an invariant that does not hold; null if all do. For `--check`. */
  broken(c: number): string | null;
  /** Absent: it accepts packets in order only. */
  reordering?(c: number): Reordering;
}

/** What a transport uses of its connections. */
export interface TransportEnds {
  readonly clock: Clock;
  /** Oldest packet that is not acknowledged. */
  unacked(c: number): number;
  /** Packet that is sent next. */
  next(c: number): number;
  /** One past the highest packet ever sent. */
  highest(c: number): number;
  /**
   * Everything before `expected` has arrived: true if that is new. Its timer starts anew, and
   * nothing before it is sent.
   */
  acknowledge(c: number, expected: number): boolean;
  /** Packets that were released and never sent. */
  waiting(c: number): number;
  /** Has `paced` called at a time, of the transport that a receiving end of the device has. */
  pace(device: number, atPs: number): void;
  /** Sends what `answer` writes for this, from a receiving end of the device. */
  tell(device: number, c: number, say: number): void;
  /** Sends this packet next, which was sent before or is the first that was not. */
  goTo(c: number, packet: number): void;
}
