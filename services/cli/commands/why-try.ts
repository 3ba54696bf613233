import { buildFabric } from '../../fabric/assembly/fabric.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { scenarioOfDocument } from '../../fabric/scenario/load-scenario.js';
import {
  helpedBy,
  remediesOf,
  remediesText,
  type Remedy,
  type Tried,
} from '../../report/remedies.js';
import type { StoredRun } from '../../report/run-directory.js';
import type { WhySummary } from '../../report/why.js';
import { Session } from '../../runtime/session.js';
import type { RunResults } from '../../runtime/results/results.js';
import { ScenarioError } from '../../settings/errors.js';
import { ProgressLine } from '../progress.js';
import { styleFor } from '../style.js';
import { sameScenario } from './resume.js';

/** Wall-clock time of a slice. */
const SLICE_MS = 100;

/** Runs a scenario again with each remedy; returns what came of it as text. */
export function tryRemedies(run: string, stored: StoredRun, why: WhySummary): string {
  if (why.trees.length === 0) return '';
  const { file, loaded, fabric } = sameScenario(run, stored);
  const progress = new ProgressLine(process.stderr.isTTY ? process.stderr : null);
  const measure = (name: string, built: Fabric): RunResults => {
    const session = new Session(built, { check: false });
    while (session.advance(SLICE_MS) === 'running') {
      progress.show(() => session.progress(), name);
    }
    return session.results('complete');
  };
  const attempt = ({ name, document, set, isRemoval }: Remedy): Tried => {
    try {
      const built = buildFabric(scenarioOfDocument(file, document, { set }));
      return { name, isRemoval, results: measure(name, built), refused: null };
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error;
      return { name, isRemoval, results: null, refused: 'not with this scenario' };
    }
  };
  const asItIs: Tried = {
    ...{ name: 'as it is', isRemoval: false, refused: null },
    results: measure('as it is', fabric),
  };
  const tried = remediesOf(why, loaded, fabric.topology).map(attempt);
  progress.clear();
  return remediesText([asItIs, ...tried], helpedBy(why), styleFor(process.stdout));
}
