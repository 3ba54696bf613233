import type { KubernetesObject } from '@kubernetes/client-node';
import type { Cluster } from './cluster.js';
import { ClusterError, ClusterRefusal, FORBIDDEN } from './cluster.js';
import { isOfRole, MANAGED_LABEL, RUN_LABEL, SELVAGE } from './labels.js';
import type { Manifest } from './manifests.js';
import { preflight } from './preflight.js';
import { suspended } from './start-gate.js';

/** Everything that the server can refuse, before anything exists; whether to make the namespace. */
export async function validate(
  cluster: Cluster,
  manifests: readonly Manifest[],
  nodes: number,
): Promise<boolean> {
  const namespace = manifests.find(isNamespace)!;
  const others = manifests.filter((manifest) => !isNamespace(manifest));
  try {
    const makesNamespace = !(await exists(cluster, namespace));
    await preflight(cluster, others, { makesNamespace, nodes });
    if (makesNamespace) {
      await cluster.check(namespace);
      await validateElsewhere(cluster, others);
    } else {
      await refuseWhatExists(cluster, others);
      for (const object of others) await cluster.check(suspended(object));
    }
    return makesNamespace;
  } catch (error) {
    throw error instanceof ClusterError ? new ClusterRefusal(error.message) : error;
  }
}

/** A user without the right to look has rights in a namespace that exists, or in none. */
async function exists(cluster: Cluster, namespace: Manifest): Promise<boolean> {
  try {
    return (await cluster.read(namespace)) !== null;
  } catch (error) {
    if ((error as ClusterError).code === FORBIDDEN) return true;
    throw error;
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
    const { [RUN_LABEL]: run } = metadata.labels ?? {};
    throw new ClusterError(
      `namespace ${namespace} has a ${kind} ${metadata.name} already: ` +
        `selvage k8s delete --namespace ${namespace} --run ${run}, or name another --namespace, ` +
        'or of a run another --run',
    );
  }
}

/** The Job of the main role owns the other objects: the cluster deletes all of them with it. */
export async function make(
  cluster: Cluster,
  own: readonly Manifest[],
  main: string,
  retainSeconds: number,
): Promise<void> {
  for (const namespace of own.filter(isNamespace)) await cluster.create(namespace);
  const isMain = (object: Manifest): boolean => object.kind === 'Job' && isOfRole(object, main);
  const job = own.find(isMain)!;
  const owner = await cluster.create(suspended(retained(job, retainSeconds)));
  for (const object of own) {
    if (isNamespace(object) || isMain(object)) continue;
    await cluster.create(owned(suspended(object), owner));
  }
}

/** An object that goes with a Job. */
export function owned(object: Manifest, { metadata }: KubernetesObject): Manifest {
  const { name, uid } = metadata as { name: string; uid: string };
  const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name, uid }];
  return { ...object, metadata: { ...object.metadata, ownerReferences } as Manifest['metadata'] };
}

export function isNamespace({ kind }: Manifest): boolean {
  return kind === 'Namespace';
}

function retained(job: Manifest, ttlSecondsAfterFinished: number): Manifest {
  return { ...job, spec: { ...job.spec, ttlSecondsAfterFinished } };
}

/** What a run creates: its namespace, too, if there is none; that is deleted with it. */
export function ownOf(manifests: readonly Manifest[], makesNamespace: boolean): Manifest[] {
  const others = manifests.filter((manifest) => !isNamespace(manifest));
  return makesNamespace ? [managed(manifests.find(isNamespace)!), ...others] : others;
}

function managed(namespace: Manifest): Manifest {
  const { metadata } = namespace;
  const labels = { ...metadata.labels, [MANAGED_LABEL]: SELVAGE };
  return { ...namespace, metadata: { ...metadata, labels } };
}
