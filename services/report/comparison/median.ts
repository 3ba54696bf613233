/**
 * Medians over seeds, and intervals that contain them: order statistics, so that nothing is assumed
 * of how values are distributed.
 */

/** Confidence of an interval, where there are enough values. */
export const CONFIDENCE = 0.95;
/** Fewer values have no interval of this confidence. */
export const SEEDS_FOR_CONFIDENCE = 6;

export interface Median {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

export function medianOf(values: readonly number[]): Median {
  const sorted = Float64Array.from(values).sort();
  const n = sorted.length;
  const [lower, upper] = [sorted[(n - 1) >> 1]!, sorted[n >> 1]!];
  // The middle of two that are infinite is no number.
  const median = lower === upper ? lower : (lower + upper) / 2;
  const outside = outsideOf(n);
  return { median, low: sorted[outside]!, high: sorted[n - 1 - outside]! };
}

/**
 * Whether two contenders differ, from ratios of their values at the same seeds: the interval of the
 * median of the ratios does not contain 1.
 */
export function differs(ratios: readonly number[]): boolean {
  if (ratios.every((ratio) => ratio === ratios[0])) return ratios[0] !== 1;
  if (ratios.length < SEEDS_FOR_CONFIDENCE) return false;
  const { low, high } = medianOf(ratios);
  return low > 1 || high < 1;
}

/**
 * How many values lie outside at either end: the median is below the k lowest of n with the
 * probability of fewer than k heads in n tosses.
 */
function outsideOf(n: number): number {
  let probability = 0.5 ** n;
  let below = probability;
  let outside = 0;
  while (outside < n >> 1) {
    probability *= (n - outside) / (outside + 1);
    if (2 * (below + probability) > 1 - CONFIDENCE) break;
    below += probability;
    outside++;
  }
  return outside;
}
