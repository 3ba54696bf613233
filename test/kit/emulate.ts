import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { loadFabric } from '../../services/cli/load-fabric.js';
import type { LoadedScenario } from '../../services/fabric/scenario/load-scenario.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { Session } from '../../services/runtime/session.js';

/** The repository, seen from the compiled tests. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** A fabric from the text of a scenario, or from a file of the repository. */
export function fabricOf(scenario: string, ...set: string[]): Fabric {
  return sourceOf(scenario, ...set).fabric;
}

/** The same, with the scenario as it was read. */
export function sourceOf(
  scenario: string,
  ...set: string[]
): { loaded: LoadedScenario; fabric: Fabric } {
  if (!scenario.includes('\n')) return loadFabric(join(ROOT, scenario), set);
  const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
  try {
    const file = join(folder, 'scenario.yaml');
    writeFileSync(file, `selvage: 1\n${scenario}`);
    return loadFabric(file, set);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs to the end with every check on. */
export function run(fabric: Fabric): RunResults {
  const session = new Session(fabric, { check: true });
  while (session.advance(1000) === 'running');
  return session.results('complete');
}

export function runScenario(scenario: string, ...set: string[]): RunResults {
  return run(fabricOf(scenario, ...set));
}

/** The only flow whose name ends so. */
export function flowOf(results: RunResults, name: string): RunResults['flows'][number] {
  const found = results.flows.filter((flow) => flow.name.endsWith(name));
  if (found.length !== 1) throw new Error(`${found.length} flows are called ${name}`);
  return found[0]!;
}
