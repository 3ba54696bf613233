import type { FrameRef, PortRow, Priority, TrafficClass } from '../units/indices.js';

/**
 * A flow control that counts. Frames of some classes of a port start only as far as an account
 * covers them, and frames of the same priorities that come in are charged to accounts until they
 * leave (`IngressObserver`). The mechanism tells `Ports` which priorities are charged and which are
 * metered; the data path calls it for their frames, and for no others.
 *
 * A pause needs none of this: it holds a priority (`TransmitGate`), whichever frame is first.
 */
export interface StartAccounts {
  /** A frame joins a metered class: it is put into the queue, or where it waits for that. */
  enqueue(port: PortRow, trafficClass: TrafficClass, frame: FrameRef): void;
  /** The frame of a metered class starts on the wire: its account pays for it. */
  start(port: PortRow, trafficClass: TrafficClass, frame: FrameRef): void;
  /** Its place is free: decides on the frame behind it; true if that may start. */
  next(port: PortRow, trafficClass: TrafficClass): boolean;
  /** The frame has started, and observers of that have been notified. */
  settle(port: PortRow): void;
  /** More may be covered than before: decides on all first frames; true if one may start now. */
  permit(port: PortRow): boolean;
  /** Every frame of a class that waits before its queue joins the queue, covered or not. */
  collect(port: PortRow, trafficClass: TrafficClass): void;
  /** Frames were taken from the queues of a port: decides on all others anew, as `permit`. */
  reconsider(port: PortRow): boolean;

  /** Whether frames in this ingress buffer of a port are charged to accounts, in use or not. */
  charges(port: PortRow, group: number): boolean;
  /** A frame came in that takes no memory, or has left it already. */
  passed(port: PortRow, frame: FrameRef): void;
  /** Whether the link partner was allowed to start a frame that has come in. */
  covered(port: PortRow, frame: FrameRef): boolean;
  /** Senders into an ingress buffer start with what it backs, so it never overflows. */
  backs(port: PortRow, group: number): boolean;

  /** The waiting line of frames of an account; -1: they wait in the queue of their class. */
  lineOf(port: PortRow, priority: Priority, vlans: number): number;
}
