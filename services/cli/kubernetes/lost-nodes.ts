import type { V1ObjectMeta, V1Pod } from '@kubernetes/client-node';
import type { Cluster } from './cluster.js';
import { nodeLostOf } from './pod-reasons.js';

// A pod whose node is lost stays as it is: only the kubelet of that node can say that its
// containers have ended, and until then no controller replaces it. Whoever follows a run deletes
// such pods.

/** A kubelet that lives has ended a pod so long after its time of grace. */
const SILENCE_MS = 10_000;

/** Deletes the pods that were evicted from nodes that say nothing any more, each once. */
export class LostNodes {
  private readonly cleared = new Set<string>();

  constructor(
    private readonly cluster: Cluster,
    private readonly note: (words: string) => void,
  ) {}

  async clear(pods: readonly V1Pod[], now = Date.now()): Promise<void> {
    for (const pod of pods.filter((one) => isAbandoned(one, now))) {
      const { name, namespace, uid } = pod.metadata as Required<V1ObjectMeta>;
      if (this.cleared.has(uid)) continue;
      this.cleared.add(uid);
      this.note(`node ${pod.spec?.nodeName} is not ready: pod ${name} is deleted, for another one`);
      await this.cluster.remove(
        { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace } },
        0,
      );
    }
  }
}

/** It is to be deleted, and its node does not do so. */
function isAbandoned(pod: V1Pod, now: number): boolean {
  const { deletionTimestamp } = pod.metadata ?? {};
  if (deletionTimestamp === undefined || pod.spec?.nodeName === undefined) return false;
  if (nodeLostOf(pod) !== null) return true;
  const isEvicted = pod.status?.conditions?.some(
    ({ type, reason }) => type === 'DisruptionTarget' && reason === 'DeletionByTaintManager',
  );
  return isEvicted === true && now > new Date(deletionTimestamp).getTime() + SILENCE_MS;
}

/** Nodes that say nothing any more, and what follows of that for the run. */
export function lostNodesText(pods: readonly V1Pod[]): string[] {
  const nodes = new Map<string, string[]>();
  for (const pod of pods) {
    const node = nodeLostOf(pod);
    if (node !== null) nodes.set(node, [...(nodes.get(node) ?? []), pod.metadata!.name!]);
  }
  return [...nodes].map(
    ([node, names]) =>
      `node ${node} is not ready, with pod${names.length === 1 ? '' : 's'} ${names.join(', ')}: ` +
      '`selvage k8s attach` replaces what the cluster evicts from it',
  );
}
