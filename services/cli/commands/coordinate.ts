import type { RunOptions } from './run.js';
import { runCommand } from './run.js';

const EVERYWHERE = '0.0.0.0:7400';

/** A run whose services are started elsewhere and join; checkpoints go where all can reach them. */
export function coordinateCommand(file: string, options: RunOptions): Promise<number> {
  const { listen = EVERYWHERE, checkpoints = 'jetstream' } = options;
  return runCommand(file, { ...options, listen, checkpoints });
}
