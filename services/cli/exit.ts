import type { ExpectationResult } from '../report/expectations.js';
import { isStallExpected, isStandstill } from '../report/verdict.js';
import type { RunResults } from '../runtime/results/results.js';

/** What a run says to a script. */
export const EXIT = {
  COMPLETE: 0,
  EXPECTATIONS_FAILED: 1,
  BAD_INPUT: 2,
  RUN_FAILED: 3,
  /** Flows stopped progressing, and the scenario does not expect it. */
  STALLED: 4,
  INTERRUPTED: 130,
} as const;

/** What a run that was not cut short says. */
export function exitCodeOf(
  results: Pick<RunResults, 'status'>,
  expectations: readonly ExpectationResult[],
): number {
  if (results.status === 'failed') return EXIT.RUN_FAILED;
  if (results.status === 'interrupted') return EXIT.INTERRUPTED;
  if (isStandstill(results) && !isStallExpected(expectations)) return EXIT.STALLED;
  return expectations.every(({ ok }) => ok) ? EXIT.COMPLETE : EXIT.EXPECTATIONS_FAILED;
}

/** Something that the user gave is wrong; the message is the one line that is printed. */
export class InputError extends Error {}
