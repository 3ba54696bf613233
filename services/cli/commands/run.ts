import { prepareEngine } from '../../runtime/engine-flags.js';
import type { CaptureOptions } from '../capture-options.js';
import { captureSettings } from '../capture-options.js';
import type { EmulateOptions } from '../emulation.js';
import { emulate } from '../emulate.js';
import { loadFabric } from '../load-fabric.js';

export interface RunOptions extends EmulateOptions, CaptureOptions {
  readonly set: readonly string[];
  readonly seed?: string;
}

export async function runCommand(file: string, options: RunOptions): Promise<number> {
  prepareEngine();
  const seed = options.seed === undefined ? [] : [`seed=${options.seed}`];
  const set = [...options.set, ...seed, ...captureSettings(options)];
  return emulate({ file, set, ...loadFabric(file, set), from: null, steps: [] }, options);
}
