import { setTimeout } from 'node:timers/promises';
import type { Cluster } from './cluster.js';
import { ClusterError } from './cluster.js';
import type { Manifest } from './manifests.js';

const LOOK_MS = 500;
const GONE_MS = 120_000;

/** Deletes objects and waits until they are gone; a namespace takes all that is in it along. */
export async function clear(cluster: Cluster, objects: readonly Manifest[]): Promise<void> {
  const namespaces = objects.filter(({ kind }) => kind === 'Namespace');
  const doomed = namespaces.length > 0 ? namespaces : [...objects].reverse();
  for (const object of doomed) await cluster.remove(object);
  for (const object of doomed) await gone(cluster, object);
  if (namespaces.length > 0) return;
  const until = performance.now() + GONE_MS;
  while ((await cluster.pods()).length > 0 && performance.now() < until) {
    await setTimeout(LOOK_MS);
  }
}

async function gone(cluster: Cluster, object: Manifest): Promise<void> {
  const until = performance.now() + GONE_MS;
  while ((await cluster.read(object)) !== null) {
    if (performance.now() > until) {
      const { kind, metadata } = object;
      throw new ClusterError(`${kind} ${metadata.name} still exists ${GONE_MS / 1000} s later`);
    }
    await setTimeout(LOOK_MS);
  }
}
