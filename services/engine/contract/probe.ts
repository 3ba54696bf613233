import type { FramePool } from '../frame/frame-pool.js';

/** Why a frame was discarded. The names are what people read. */
export const DROP_REASONS = [
  /** A lossless account was full including its headroom: lossless failed. */
  'headroom-exhausted',
  'ingress-threshold',
  'egress-threshold',
  'buffer-full',
  /** No route, or nobody to flood to. */
  'no-destination',
  /** Tagged for a VLAN that the port does not carry. */
  'vlan-filtered',
  /** Reached a station that it is not addressed to (flooded). */
  'not-addressed',
  /** The frame data buffer had no slot that it might take. */
  'no-slot',
  /** Weighted random early discard. */
  'wred',
  /** Declared faults: without them, these do not happen. */
  'link-down',
  'lost-on-link',
  'fcs-error',
  'device-reset',
  /** As headroom-exhausted, where a fault kept the neighbour from stopping in time. */
  'overflow-by-fault',
  /** A watchdog dropped what a neighbour held for too long. */
  'watchdog',
  /** As headroom-exhausted, where the neighbour's watchdog sends against stops. */
  'overflow-by-watchdog',
  /** The receive queue of an 82599 had no descriptor, and drops then. */
  'no-descriptor',
  /** By a declared fault an application read too slowly, and nobody could be stopped. */
  'not-read',
  /** It waited at a port that was found down, and was not moved to another. */
  'port-down',
  /** Failover left no route to where it goes. */
  'unreachable',
  /** By a declared fault a sender had credit that was never granted, and no room was left. */
  'not-granted',
] as const;

export type DropReason = (typeof DROP_REASONS)[number];

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
} as const;

/** The steps of credit exchange, as `creditStep` numbers them. */
export const CREDIT_STEPS = [
  /** Both ends begin an epoch with what each of them can. */
  'agreed',
  'requested',
  'granted',
  'transmitted',
  'received',
  /** Memory is free again, and may be granted. */
  'accounted',
] as const;

/** Index into CREDIT_STEPS. */
export const CREDIT_STEP = {
  AGREED: 0,
  REQUESTED: 1,
  GRANTED: 2,
  TRANSMITTED: 3,
  RECEIVED: 4,
  ACCOUNTED: 5,
} as const;

/** Arbiters inside an 82599: of virtual machines, one per class, and behind those of classes. */
export const NIC_ARBITER = { MACHINES: 0, DESCRIPTOR_PLANE: 8, RECEIVE_PLANE: 9 } as const;

/**
 * Points of the engine where something observable happens. A device without a listener pays one
 * branch at each. Of frames that pass (received, queued, sent) a port tells those that somebody
 * asked for, and may tell others. Times are picoseconds; listeners must not touch what they are
 * shown.
 */
export interface Probe {
  frameReceived(device: number, port: number, now: number, pool: FramePool, frame: number): void;
  frameDropped(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
    reason: number,
  ): void;
  frameMarked(device: number, port: number, now: number, pool: FramePool, frame: number): void;
  /** A frame that came in by one port (a host's own: the same) waits at another from now on. */
  frameQueued(
    device: number,
    ingress: number,
    egress: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void;
  /**
   * Transmission starts. PORT still tells where the frame came in. The arbiter chose a traffic
   * class of those eligible, one bit each.
   */
  frameSent(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
    trafficClass: number,
    eligible: number,
  ): void;
  /** A frame that waited at a port will not be sent, and is dropped next. */
  frameDiscarded(device: number, port: number, now: number, pool: FramePool, frame: number): void;
  /** What a host has just received stays in its NIC until software takes it. */
  frameKept(device: number, now: number, pool: FramePool, frame: number): void;
  /** Software takes it. Its hash may be gone by then: the NIC puts other things there. */
  frameTaken(device: number, now: number, pool: FramePool, frame: number): void;
  /** A watchdog stops obeying a neighbour that holds a priority for too long, or obeys again. */
  watchdogActed(device: number, port: number, now: number, priority: number, on: boolean): void;
  /** A MAC control frame starts on the wire. */
  controlSent(device: number, port: number, now: number, octets: Uint8Array): void;
  /** The frame that has just started takes a CE-Tag along, behind its addresses. */
  tagSent(device: number, port: number, now: number, octets: Uint8Array): void;
  /** A MAC control frame takes effect. */
  controlReceived(device: number, port: number, now: number, octets: Uint8Array): void;
  /** This device began (or ended) asking its neighbour to stop. */
  stopAsked(device: number, port: number, now: number, group: number, stop: boolean): void;
  /** A step of credit exchange; units are the word of a message, or what a frame costs. */
  creditStep(
    device: number,
    port: number,
    now: number,
    step: number,
    priority: number,
    channel: number,
    units: number,
  ): void;
  /** Priorities of a port that may not start a frame, one bit each, have changed. */
  heldChanged(device: number, port: number, now: number, priorities: number): void;
  /** The first frame in line of a credit account began (or ceased) to lack credit. */
  creditShort(
    device: number,
    port: number,
    now: number,
    priority: number,
    channel: number,
    short: boolean,
  ): void;
  /** The last octet of a message reached its destination. */
  messageDelivered(device: number, now: number, flow: number, message: number): void;
  /**
   * An arbiter inside an 82599 chose a class of those eligible (one bit each), or a virtual
   * machine, for a frame of so many octets; 0 if there was none after all.
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
   * An LED of an 82599 went on or off at `atPs`. Told when the next thing happens to its LEDs (a
   * frame, its link, LEDCTL), so it may be told late, but always in order.
   */
  ledChanged(device: number, port: number, atPs: number, led: number, lit: boolean): void;
}

/** Hears nothing; a listener overrides the points that it cares for. */
export class DeafProbe implements Probe {
  frameReceived(..._: Parameters<Probe['frameReceived']>): void {}
  frameDropped(..._: Parameters<Probe['frameDropped']>): void {}
  frameMarked(..._: Parameters<Probe['frameMarked']>): void {}
  frameQueued(..._: Parameters<Probe['frameQueued']>): void {}
  frameSent(..._: Parameters<Probe['frameSent']>): void {}
  frameDiscarded(..._: Parameters<Probe['frameDiscarded']>): void {}
  frameKept(..._: Parameters<Probe['frameKept']>): void {}
  frameTaken(..._: Parameters<Probe['frameTaken']>): void {}
  watchdogActed(..._: Parameters<Probe['watchdogActed']>): void {}
  controlSent(..._: Parameters<Probe['controlSent']>): void {}
  tagSent(..._: Parameters<Probe['tagSent']>): void {}
  controlReceived(..._: Parameters<Probe['controlReceived']>): void {}
  stopAsked(..._: Parameters<Probe['stopAsked']>): void {}
  creditStep(..._: Parameters<Probe['creditStep']>): void {}
  heldChanged(..._: Parameters<Probe['heldChanged']>): void {}
  creditShort(..._: Parameters<Probe['creditShort']>): void {}
  messageDelivered(..._: Parameters<Probe['messageDelivered']>): void {}
  nicGranted(..._: Parameters<Probe['nicGranted']>): void {}
  ledChanged(..._: Parameters<Probe['ledChanged']>): void {}
}

export type Point = keyof Probe;

const POINTS = Object.getOwnPropertyNames(DeafProbe.prototype).filter(
  (name): name is Point => name !== 'constructor',
);

/** By point who hears of it; null: nobody, and nothing is told. */
export type Hearers = Record<Point, Probe | null>;

export function nobody(): Hearers {
  return Object.fromEntries(POINTS.map((point) => [point, null])) as Hearers;
}

/** Where a listener is not deaf. */
export function pointsOf(probe: Probe): Point[] {
  const deaf: Probe = DeafProbe.prototype;
  return POINTS.filter((point) => probe[point] !== deaf[point]);
}
