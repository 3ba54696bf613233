import type { Fabric } from '../fabric/assembly/fabric.js';
import type { LoadedScenario } from '../fabric/scenario/load-scenario.js';
import type { FaultStep } from '../runtime/live-faults.js';
import type { RunResults } from '../runtime/results/results.js';
import type { WholeState } from '../runtime/whole-state.js';
import type { DistributionOptions } from './fleet/distribution.js';
import type { LiveOptions } from './live-options.js';
import type { OtlpOptions } from './telemetry-export.js';

export interface EmulateOptions extends DistributionOptions, LiveOptions, OtlpOptions {
  readonly out?: string;
  /** A place in S3-compatible storage for the run directory. */
  readonly results?: string;
  /** Begin paused, so that nothing is missed. */
  readonly paused?: boolean;
  readonly check?: boolean;
  /** `--check=deep`: from the beginning of a run in one process. */
  readonly checkDeep?: boolean;
  /** Whether what repeats is skipped: exact, or off. */
  readonly skip?: string;
  /** Only in one process. */
  readonly checkRows?: boolean;
  /** Open the report in a browser. */
  readonly open?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** False: tables are written as CSV only. */
  readonly parquet?: boolean;
  /** Called with the results when the run directory is written. */
  readonly ended?: (results: RunResults) => void;
  /** With real hosts at its live ports; called when they may send. */
  readonly attached?: () => void | Promise<void>;
  /** Open a control plane for `selvage attach`, `pause`, `inject` and so on, in one process too. */
  readonly control?: boolean;
  /** A port of this machine, for Prometheus. */
  readonly metrics?: string;
}

/** A scenario that has been read, its options, and where to begin. */
export interface Emulation {
  readonly file: string;
  readonly set: readonly string[];
  readonly loaded: LoadedScenario;
  readonly fabric: Fabric;
  /** Null: at the beginning. */
  readonly from: WholeState | null;
  /** Faults that were injected or ended before. */
  readonly steps: readonly FaultStep[];
}
