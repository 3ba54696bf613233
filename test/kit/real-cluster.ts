import { Cluster } from '../../services/cli/kubernetes/cluster.js';
import type { Manifest } from './manifests.js';

/** Tests against a real API server run only where the environment names one. */
export const NAMES_A_CLUSTER = process.env['KUBECONFIG'] !== undefined;

/**
 * Has the API server of KUBECONFIG judge manifests, and a pod of each of their workloads, in a
 * namespace that is made like theirs and goes again. @returns what it refused.
 */
export async function refusalsOf(manifests: readonly Manifest[], name: string): Promise<string[]> {
  const cluster = Cluster.of({ namespace: name });
  const place = manifests.find(({ kind }) => kind === 'Namespace')!;
  const namespace = { ...place, metadata: { ...place.metadata, name } };
  const others = manifests.filter((one) => one !== place).map((one) => within(one, name));
  const refusals: string[] = [];
  await cluster.create(namespace);
  try {
    for (const account of others.filter(({ kind }) => kind === 'ServiceAccount')) {
      await cluster.create(account);
    }
    const rest = others.filter(({ kind }) => kind !== 'ServiceAccount');
    for (const object of [...rest, ...rest.flatMap(podOf)]) {
      await cluster.check(object).catch((error: unknown) => {
        refusals.push(`${object.kind} ${object.metadata.name}: ${(error as Error).message}`);
      });
    }
  } finally {
    await cluster.remove(namespace);
  }
  return refusals;
}

function within<T extends Manifest>(manifest: T, namespace: string): T {
  return { ...manifest, metadata: { ...manifest.metadata, namespace } };
}

/** As a controller makes it: what pod security looks at are pods, not what they come from. */
function podOf({ metadata, spec }: Manifest): Manifest[] {
  if (spec?.template === undefined) return [];
  const { metadata: labelled, spec: pod } = spec.template;
  const claimed = ((spec['volumeClaimTemplates'] ?? []) as Pick<Manifest, 'metadata'>[]).map(
    ({ metadata: { name } }) => ({ name, persistentVolumeClaim: { claimName: name } }),
  );
  const made = { ...pod, volumes: [...(pod.volumes ?? []), ...claimed] };
  const what = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...labelled, ...metadata },
    spec: made,
  };
  return [what];
}
