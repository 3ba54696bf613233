import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { buildFabric, type Fabric } from '../../fabric/assembly/fabric.js';
import { scenarioOfDocument } from '../../fabric/scenario/load-scenario.js';
import type { PluginSource } from '../../plugins/source.js';
import type { StoredRun } from '../../report/run-directory.js';
import { readRun } from '../../report/run-directory.js';
import { prepareEngine } from '../../runtime/engine-flags.js';
import { LiveFaults } from '../../runtime/live-faults.js';
import type { EmulateOptions, Emulation } from '../emulation.js';
import { emulate } from '../emulate.js';
import { InputError } from '../exit.js';
import { loadFabric } from '../load-fabric.js';
import { steerCommand } from './steer.js';

/** Resumes a paused run, or continues an interrupted one from its run directory. */
export async function resumeCommand(
  run: string | undefined,
  options: EmulateOptions,
): Promise<number> {
  if (run === undefined || !existsSync(run)) return steerCommand('resume', run, options);
  prepareEngine();
  const stored = storedRun(run);
  const { state } = stored;
  if (state === null)
    throw new InputError(`${run} is ${stored.status}: there is nothing to resume`);
  const emulation = { ...sameScenario(run, stored), from: state };
  return emulate(emulation, { ...options, out: options.out ?? run });
}

export function storedRun(folder: string): StoredRun {
  try {
    return readRun(folder);
  } catch (error) {
    throw new InputError((error as Error).message);
  }
}

/** What a run was made of, as its directory has it; files that it names lie where they did. */
export function fabricOfRun({ scenario, document }: StoredRun): Fabric {
  return buildFabric(scenarioOfDocument(scenario, document));
}

/** The scenario of a run, which must be unchanged. */
export function sameScenario(folder: string, stored: StoredRun): Omit<Emulation, 'from'> {
  const { scenario: file, set, steps } = stored;
  const written = loadFabric(file, set);
  const live = new LiveFaults(written.loaded, written.fabric);
  live.repeat(steps);
  const { loaded, fabric } = live;
  const document: unknown = JSON.parse(JSON.stringify(loaded.document));
  if (isDeepStrictEqual(document, stored.document)) return { file, set, loaded, fabric, steps };
  const plugin = changedPlugin(stored.document, document);
  if (plugin !== null) {
    throw new InputError(`${file}: its plugin ${plugin} has changed since ${folder} was run`);
  }
  throw new InputError(`${file} has changed since ${folder} was run: it says something else now`);
}

/** The file of the first plugin whose text has changed; null: there is none. */
function changedPlugin(before: unknown, now: unknown): string | null {
  const [old, current] = [before, now].map(
    (document) => (document as { readonly plugins?: readonly PluginSource[] }).plugins ?? [],
  ) as [readonly PluginSource[], readonly PluginSource[]];
  const changed = old.find(({ file, sha256 }) =>
    current.some((plugin) => plugin.file === file && plugin.sha256 !== sha256),
  );
  return changed?.file ?? null;
}
