/** Frames that a switch receives while only one end of the link has PFC for their priority. */

import type { DcbxOperation } from './dcbx/dcbx-managed.js';
import { followsPeer, type SymmetricEnd } from './dcbx/symmetric.js';
import type { Neighbor } from './lldp/receive-machine.js';

export interface Exposure {
  /** Priorities for which the ends differ, one bit each. */
  priorities: number;
  /** By priority: frames so far, and count of received frames when the difference began. */
  frames: number[];
  since: number[];
  /** By priority: when the first difference began and the last one ended; -1: never. */
  fromPs: number[];
  untilPs: number[];
}

/** How many frames of a priority were received by the port. */
type Received = (priority: number) => number;

const eight = (value: number): number[] => new Array<number>(8).fill(value);

export function noExposure(): Exposure {
  return {
    priorities: 0,
    frames: eight(0),
    since: eight(0),
    fromPs: eight(-1),
    untilPs: eight(-1),
  };
}

/** By priority. */
export function exposedFrames(exposure: Exposure, received: Received): number[] {
  return exposure.frames.map((frames, priority) =>
    (exposure.priorities & (1 << priority)) === 0
      ? frames
      : frames + received(priority) - exposure.since[priority],
  );
}

/**
 * Priorities with PFC at one end only. A willing neighbor advertises its operational state; one
 * that is not advertises its configuration, and may use less. CEE has PFC at both ends or at none.
 */
export function differingPfc(
  { protocol, pfc }: DcbxOperation,
  own: SymmetricEnd,
  peer: Neighbor | null,
): number {
  if (protocol === 'cee') return 0;
  const advertised = peer?.remote.pfc ?? null;
  const theirs = advertised?.enabled ?? 0;
  const follows =
    advertised !== null && followsPeer({ willing: advertised.willing, mac: peer!.mac }, own);
  return (pfc & ~theirs) | (follows ? theirs & ~pfc : 0);
}

/** From now on these priorities differ. */
export function trackExposure(
  exposure: Exposure,
  differing: number,
  received: Received,
  now: number,
): void {
  exposure.frames = exposedFrames(exposure, received);
  for (let priority = 0; priority < 8; priority++) {
    const bit = 1 << priority;
    exposure.since[priority] = received(priority);
    if ((differing & bit) !== 0 && exposure.fromPs[priority] < 0) exposure.fromPs[priority] = now;
    if ((exposure.priorities & ~differing & bit) !== 0) exposure.untilPs[priority] = now;
  }
  exposure.priorities = differing;
}
