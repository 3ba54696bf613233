/**
 * Classes of depths, so that a percentile takes a few counts a connection: 1 to 8 packets have one
 * each, and then every half of an octave has one.
 */

export const DEPTH_CLASSES = 32;
const EXACT = 8;
const EXACT_OCTAVE = 3;

export function classOfDepth(packets: number): number {
  if (packets <= EXACT) return packets - 1;
  const octave = 31 - Math.clz32(packets);
  const half = (packets >>> (octave - 1)) & 1;
  return Math.min(DEPTH_CLASSES - 1, EXACT + 2 * (octave - EXACT_OCTAVE) + half);
}

/** The greatest depth of a class; the last one has no end. */
function greatestOf(depthClass: number): number {
  if (depthClass < EXACT) return depthClass + 1;
  if (depthClass === DEPTH_CLASSES - 1) return Infinity;
  const octave = EXACT_OCTAVE + ((depthClass - EXACT) >> 1);
  const isUpper = ((depthClass - EXACT) & 1) !== 0;
  return isUpper ? 2 ** (octave + 1) - 1 : 2 ** octave + 2 ** (octave - 1) - 1;
}

/** A depth that so large a share of the packets does not exceed, rounded up to its class. */
export function depthPercentile(depths: Int32Array, share: number): number {
  const wanted = share * depths.reduce((sum, count) => sum + count, 0);
  let seen = 0;
  for (let i = 0; i < DEPTH_CLASSES; i++) {
    seen += depths[i];
    if (seen > 0 && seen >= wanted) return greatestOf(i);
  }
  return 0;
}
