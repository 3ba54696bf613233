import type { Log } from '../runtime/log.js';
import type { Layout } from './manifest.js';

/** Reason of a run that pauses at a configured time. */
export const HALTED = 'a fault of the infrastructure is due';

export interface CoordinatorOptions {
  readonly run: string;
  readonly version: string;
  readonly check: boolean;
  readonly layout: Layout;
  /** Wall-clock time between checkpoints, at least. */
  readonly checkpointMs: number;
  /** Lookaheads of every round, for comparison with adaptive rounds; null to adapt. */
  readonly roundLength: number | null;
  /** For how long a lost service is waited for. */
  readonly patienceMs: number;
  /** Virtual times at which the run pauses until it is resumed. */
  readonly haltsPs?: readonly number[];
  /** Nothing is executed until the run is resumed. */
  readonly paused?: boolean;
  readonly log: Log;
}
