import type { FramePool } from './frame-pool.js';
import { CLASS, FOLLOWED_FLAG } from './frame-pool.js';
import { makeDraw } from './draw.js';

/** What happens to a frame that passes a port. */
export const RECEIVED = 0;
export const QUEUED = 1;
export const SENT = 2;

export type Passing = typeof RECEIVED | typeof QUEUED | typeof SENT;

export const PASSINGS: readonly Passing[] = [RECEIVED, QUEUED, SENT];

// What a port minds: frames whose class has a bit in common with this are told of.

export const TELLS_FOLLOWED = FOLLOWED_FLAG;
/** All frames: no class has this bit, and it is thought of as set in each. */
export const TELLS_ALL = 1 << 29;
/** Nothing, but a frame that is queued counts for `FrameTimes`. */
export const RECKONS = 1 << 31;

// What faults do to frames that are received, and to those that are sent. It stands beside what is
// told, so that a port where all is well and nobody listens is known by a look at one word.

/** They may be lost, or changed. */
export const IMPAIRED = 1 << 30;
/** They take longer than the port's rate and cable say. */
export const LATE = 1 << 30;
/** There are none. */
export const SILENT = 1 << 31;

/** By port: which of the frames that pass there somebody wants to be told of, or a fault hits. */
export type TraceMask = ReturnType<typeof makeTraceMask>;

export function makeTraceMask(pool: FramePool, ports: number) {
  const { words } = pool;
  /** By what happens, and port. */
  const minded = PASSINGS.map(() => new Int32Array(ports));
  const [received, queued, sent] = minded;
  const draw = makeDraw(pool);

  /** Somebody wants to be told of it, or a fault may hit it. */
  function mindsReceived(port: number, frame: number): boolean {
    return ((words[frame + CLASS] | TELLS_ALL | IMPAIRED) & received[port]) !== 0;
  }

  function isImpaired(port: number): boolean {
    return (received[port] & IMPAIRED) !== 0;
  }

  function hearsReceived(port: number, frame: number): boolean {
    return ((words[frame + CLASS] | TELLS_ALL) & received[port]) !== 0;
  }

  /** Also where it is only reckoned. */
  function mindsQueued(port: number, frame: number): boolean {
    return ((words[frame + CLASS] | TELLS_ALL | RECKONS) & queued[port]) !== 0;
  }

  function hearsQueued(port: number, frame: number): boolean {
    return ((words[frame + CLASS] | TELLS_ALL) & queued[port]) !== 0;
  }

  /** What is minded of the frames that a port sends. */
  function mindedOfSent(port: number): number {
    return sent[port];
  }

  function hearsSent(minded: number, frameClass: number): boolean {
    return ((frameClass | TELLS_ALL) & minded) !== 0;
  }

  /** What faults do to a port from now on. */
  function impair(port: number, isImpaired: boolean, isLate: boolean, isSilent: boolean): void {
    received[port] = (received[port] & ~IMPAIRED) | (isImpaired ? IMPAIRED : 0);
    sent[port] = (sent[port] & ~(LATE | SILENT)) | (isLate ? LATE : 0) | (isSilent ? SILENT : 0);
  }

  return {
    minded,
    draw,
    mindsReceived,
    isImpaired,
    hearsReceived,
    mindsQueued,
    hearsQueued,
    mindedOfSent,
    hearsSent,
    impair,
  };
}
