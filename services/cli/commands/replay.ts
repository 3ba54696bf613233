import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { INPUTS, readRunFile } from '../../report/run-directory.js';
import { prepareEngine } from '../../runtime/engine-flags.js';
import { LiveFaults } from '../../runtime/live-faults.js';
import type { EmulateOptions } from '../emulation.js';
import { emulate } from '../emulate.js';
import { EXIT, InputError } from '../exit.js';
import { loadFabric } from '../load-fabric.js';
import { faultOf, type InjectOptions } from './inject.js';
import { sameScenario, storedRun } from './resume.js';

export interface ReplayOptions
  extends Omit<EmulateOptions, 'json'>, Pick<InjectOptions, 'fault' | 'where' | 'at' | 'for'> {
  readonly set: readonly string[];
  readonly json?: boolean;
}

/** Executes a live run again, from what came in: without sockets, and as fast as it can. */
export async function replayCommand(run: string, options: ReplayOptions): Promise<number> {
  prepareEngine();
  const stored = storedRun(run);
  const inputs = join(run, INPUTS);
  if (!existsSync(inputs)) {
    throw new InputError(`${run} is no live run: it has no ${INPUTS}; selvage live makes one`);
  }
  const { file, set, steps, loaded } = sameScenario(run, stored);
  const ended = [`duration=${endPs(run) / 1e3}ns`, `live.inputs=${inputs}`];
  const changed = [...set, ...ended, ...options.set, ...faultSettings(loaded.document, options)];
  const written = loadFabric(file, changed);
  const live = new LiveFaults(written.loaded, written.fabric);
  live.repeat(steps);
  const out = options.out ?? `${run.replace(/\/+$/, '')}-replay`;
  let digest = '';
  const code = await emulate(
    { file, set: changed, steps, loaded: live.loaded, fabric: live.fabric, from: null },
    {
      ...options,
      out,
      ended: (results) => {
        digest = results.digest;
      },
    },
  );
  const isChanged = options.set.length > 0 || options.fault !== undefined;
  if (isChanged || digest === '') return code;
  if (digest !== stored.digest) {
    process.stderr.write(`the digest differs from that of ${run}: ${stored.digest}\n`);
    return EXIT.RUN_FAILED;
  }
  if (options.quiet !== true && options.json !== true) {
    process.stdout.write(`the digest is that of the live run ${run}\n`);
  }
  return code;
}

/** Everything before was executed in the live run. */
function endPs(run: string): number {
  const { live } = JSON.parse(readRunFile(run, 'summary.json')) as {
    readonly live?: { readonly time?: { readonly endPs?: number } | null } | null;
  };
  const end = live?.time?.endPs;
  if (end === undefined) throw new InputError(`${run} is no live run: its summary has no end`);
  return end;
}

/** The faults of the scenario, and the one of the command line. */
function faultSettings(document: unknown, options: ReplayOptions): readonly string[] {
  if (options.fault === undefined) return [];
  const { faults = [] } = JSON.parse(JSON.stringify(document)) as { faults?: readonly unknown[] };
  const { set: _, ...own } = options;
  const added = faultOf(options.fault, { ...own, set: [] });
  return [`faults=${JSON.stringify([...faults, added])}`];
}
