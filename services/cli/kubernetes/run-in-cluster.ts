import type { Cluster } from './cluster.js';
import { collect } from './collect.js';
import { isNamespace, make, ownOf, validate } from './create.js';
import { follow } from './follow.js';
import { COORDINATOR, SELVAGE } from './labels.js';
import type { Manifest } from './manifests.js';
import { clear } from './clear.js';
import type { StartOptions } from './start-gate.js';
import { StartGate } from './start-gate.js';

/** A run to be made in a cluster, and how the user wants it. */
interface ClusterRequest extends StartOptions {
  readonly manifests: readonly Manifest[];
  readonly run: string;
  /** An existing folder for the run directory. */
  readonly out: string;
  /** Leave everything in the cluster. */
  readonly keep: boolean;
  /** Return as soon as every pod runs. */
  readonly detach: boolean;
  /** Brokers on nodes of their own; 1: anywhere. */
  readonly nodes: number;
  /** Seconds after the end for which the cluster keeps the run and its results. */
  readonly retainSeconds: number;
}

/** Creates, starts, follows, fetches and deletes a run; returns the coordinator's exit code. */
export async function runInCluster(all: Cluster, request: ClusterRequest): Promise<number> {
  const { manifests, run, note, nodes, retainSeconds } = request;
  const cluster = all.ofRun(run);
  const own = ownOf(manifests, await validate(cluster, manifests, nodes));
  const others = manifests.filter((manifest) => !isNamespace(manifest));
  let hasStarted = false;
  try {
    await make(cluster, own, COORDINATOR, retainSeconds);
    note(`${others.length} objects in namespace ${cluster.namespace}`);
    const workloads = others.filter(({ spec }) => spec?.template !== undefined);
    await new StartGate(cluster, workloads, request).open();
    hasStarted = true;
    if (request.detach) {
      note(`run ${run} goes on; ${commandsFor(cluster.namespace, run)}`);
      return 0;
    }
    const code = await follow(cluster, request);
    await collect(cluster, request.out, request);
    if (!request.keep) await clear(cluster, own);
    return code;
  } catch (error) {
    await settle(cluster, own, request, hasStarted);
    throw error;
  }
}

/** After an error: what may still run is left alone, and a second error hides no first. */
async function settle(
  cluster: Cluster,
  own: readonly Manifest[],
  { keep, note, stopped, run }: ClusterRequest,
  hasStarted: boolean,
): Promise<void> {
  if (keep) return;
  if (hasStarted && !stopped.aborted) {
    note(`run ${run} is left as it is; ${commandsFor(cluster.namespace, run)}`);
    return;
  }
  await clear(cluster, own).catch((error: unknown) => {
    note(`not everything could be deleted: ${(error as Error).message}`);
    note(`later: selvage k8s delete --namespace ${cluster.namespace} --run ${run}`);
  });
}

function commandsFor(namespace: string, run: string): string {
  const option = `${namespace === SELVAGE ? '' : ` --namespace ${namespace}`} --run ${run}`;
  return ['attach', 'fetch', 'delete'].map((word) => `selvage k8s ${word}${option}`).join(', ');
}
