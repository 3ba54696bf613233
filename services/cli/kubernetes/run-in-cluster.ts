import type { Cluster } from './cluster.js';
import { ClusterError, ClusterRefusal } from './cluster.js';
import { collect } from './collect.js';
import { follow } from './follow.js';
import { MANAGED_LABEL, SELVAGE } from './labels.js';
import type { Manifest } from './manifests.js';
import { preflight } from './preflight.js';
import { clear } from './clear.js';
import type { StartOptions } from './start-gate.js';
import { held, StartGate } from './start-gate.js';

/** A run to be made in a cluster, and how the user wants it. */
export interface ClusterRequest extends StartOptions {
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
export async function runInCluster(cluster: Cluster, request: ClusterRequest): Promise<number> {
  const { manifests, note } = request;
  const namespace = manifests.find(({ kind }) => kind === 'Namespace')!;
  const others = manifests.filter(({ kind }) => kind !== 'Namespace');
  const makesNamespace = await validate(cluster, request, namespace, others);
  const own = makesNamespace ? [managed(namespace), ...others] : others;
  let hasStarted = false;
  try {
    await make(cluster, own, request);
    note(`${others.length} objects in namespace ${cluster.namespace}`);
    const workloads = others.filter(({ spec }) => spec?.template !== undefined);
    await new StartGate(cluster, workloads, request).open();
    hasStarted = true;
    if (request.detach) {
      note(`run ${request.run} goes on; ${commandsFor(cluster.namespace)}`);
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
    note(`run ${run} is left as it is; ${commandsFor(cluster.namespace)}`);
    return;
  }
  await clear(cluster, own).catch((error: unknown) => {
    note(`not everything could be deleted: ${(error as Error).message}`);
    note(`later: selvage k8s delete --namespace ${cluster.namespace}`);
  });
}

function commandsFor(namespace: string): string {
  const option = namespace === SELVAGE ? '' : ` --namespace ${namespace}`;
  return ['attach', 'fetch', 'delete'].map((word) => `selvage k8s ${word}${option}`).join(', ');
}

/** Everything that the server can refuse, before anything exists; whether to make the namespace. */
async function validate(
  cluster: Cluster,
  { nodes }: ClusterRequest,
  namespace: Manifest,
  others: readonly Manifest[],
): Promise<boolean> {
  try {
    const makesNamespace = (await cluster.read(namespace)) === null;
    await preflight(cluster, others, { makesNamespace, nodes });
    if (makesNamespace) {
      await cluster.check(namespace);
      await validateElsewhere(cluster, others);
    } else {
      await refuseWhatExists(cluster, others);
      for (const object of others) await cluster.check(held(object));
    }
    return makesNamespace;
  } catch (error) {
    throw error instanceof ClusterError ? new ClusterRefusal(error.message) : error;
  }
}

/** A namespace that exists in every cluster. */
const DEFAULT_NAMESPACE = 'default';
const INVALID = [400, 422];

/**
 * The server validates objects only in a namespace that exists: here in `default`. Its own quotas,
 * rights and names say nothing of the namespace to come; what is invalid is so in any.
 */
async function validateElsewhere(cluster: Cluster, objects: readonly Manifest[]): Promise<void> {
  for (const object of objects) {
    const metadata = { ...object.metadata, namespace: DEFAULT_NAMESPACE };
    const moved: Manifest = { ...object, metadata };
    try {
      await cluster.check(moved);
    } catch (error) {
      if (INVALID.includes((error as ClusterError).code ?? 0)) throw error;
    }
  }
}

async function refuseWhatExists(cluster: Cluster, objects: readonly Manifest[]): Promise<void> {
  for (const object of objects) {
    const { kind, metadata } = object;
    const found = await cluster.read(object);
    if (found === null) continue;
    const { namespace } = cluster;
    throw new ClusterError(
      `namespace ${namespace} has a ${kind} ${metadata.name} already: ` +
        `selvage k8s delete --namespace ${namespace}, or name another --namespace`,
    );
  }
}

/** The coordinator's Job owns the other objects: the cluster deletes all of them with it. */
async function make(
  cluster: Cluster,
  own: readonly Manifest[],
  { retainSeconds }: ClusterRequest,
): Promise<void> {
  for (const namespace of own.filter(({ kind }) => kind === 'Namespace')) {
    await cluster.create(namespace);
  }
  const [job] = own.filter(isCoordinator);
  const owner = await cluster.create(held(retained(job!, retainSeconds)));
  const { uid } = owner.metadata as unknown as { uid: string };
  const reference = { apiVersion: 'batch/v1', kind: 'Job', name: job!.metadata.name, uid };
  for (const object of own) {
    if (object.kind === 'Namespace' || isCoordinator(object)) continue;
    const metadata = { ...object.metadata, ownerReferences: [reference] };
    await cluster.create({ ...held(object), metadata });
  }
}

function isCoordinator({ kind, metadata }: Manifest): boolean {
  return kind === 'Job' && metadata.name === 'coordinator';
}

function retained(job: Manifest, ttlSecondsAfterFinished: number): Manifest {
  return { ...job, spec: { ...job.spec, ttlSecondsAfterFinished } };
}

/** A namespace that is deleted with its run. */
function managed(namespace: Manifest): Manifest {
  const { metadata } = namespace;
  const labels = { ...metadata.labels, [MANAGED_LABEL]: SELVAGE };
  return { ...namespace, metadata: { ...metadata, labels } };
}
