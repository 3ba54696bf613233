/**
 * Runs every example in a copy of the sources, and prints a line of JSON for each: in which kinds
 * its fingerprints differ from the kept ones, or why the scenario is refused.
 */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ScenarioError } from '../../services/settings/errors.js';
import { ROOT } from '../kit/emulate.js';
import {
  changedKinds,
  fingerprintsOf,
  goldenFabric,
  keptFingerprints,
  recordedRun,
} from '../kit/golden.js';

/** What became of an example. */
export interface Outcome {
  readonly example: string;
  /** Null: it did not run. */
  readonly changed: readonly string[] | null;
  /** The scenario has something that is not there: one error that names the place. */
  readonly refusal: string | null;
  /** What must not happen. */
  readonly failure: string | null;
}

for (const example of readdirSync(join(ROOT, 'examples'))) {
  if (example.endsWith('.yaml')) console.log(JSON.stringify(outcomeOf(example)));
}

function outcomeOf(example: string): Outcome {
  const none = { example, changed: null, refusal: null, failure: null };
  try {
    const fabric = goldenFabric(example);
    const recorded = recordedRun(fabric);
    const { failure } = recorded.results;
    if (failure !== null) return { ...none, failure: failure.reason };
    const fingerprints = fingerprintsOf(fabric, recorded);
    return { ...none, changed: changedKinds(keptFingerprints(example), fingerprints) };
  } catch (error) {
    if (error instanceof ScenarioError) return { ...none, refusal: error.message };
    return { ...none, failure: error instanceof Error ? String(error.stack) : String(error) };
  }
}
