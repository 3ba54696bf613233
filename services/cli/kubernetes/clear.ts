import { setTimeout } from 'node:timers/promises';
import type { Cluster } from './cluster.js';
import { ClusterError } from './cluster.js';
import { isNamespace } from './create.js';
import type { Manifest } from './manifests.js';
import { RunWatch } from './run-watch.js';

const POLL_MS = 500;
const GONE_MS = 120_000;

/**
 * Deletes objects and waits until they are gone. A namespace goes last: controllers that make pods
 * in one that is being deleted are refused, and retry under the same names minutes later.
 */
export async function clear(cluster: Cluster, objects: readonly Manifest[]): Promise<void> {
  const namespaces = objects.filter(isNamespace);
  const others = objects.filter((object) => !isNamespace(object)).reverse();
  await removeAll(cluster, others);
  await podsGone(cluster);
  if (await hasRuns(cluster)) return;
  await removeAll(cluster, namespaces);
}

async function podsGone(cluster: Cluster): Promise<void> {
  const watch = await RunWatch.open(cluster);
  const until = performance.now() + GONE_MS;
  const never = new AbortController().signal;
  try {
    while (watch.pods.length > 0 && performance.now() < until) await watch.changed(never);
  } finally {
    watch.close();
  }
}

/** Others may have come into a namespace that was made for one run. */
async function hasRuns(cluster: Cluster): Promise<boolean> {
  return (await cluster.ofAll().jobs()).length > 0;
}

async function removeAll(cluster: Cluster, objects: readonly Manifest[]): Promise<void> {
  for (const object of objects) await cluster.remove(object);
  for (const object of objects) await gone(cluster, object);
}

async function gone(cluster: Cluster, object: Manifest): Promise<void> {
  const until = performance.now() + GONE_MS;
  while ((await cluster.read(object)) !== null) {
    if (performance.now() > until) {
      const { kind, metadata } = object;
      throw new ClusterError(`${kind} ${metadata.name} still exists ${GONE_MS / 1000} s later`);
    }
    await setTimeout(POLL_MS);
  }
}
