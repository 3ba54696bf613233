import type { FramePool } from '../frame/frame-pool.js';
import type { FrameRef, Priority, TrafficClass } from '../units/indices.js';

/** Why a frame was discarded. These names appear in results. */
export const DROP_REASONS = [
  /** A lossless account was full including its headroom: a defect of the configuration. */
  'headroom-exhausted',
  'ingress-threshold',
  'egress-threshold',
  'buffer-full',
  /** No route, or no port to flood to. */
  'no-destination',
  /** Tagged for a VLAN that the port does not carry. */
  'vlan-filtered',
  /** Reached a station that it is not addressed to (flooded). */
  'not-addressed',
  /** The frame data buffer had no slot that it might take. */
  'no-slot',
  /** Weighted random early discard. */
  'wred',
  /** Only with declared faults. */
  'link-down',
  'lost-on-link',
  'fcs-error',
  'device-reset',
  /** As headroom-exhausted, where a fault kept the link partner from stopping in time. */
  'overflow-by-fault',
  /** A watchdog dropped what was paused for too long. */
  'watchdog',
  /** As headroom-exhausted, where the link partner's watchdog ignores pauses. */
  'overflow-by-watchdog',
  /** The receive queue of a NIC had no descriptor and is configured to drop then. */
  'no-descriptor',
  /** A declared fault slowed an application down, and its senders could not be paused. */
  'not-read',
  /** It waited at a port whose link was detected down, and was not moved to another. */
  'port-down',
  /** Failover left no route to its destination. */
  'unreachable',
  /** A declared fault gave a sender grants that were never given, and no buffer was left. */
  'not-granted',
  /** The link layer expects another frame first: it is sent again. */
  'out-of-sequence',
  /** The link layer does not run, and is configured to let no frame out then. */
  'link-not-ready',
  /** A switch with a frame data buffer had no slot for its first bit. */
  'no-temporary-slot',
  /** A switch that cuts through had begun to forward it when its end turned out bad. */
  'poisoned',
  /** As headroom-exhausted, where the link partner is a real host that was paused and sent on. */
  'overflow-by-host',
  /** No buffer was left for a packet, and its headers are forwarded. */
  'trimmed',
] as const;

/** Index into DROP_REASONS. */
export const DROP = {
  HEADROOM_EXHAUSTED: 0,
  INGRESS_THRESHOLD: 1,
  EGRESS_THRESHOLD: 2,
  BUFFER_FULL: 3,
  NO_DESTINATION: 4,
  VLAN_FILTERED: 5,
  NOT_ADDRESSED: 6,
  NO_SLOT: 7,
  WRED: 8,
  LINK_DOWN: 9,
  LOST_ON_LINK: 10,
  FCS_ERROR: 11,
  DEVICE_RESET: 12,
  OVERFLOW_BY_FAULT: 13,
  WATCHDOG: 14,
  OVERFLOW_BY_WATCHDOG: 15,
  NO_DESCRIPTOR: 16,
  NOT_READ: 17,
  PORT_DOWN: 18,
  UNREACHABLE: 19,
  NOT_GRANTED: 20,
  OUT_OF_SEQUENCE: 21,
  LINK_NOT_READY: 22,
  NO_TEMPORARY_SLOT: 23,
  POISONED: 24,
  OVERFLOW_BY_HOST: 25,
  TRIMMED: 26,
} as const;

/** The six steps of the exchange of grants, and what becomes of unused ones, by their numbers. */
export const GRANT_STEPS = [
  /** Both ends begin an epoch with the capabilities of both. */
  'agreed',
  'requested',
  'granted',
  'transmitted',
  'received',
  /** Buffer is free again, and may be granted. */
  'accounted',
  /** Idle grants expired at the sender. */
  'aged',
  /** Grants are void: taken back, or of an epoch that is over. */
  'revoked',
  /** Grants that no frame used, or whose frames were lost, are buffer again. */
  'recovered',
] as const;

/** Index into GRANT_STEPS. */
export const GRANT_STEP = {
  AGREED: 0,
  REQUESTED: 1,
  GRANTED: 2,
  TRANSMITTED: 3,
  RECEIVED: 4,
  ACCOUNTED: 5,
  AGED: 6,
  REVOKED: 7,
  RECOVERED: 8,
} as const;

/** Arbiters inside a NIC: of virtual machines, one per class, and behind those of classes. */
export const NIC_ARBITER = { MACHINES: 0, DESCRIPTOR_PLANE: 8, RECEIVE_PLANE: 9 } as const;

/**
 * Points of the engine where a probe can observe. A device without a probe pays one branch at each.
 * Of frames that pass (received, queued, sent) a port reports those that the trace mask selects,
 * and may report others. Times are picoseconds; probes must not change what they are given.
 */
export interface Probe {
  frameReceived(device: number, port: number, now: number, pool: FramePool, frame: FrameRef): void;
  frameDropped(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: FrameRef,
    reason: number,
  ): void;
  frameMarked(device: number, port: number, now: number, pool: FramePool, frame: FrameRef): void;
  /** A frame received by one port (of a host's own: the same) now waits at another. */
  frameQueued(
    device: number,
    ingress: number,
    egress: number,
    now: number,
    pool: FramePool,
    frame: FrameRef,
  ): void;
  /** The queue that a frame has just joined is as long as `QueueWatch` reports. */
  queueLong(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: FrameRef,
    trafficClass: TrafficClass,
  ): void;
  /**
   * Transmission starts. PORT is still the ingress port. The arbiter chose a traffic class of those
   * eligible, one bit each.
   */
  frameSent(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: FrameRef,
    trafficClass: TrafficClass,
    eligible: number,
  ): void;
  /** The link layer of a port sends a frame again, with the number that it had. */
  frameSentAgain(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: FrameRef,
    number: number,
  ): void;
  /** The link layer of a port discards a frame that comes in, and receives it again later. */
  frameRejected(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: FrameRef,
    reason: number,
  ): void;
  /** A frame that waited at a port will not be sent, and is dropped next. */
  frameDiscarded(device: number, port: number, now: number, pool: FramePool, frame: FrameRef): void;
  /** A frame that a host has received stays in its NIC until software reads it. */
  frameKept(device: number, now: number, pool: FramePool, frame: FrameRef): void;
  /** Software reads it. Its hash may be overwritten by then: the NIC reuses the word. */
  frameTaken(device: number, now: number, pool: FramePool, frame: FrameRef): void;
  /** A watchdog begins to ignore pauses of a priority that last too long, or ends that. */
  watchdogActed(device: number, port: number, now: number, priority: Priority, on: boolean): void;
  /** A MAC control frame starts on the link. */
  controlSent(device: number, port: number, now: number, octets: Uint8Array): void;
  /** The frame that has just started carries a CE-Tag, behind its addresses. */
  tagSent(device: number, port: number, now: number, octets: Uint8Array): void;
  /** A MAC control frame takes effect. */
  controlReceived(device: number, port: number, now: number, octets: Uint8Array): void;
  /** This device began (or ended) to pause its link partner. */
  stopAsked(device: number, port: number, now: number, group: number, stop: boolean): void;
  /** A step of the exchange of grants; units are those of the message, or what a frame costs. */
  grantStep(
    device: number,
    port: number,
    now: number,
    step: number,
    priority: Priority,
    channel: number,
    units: number,
  ): void;
  /** The priorities of a port that may not start a frame, one bit each, have changed. */
  blockedChanged(device: number, port: number, now: number, priorities: number): void;
  /** The first frame of an account of grants began (or ceased) to lack a grant. */
  grantShort(
    device: number,
    port: number,
    now: number,
    priority: Priority,
    channel: number,
    short: boolean,
  ): void;
  /**
   * A message of a queue, which is at the port with this MAC address, pauses a priority of this
   * port or, where the device acts for a station, of its link partner.
   */
  noticeActed(
    device: number,
    port: number,
    now: number,
    priority: Priority,
    queueMac: number,
  ): void;
  /** The length of a queue makes a mechanism pause a source; frames of this priority fill it. */
  queueActed(
    device: number,
    port: number,
    now: number,
    trafficClass: TrafficClass,
    priority: Priority,
  ): void;
  /** A frame, or octets of the link, leaves the fabric for the real host behind a live port. */
  liveSent(device: number, port: number, now: number, octets: Uint8Array, isMarked: boolean): void;
  /** The last octet of a message reached its destination. */
  messageDelivered(device: number, now: number, flow: number, message: number): void;
  /**
   * An arbiter inside a NIC chose a class of those eligible (one bit each), or a virtual
   * machine, for a frame of so many octets; 0 if there was none.
   */
  nicGranted(
    device: number,
    now: number,
    arbiter: number,
    party: number,
    octets: number,
    eligible: number,
  ): void;
  /**
   * An LED of a NIC went on or off at `atPs`. Reported at the next event of its LEDs (a frame, its
   * link, a write to their register), so it may be late, but is always in order.
   */
  ledChanged(device: number, port: number, atPs: number, led: number, lit: boolean): void;
}

/** Observes nothing; a subclass overrides the points that it observes. */
export class NullProbe implements Probe {
  frameReceived(..._: Parameters<Probe['frameReceived']>): void {}
  frameDropped(..._: Parameters<Probe['frameDropped']>): void {}
  frameMarked(..._: Parameters<Probe['frameMarked']>): void {}
  frameQueued(..._: Parameters<Probe['frameQueued']>): void {}
  queueLong(..._: Parameters<Probe['queueLong']>): void {}
  frameSent(..._: Parameters<Probe['frameSent']>): void {}
  frameSentAgain(..._: Parameters<Probe['frameSentAgain']>): void {}
  frameRejected(..._: Parameters<Probe['frameRejected']>): void {}
  frameDiscarded(..._: Parameters<Probe['frameDiscarded']>): void {}
  frameKept(..._: Parameters<Probe['frameKept']>): void {}
  frameTaken(..._: Parameters<Probe['frameTaken']>): void {}
  watchdogActed(..._: Parameters<Probe['watchdogActed']>): void {}
  controlSent(..._: Parameters<Probe['controlSent']>): void {}
  tagSent(..._: Parameters<Probe['tagSent']>): void {}
  controlReceived(..._: Parameters<Probe['controlReceived']>): void {}
  stopAsked(..._: Parameters<Probe['stopAsked']>): void {}
  grantStep(..._: Parameters<Probe['grantStep']>): void {}
  blockedChanged(..._: Parameters<Probe['blockedChanged']>): void {}
  grantShort(..._: Parameters<Probe['grantShort']>): void {}
  noticeActed(..._: Parameters<Probe['noticeActed']>): void {}
  queueActed(..._: Parameters<Probe['queueActed']>): void {}
  liveSent(..._: Parameters<Probe['liveSent']>): void {}
  messageDelivered(..._: Parameters<Probe['messageDelivered']>): void {}
  nicGranted(..._: Parameters<Probe['nicGranted']>): void {}
  ledChanged(..._: Parameters<Probe['ledChanged']>): void {}
}

type Point = keyof Probe;

const POINTS = Object.getOwnPropertyNames(NullProbe.prototype).filter(
  (name): name is Point => name !== 'constructor',
);

/** By point the probe that observes it; null: none. */
export type ListenersByPoint = Record<Point, Probe | null>;

export function noListeners(): ListenersByPoint {
  return Object.fromEntries(POINTS.map((point) => [point, null])) as ListenersByPoint;
}

/** The points that a probe overrides. */
export function pointsOf(probe: Probe): Point[] {
  const none: Probe = NullProbe.prototype;
  return POINTS.filter((point) => probe[point] !== none[point]);
}
