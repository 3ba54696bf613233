import { ECN_CE, ECN_MASK, ECT_0 } from '../../frame/frame-pool.js';

/** Marking turns ECT(0) into CE and touches nothing else of a frame's class. */
export function marksOnlyCapableFrames(before: number, after: number): boolean {
  if (before === after) return true;
  return (before & ECN_MASK) === ECT_0 && after === (before | ECN_CE);
}
