import type { Percentiles } from './statistics.js';

const RANKS = { p50: 0.5, p99: 0.99, p999: 0.999, max: 1 } as const;

/**
 * Exact percentiles by nearest rank, of what finished and what did not: a value that is unfinished
 * counts as longer than any other. `unfinished`: the least that each of those will come to. Null of
 * nothing.
 */
export function percentilesOf(
  values: readonly number[],
  unfinished: readonly number[] = [],
): Percentiles | null {
  const total = values.length + unfinished.length;
  if (total === 0) return null;
  const finished = Float64Array.from(values).sort();
  const bounds = Float64Array.from([...values, ...unfinished]).sort();
  const indexOf = (share: number): number => Math.max(0, Math.ceil(share * total) - 1);
  const at = (share: number): number | null => finished[indexOf(share)] ?? null;
  const atLeast = (share: number): number => bounds[indexOf(share)]!;
  return {
    count: finished.length,
    total,
    p50: at(RANKS.p50),
    p99: at(RANKS.p99),
    p999: at(RANKS.p999),
    max: at(RANKS.max),
    atLeast: {
      p50: atLeast(RANKS.p50),
      p99: atLeast(RANKS.p99),
      p999: atLeast(RANKS.p999),
      max: atLeast(RANKS.max),
    },
  };
}
