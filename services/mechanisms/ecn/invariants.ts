import { ECN_CE, ECN_MASK } from '../../engine/frame/frame-pool.js';

/** A frame that was marked has congestion experienced set (RFC 3168, 5). */
export function markedFrameIsCe(frameClass: number): boolean {
  return (frameClass & ECN_MASK) === ECN_CE;
}
