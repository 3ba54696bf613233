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
  /** Declared faults: without them, these do not happen. */
  'link-down',
  'lost-on-link',
  'fcs-error',
  'device-reset',
  /** As headroom-exhausted, where a fault kept the neighbour from stopping in time. */
  'overflow-by-fault',
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
  LINK_DOWN: 7,
  LOST_ON_LINK: 8,
  FCS_ERROR: 9,
  DEVICE_RESET: 10,
  OVERFLOW_BY_FAULT: 11,
} as const;

/**
 * Points of the engine where something observable happens. A device without a listener pays one
 * branch at each. Times are picoseconds; listeners must not touch what they are shown.
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
  /** Transmission starts. */
  frameSent(device: number, port: number, now: number, pool: FramePool, frame: number): void;
  /** A MAC control frame starts on the wire. */
  controlSent(device: number, port: number, now: number, octets: Uint8Array): void;
  /** A MAC control frame takes effect. */
  controlReceived(device: number, port: number, now: number, octets: Uint8Array): void;
  /** This device began (or ended) asking its neighbour to stop. */
  stopAsked(device: number, port: number, now: number, group: number, stop: boolean): void;
  /** Priorities of a port that may not start a frame, one bit each, have changed. */
  heldChanged(device: number, port: number, now: number, priorities: number): void;
  /** The last octet of a message reached its destination. */
  messageDelivered(device: number, now: number, flow: number, message: number): void;
}

/** Hears nothing; a listener overrides the points that it cares for. */
export class DeafProbe implements Probe {
  frameReceived(..._: Parameters<Probe['frameReceived']>): void {}
  frameDropped(..._: Parameters<Probe['frameDropped']>): void {}
  frameMarked(..._: Parameters<Probe['frameMarked']>): void {}
  frameSent(..._: Parameters<Probe['frameSent']>): void {}
  controlSent(..._: Parameters<Probe['controlSent']>): void {}
  controlReceived(..._: Parameters<Probe['controlReceived']>): void {}
  stopAsked(..._: Parameters<Probe['stopAsked']>): void {}
  heldChanged(..._: Parameters<Probe['heldChanged']>): void {}
  messageDelivered(..._: Parameters<Probe['messageDelivered']>): void {}
}
