import {
  CLASS_OF_CUT,
  KIND_CUT,
  KIND_CUT_LAST,
  packedDscp,
} from '../../engine/frame/frame-pool.js';
import type { TrimSpec } from './spec.js';

/** CLASS of what is left of a frame: its marks stay, for its receiver. */
export function trimmedClass(frameClass: number, spec: TrimSpec, isLastHop: boolean): number {
  const { priority, dscp, lastHopDscp } = spec;
  const isTold = isLastHop && lastHopDscp !== dscp;
  const kind = isTold ? KIND_CUT_LAST : KIND_CUT;
  const bits = priority | packedDscp(isLastHop ? lastHopDscp : dscp) | kind;
  return (frameClass & ~CLASS_OF_CUT) | bits;
}
