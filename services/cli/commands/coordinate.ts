import { EXIT } from '../exit.js';
import type { RunOptions } from './run.js';
import { runCommand } from './run.js';

const EVERYWHERE = '0.0.0.0:7400';

export interface CoordinateOptions extends RunOptions {
  /**
   * Supervisors that restart failed processes must not restart a run that is over, whatever its
   * exit code.
   */
  readonly exitZero?: boolean;
}

/** A run whose services are started elsewhere and join; checkpoints go where all can reach them. */
export async function coordinateCommand(file: string, options: CoordinateOptions): Promise<number> {
  const { listen = EVERYWHERE, checkpoints = 'jetstream', exitZero = false } = options;
  leaveOnSignal();
  const verdict = await runCommand(file, { ...options, listen, checkpoints });
  return exitZero ? EXIT.COMPLETE : verdict;
}

/** As process 1 of a container, Node ignores SIGTERM unless a listener exists; here always one. */
function leaveOnSignal(): void {
  process.on('SIGTERM', () => {
    // While the run is on its way, its own listener saves a checkpoint first.
    if (process.listenerCount('SIGTERM') === 1) process.exit(EXIT.TERMINATED);
  });
}
