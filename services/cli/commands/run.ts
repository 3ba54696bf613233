import { prepareEngine } from '../../runtime/engine-flags.js';
import type { EmulateOptions } from '../emulate.js';
import { emulate } from '../emulate.js';
import { loadFabric } from '../load-fabric.js';

export interface RunOptions extends EmulateOptions {
  readonly set: readonly string[];
  readonly seed?: string;
}

export async function runCommand(file: string, options: RunOptions): Promise<number> {
  prepareEngine();
  const set = [...options.set, ...(options.seed === undefined ? [] : [`seed=${options.seed}`])];
  return emulate({ file, set, ...loadFabric(file, set), from: null, steps: [] }, options);
}
