import { EXIT } from '../exit.js';
import { endBrokers } from '../fleet/broker-end.js';
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
  const verdict = await runCommand(file, { ...scaled(options), listen, checkpoints });
  // A run that failed may be picked up by the next coordinator.
  if (verdict !== EXIT.RUN_FAILED) await endBrokers();
  return exitZero ? EXIT.COMPLETE : verdict;
}

/** A run that continues in another number of services: the environment says so, not arguments. */
function scaled({ devicesPerService, ...options }: CoordinateOptions): CoordinateOptions {
  const { SELVAGE_SCALED_SERVICES: services, SELVAGE_SCALED_THREADS: threads } = process.env;
  if (services !== undefined) return { ...options, services, ...(threads && { threads }) };
  return { ...options, ...(devicesPerService !== undefined && { devicesPerService }) };
}

/** As process 1 of a container, Node ignores SIGTERM unless a listener exists; here always one. */
function leaveOnSignal(): void {
  process.on('SIGTERM', () => {
    // While the run is on its way, its own listener saves a checkpoint first.
    if (process.listenerCount('SIGTERM') === 1) process.exit(EXIT.TERMINATED);
  });
}
