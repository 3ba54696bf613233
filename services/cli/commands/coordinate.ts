import { EXIT } from '../exit.js';
import type { RunOptions } from './run.js';
import { runCommand } from './run.js';

const EVERYWHERE = '0.0.0.0:7400';

export interface CoordinateOptions extends RunOptions {
  /** What starts failed processes again is to leave a run that is over, whatever came of it. */
  readonly exitZero?: boolean;
}

/** A run whose services are started elsewhere and join; checkpoints go where all can reach them. */
export async function coordinateCommand(file: string, options: CoordinateOptions): Promise<number> {
  const { listen = EVERYWHERE, checkpoints = 'jetstream', exitZero = false } = options;
  const verdict = await runCommand(file, { ...options, listen, checkpoints });
  return exitZero ? EXIT.COMPLETE : verdict;
}
