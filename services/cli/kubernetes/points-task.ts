// What the commands of sweeps and hunts say of a part of theirs in a pod; it needs no cluster.

/** Options of a command whose runs may be pods. */
export interface PointsOptions {
  /** In a cluster, instead of here. */
  readonly k8s?: boolean;
  readonly namespace?: string;
  readonly context?: string;
  readonly image?: string;
  /** File of values for the cluster. */
  readonly values?: string;
  /** At most so many pods at once. */
  readonly pods?: string;
  readonly keep?: boolean;
}

/** One command in many pods, each with a part of its runs. */
export interface PointsTask {
  /** Of the scenario; names what is created. */
  readonly name: string;
  /** Scenario, and the files that it names; null: the command needs none. */
  readonly files: ReadonlyMap<string, string> | null;
  readonly devices: number;
  /** How many parts there are. */
  readonly count: number;
  /** The command, whose output is JSON; it may name `SCENARIO_IN_POD` and `PART_IN_POD`. */
  readonly args: readonly string[];
}

export const SCENARIO_IN_POD = '/scenario/scenario.yaml';
/** Number of a part, from 0, as Kubernetes expands it. */
export const PART_IN_POD = '$(SELVAGE_POINT)';
