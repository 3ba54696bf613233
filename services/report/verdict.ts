import type { RunResults } from '../runtime/results/results.js';
import type { ExpectationResult } from './expectations.js';

/** Metrics by which a scenario expects flows that stop progressing. */
const KNOWN_BY = new Set(['stalled-flows', 'starved-flows', 'deadlocks', 'starved', 'unreachable']);

/** Flows have stopped progressing, or a cyclic buffer dependency holds. */
export function isStandstill({ status }: Pick<RunResults, 'status'>): boolean {
  return status === 'stalled' || status === 'deadlocked';
}

/** Flows wait for classes that the configuration serves first, and no other stands still. */
export function isStarved({ status }: Pick<RunResults, 'status'>): boolean {
  return status === 'starved';
}

/**
 * A scenario expects stalled flows if it expects any of these metrics, and the expectation holds.
 */
export function isStallExpected(expectations: readonly ExpectationResult[]): boolean {
  return expectations.some(
    ({ metric, ok, actual }) =>
      KNOWN_BY.has(metric) && ok && typeof actual === 'number' && actual > 0,
  );
}
