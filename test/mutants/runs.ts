import { exitCodeOf } from '../../services/cli/exit.js';
import { buildFabric } from '../../services/fabric/assembly/fabric.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import type { LoadedScenario } from '../../services/fabric/scenario/load-scenario.js';
import { loadScenario, scenarioOfDocument } from '../../services/fabric/scenario/load-scenario.js';
import { defaultObservation } from '../../services/report/default-observation.js';
import { evaluateExpectations } from '../../services/report/expectations.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { Session } from '../../services/runtime/session.js';
import { ScenarioError } from '../../services/settings/errors.js';
import type { Recorded } from '../kit/golden.js';
import { fingerprintsOf, RECORD, recordedBy, recordedRun, resumedRun } from '../kit/golden.js';
import type { RunTier } from './tiers.js';
import { RECORDED_TIER } from './tiers.js';

/** An example by its path, or a generated world. */
export interface Scenario {
  readonly name: string;
  /** Null: `name` is a path below the working directory. */
  readonly document: object | null;
}

export interface Outcome {
  /** Exit code of `selvage run`. */
  readonly code: number;
  readonly reason: string;
  /** Of the wire, the state, the results and what is recorded; empty where it is not compared. */
  readonly fingerprint: string;
}

const CODE_OF_BAD_INPUT = 2;
/** Frames that a small world may have in flight. */
const FRAMES_OF_WORLD = 1 << 14;

/** Runs a scenario as `selvage run` does in one thread. */
export function outcomeOf(scenario: Scenario, tier: RunTier): Outcome {
  try {
    const fabric = fabricOf(scenario, tier);
    const session = new Session(fabric, tier.options);
    while (session.advance(1000) === 'running');
    const recorded = recordedBy(session);
    const { results } = recorded;
    const expectations = evaluateExpectations(fabric.scenario.expect, results);
    const code = exitCodeOf(results, expectations);
    const failed = expectations.find(({ ok }) => !ok);
    const expected = failed === undefined ? '' : `expected ${JSON.stringify(failed)}`;
    return {
      code,
      reason: reasonOf(results) ?? expected,
      fingerprint: tier.name === RECORDED_TIER.name ? printOf(fabric, recorded) : '',
    };
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    return { code: CODE_OF_BAD_INPUT, reason: `refused: ${error.message}`, fingerprint: '' };
  }
}

function reasonOf({ failure, status }: RunResults): string | null {
  return failure?.reason ?? (status === 'complete' ? null : status);
}

/** Whether a run that is resumed half way leaves what it leaves otherwise. */
export function isResumedAlike(scenario: Scenario): boolean {
  const fabric = fabricOf(scenario, RECORDED_TIER);
  const recorded = recordedRun(fabric);
  return printOf(fabric, recorded) === printOf(fabric, resumedRun(fabric, recorded));
}

/** Of this process, until now. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const printOf = (fabric: Fabric, recorded: Recorded): string =>
  Object.values(fingerprintsOf(fabric, recorded)).join(' ');

function fabricOf(scenario: Scenario, { observes }: RunTier): Fabric {
  const { name, document } = scenario;
  if (document === null) {
    const set = observes ? defaultObservation(loadScenario(name, { set: [] }).document) : RECORD;
    return built(loadScenario(name, { set }, buildFabric));
  }
  const set = observes ? defaultObservation(document) : RECORD;
  const loaded = scenarioOfDocument('world.yaml', structuredClone(document), { set });
  return { ...built(loaded), frames: FRAMES_OF_WORLD };
}

function built(loaded: LoadedScenario): Fabric {
  return buildFabric(loaded);
}
