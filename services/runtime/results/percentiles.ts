import type { Percentiles } from './results.js';

/** Exact percentiles by nearest rank; null of nothing. */
export function percentilesOf(values: readonly number[]): Percentiles | null {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const rank = (share: number): number => {
    const index = Math.ceil(share * sorted.length) - 1;
    return sorted[Math.max(0, index)]!;
  };
  return {
    count: sorted.length,
    p50: rank(0.5),
    p99: rank(0.99),
    p999: rank(0.999),
    max: sorted[sorted.length - 1]!,
  };
}
