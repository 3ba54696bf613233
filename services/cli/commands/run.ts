import { keysWithoutEffect } from '../../fabric/assembly/advice.js';
import { loadScenario } from '../../fabric/scenario/load-scenario.js';
import { defaultObservation } from '../../report/default-observation.js';
import { prepareEngine } from '../../runtime/engine-flags.js';
import type { CaptureOptions } from '../capture-options.js';
import { captureSettings } from '../capture-options.js';
import type { EmulateOptions } from '../emulation.js';
import { emulate } from '../emulate.js';
import { loadRun } from '../load-fabric.js';

export interface RunOptions extends EmulateOptions, CaptureOptions {
  readonly set: readonly string[];
  readonly seed?: string;
  /** Run it however large it is. */
  readonly force?: boolean;
  /** False: only what the scenario itself observes. */
  readonly observe?: boolean;
}

export async function runCommand(file: string, options: RunOptions): Promise<number> {
  prepareEngine();
  const seed = options.seed === undefined ? [] : [`seed=${options.seed}`];
  const given = [...options.set, ...seed, ...captureSettings(options)];
  const defaults =
    options.observe === false
      ? []
      : defaultObservation(loadScenario(file, { set: given }).document);
  const set = [...given, ...defaults];
  const { loaded, fabric } = loadRun(file, set, options.force);
  if (options.quiet !== true) {
    for (const { path, message } of keysWithoutEffect(fabric, loaded.document)) {
      process.stderr.write(`warning: ${loaded.errorAt(path, message).message}\n`);
    }
  }
  return emulate({ file, set, loaded, fabric, from: null, steps: [] }, options);
}
