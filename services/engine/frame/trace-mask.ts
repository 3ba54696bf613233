import type { FramePool } from './frame-pool.js';
import { CLASS, FOLLOWED_FLAG } from './frame-pool.js';
import { makeDraw } from './draw.js';
import type { FrameRef } from '../units/indices.js';

/** What happens to a frame that passes a port. */
export const RECEIVED = 0;
export const QUEUED = 1;
export const SENT = 2;

export type Passing = typeof RECEIVED | typeof QUEUED | typeof SENT;

export const PASSINGS: readonly Passing[] = [RECEIVED, QUEUED, SENT];

// Trace mask of a port: frames whose class has a bit in common with it are reported to probes.

export const WANTS_FOLLOWED = FOLLOWED_FLAG;
/** All frames: no class has this bit, and it is treated as set in each. */
export const WANTS_ALL = 1 << 29;
/** Not reported, but a queued frame counts for `FrameTimes`. */
export const COUNTS_TIME = 1 << 31;
/** Nor this, but the queue that it joins is reported if it is long; see `QueueWatch`. */
export const WATCHED = 1 << 30;

// Effects of faults on frames that are received, and on those that are sent. They share a word with
// the trace mask, so that one load shows that a port has neither.

/** They may be lost, or changed. */
const IMPAIRED = 1 << 30;
/** A link layer has to let them in. */
const LAYERED = 1 << 31;
/** They take longer than the rate and delay of the port's link. */
export const LATE = 1 << 30;
/** A fault lets none start, or a link layer numbers them. */
export const SPECIAL = 1 << 31;

/** By port: which passing frames are reported to probes, or affected by a fault. */
export type TraceMask = ReturnType<typeof makeTraceMask>;

export function makeTraceMask(pool: FramePool, ports: number) {
  const { words } = pool;
  /** By event, and port. */
  const wanted = PASSINGS.map(() => new Int32Array(ports));
  const [received, queued, sent] = wanted;
  const layered = new Uint8Array(ports);
  const draw = makeDraw(pool);

  /** A link layer numbers the frames that a port sends, and checks those that it receives. */
  function layer(port: number): void {
    layered[port] = 1;
    received[port] |= LAYERED;
    sent[port] |= SPECIAL;
  }

  /** It is reported, a fault may affect it, or a link layer checks it. */
  function matchesReceived(port: number, frame: FrameRef): boolean {
    return ((words[frame + CLASS] | WANTS_ALL | IMPAIRED | LAYERED) & received[port]) !== 0;
  }

  /** A link layer checks them, and nothing else is of interest. */
  function isLayeredOnly(port: number): boolean {
    return received[port] === LAYERED;
  }

  function isImpaired(port: number): boolean {
    return (received[port] & IMPAIRED) !== 0;
  }

  function wantsReceived(port: number, frame: FrameRef): boolean {
    return ((words[frame + CLASS] | WANTS_ALL) & received[port]) !== 0;
  }

  /** The mask for frames that join queues of a port. */
  function wantedOfQueued(port: number): number {
    return queued[port];
  }

  /** It is reported, or counted only. */
  function matchesQueued(wanted: number, frame: FrameRef): boolean {
    return ((words[frame + CLASS] | WANTS_ALL | COUNTS_TIME) & wanted & ~WATCHED) !== 0;
  }

  function wantsQueued(port: number, frame: FrameRef): boolean {
    return ((words[frame + CLASS] | WANTS_ALL) & queued[port] & ~WATCHED) !== 0;
  }

  /** The mask for frames that a port sends. */
  function wantedOfSent(port: number): number {
    return sent[port];
  }

  function wantsSent(wanted: number, frameClass: number): boolean {
    return ((frameClass | WANTS_ALL) & wanted) !== 0;
  }

  /** Sets the effects of faults at a port from now on. */
  function impair(port: number, isImpaired: boolean, isLate: boolean, isSilent: boolean): void {
    received[port] = (received[port] & ~IMPAIRED) | (isImpaired ? IMPAIRED : 0);
    const special = isSilent || layered[port] !== 0 ? SPECIAL : 0;
    sent[port] = (sent[port] & ~(LATE | SPECIAL)) | (isLate ? LATE : 0) | special;
  }

  return {
    wanted,
    draw,
    layer,
    matchesReceived,
    isLayeredOnly,
    isImpaired,
    wantsReceived,
    wantedOfQueued,
    matchesQueued,
    wantsQueued,
    wantedOfSent,
    wantsSent,
    impair,
  };
}
