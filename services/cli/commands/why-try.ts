import { buildFabric } from '../../fabric/assembly/fabric.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { scenarioOfDocument } from '../../fabric/scenario/load-scenario.js';
import {
  hasActed,
  helpedBy,
  remediesOf,
  remediesSummary,
  type Remedies,
  type Remedy,
  type Tried,
} from '../../report/remedies.js';
import type { StoredRun } from '../../report/run-directory.js';
import type { WhySummary } from '../../report/why.js';
import { LiveFaults } from '../../runtime/live-faults.js';
import { Session } from '../../runtime/session.js';
import type { RunResults } from '../../runtime/results/results.js';
import { ScenarioError } from '../../settings/errors.js';
import { ProgressLine } from '../progress.js';
import { sameScenario } from './resume.js';

/** Wall-clock time of a slice. */
const SLICE_MS = 100;

const AS_IT_IS = 'as it is';

/**
 * Runs a scenario again with each remedy; null where there is nothing to cure. A run without a
 * fault goes on from the state of the run before that fault began.
 */
export function tryRemedies(run: string, stored: StoredRun, why: WhySummary): Remedies | null {
  if (why.trees.length === 0 && !why.faults.some(hasActed)) return null;
  const { file, loaded, fabric } = sameScenario(run, stored);
  const progress = new ProgressLine(process.stderr.isTTY ? process.stderr : null);
  const finish = (name: string, session: Session): RunResults => {
    while (session.advance(SLICE_MS) === 'running') {
      progress.show(() => session.progress(), name);
    }
    return session.results('complete');
  };
  const fresh = (built: Fabric): Session => new Session(built, { check: false });
  const remedies = remediesOf(why, loaded, fabric.topology);
  const startOf = ({ fault }: Remedy): number =>
    fabric.scenario.faults.find(({ name }) => name === fault)!.startPs;
  const asItIs = fresh(fabric);
  const branches = remedies
    .filter(({ isEnd }) => isEnd)
    .sort((a, b) => startOf(a) - startOf(b))
    .map((remedy): [Remedy, RunResults] => {
      const atPs = startOf(remedy);
      asItIs.runTo(atPs);
      const branch = fresh(fabric);
      branch.restore({ ...asItIs.save(), boundPs: atPs });
      const faults = new LiveFaults(loaded, fabric);
      const { change } = faults.take({ kind: 'clear', name: remedy.fault! }, atPs);
      branch.change(change, faults.fabric);
      return [remedy, finish(remedy.name, branch)];
    });
  const branched = new Map(branches);
  const attempt = (remedy: Remedy): Tried => {
    const { name, document, set, isRemoval, fault } = remedy;
    try {
      const results =
        branched.get(remedy) ??
        finish(name, fresh(buildFabric(scenarioOfDocument(file, document, { set }))));
      return { name, isRemoval, fault, results, refused: null };
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error;
      return { name, isRemoval, fault, results: null, refused: 'not with this scenario' };
    }
  };
  const first: Tried = {
    ...{ name: AS_IT_IS, isRemoval: false, fault: null, refused: null },
    results: finish(AS_IT_IS, asItIs),
  };
  const tried = remedies.map(attempt);
  progress.clear();
  return remediesSummary([first, ...tried], helpedBy(why, first.results!));
}
