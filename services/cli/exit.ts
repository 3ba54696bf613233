import type { ExpectationResult } from '../report/expectations.js';
import { isStallExpected, isStandstill, isStarved } from '../report/verdict.js';
import type { RunResults } from '../runtime/results/results.js';

/** Exit codes of a run. */
export const EXIT = {
  COMPLETE: 0,
  EXPECTATIONS_FAILED: 1,
  BAD_INPUT: 2,
  RUN_FAILED: 3,
  /** Flows stopped progressing, and the scenario does not expect it. */
  STALLED: 4,
  /** The configuration serves classes before those of some flows, and that is not expected. */
  STARVED: 5,
  INTERRUPTED: 130,
  /** Ended by SIGTERM, as shells report it. */
  TERMINATED: 143,
} as const;

/** What each code means. */
export const EXIT_MEANINGS: readonly (readonly [code: number, meaning: string])[] = [
  [EXIT.COMPLETE, 'complete, and every expectation holds'],
  [
    EXIT.EXPECTATIONS_FAILED,
    'an expectation failed; of `live`, strict time was not held; of `dcbx --mismatch`, link ' +
      'partners disagree; of `sonic`, a switch is not lossless, or not as expected',
  ],
  [EXIT.BAD_INPUT, 'bad input or usage; of `validate --strict`, also a warning'],
  [EXIT.RUN_FAILED, 'the run failed: a lossless frame was lost, or an invariant was broken'],
  [EXIT.STALLED, 'flows stalled or deadlocked, and the scenario does not expect it'],
  [
    EXIT.STARVED,
    'flows starved: as configured, a port serves other classes before theirs, and the scenario ' +
      'does not expect it; nothing else stands still',
  ],
  [EXIT.INTERRUPTED, 'interrupted (Ctrl-C); what was measured is kept'],
  [
    EXIT.TERMINATED,
    'ended by SIGTERM; what was measured is kept, or a run in a cluster continues elsewhere',
  ],
];

/** Exit code of a run that was not interrupted. */
export function exitCodeOf(
  results: Pick<RunResults, 'status'>,
  expectations: readonly ExpectationResult[],
): number {
  if (results.status === 'failed') return EXIT.RUN_FAILED;
  if (results.status === 'interrupted') return EXIT.INTERRUPTED;
  if (isStandstill(results) && !isStallExpected(expectations)) return EXIT.STALLED;
  if (isStarved(results) && !isStallExpected(expectations)) return EXIT.STARVED;
  return expectations.every(({ ok }) => ok) ? EXIT.COMPLETE : EXIT.EXPECTATIONS_FAILED;
}

/** Invalid input by the user; the message is the one line that is printed. */
export class InputError extends Error {}
