import { setTimeout } from 'node:timers/promises';
import type { KubernetesObject, V1Pod } from '@kubernetes/client-node';
import type { Cluster } from './cluster.js';
import { ClusterError, ClusterRefusal } from './cluster.js';
import type { Manifest } from './manifests.js';
import { preflight } from './preflight.js';

/** How a run in a cluster is wanted. */
export interface ClusterRequest {
  readonly manifests: readonly Manifest[];
  readonly image: string;
  /** A folder that is there, for the run directory. */
  readonly out: string;
  /** Leave everything there. */
  readonly keep: boolean;
  readonly tell: (words: string) => void;
  readonly stopped: AbortSignal;
}

const LOOK_MS = 1000;
/** An image is pulled, and a small pod started. */
const START_MS = 300_000;
const HOPELESS = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'CreateContainerConfigError',
]);
const LOG_LINES = 20;

/** Applies, follows, collects and clears away; the exit code of the coordinator. */
export async function runInCluster(cluster: Cluster, request: ClusterRequest): Promise<number> {
  const { manifests } = request;
  const namespaces = manifests.filter(({ kind }) => kind === 'Namespace');
  const others = manifests.filter(({ kind }) => kind !== 'Namespace');
  const makesNamespace = await look(cluster, namespaces[0]!, others);
  const made: KubernetesObject[] = [];
  const make = async (object: KubernetesObject): Promise<void> => {
    await cluster.create(object);
    made.push(object);
  };
  try {
    if (makesNamespace) await make(namespaces[0]!);
    // No pod without its account.
    const [accounts, rest] = split(others, ({ kind }) => kind === 'ServiceAccount');
    for (const object of accounts) await make(object);
    await proveImage(cluster, request, make);
    const [workloads, means] = split(rest, ({ spec }) => spec?.template !== undefined);
    for (const object of [...means, ...workloads]) await make(object);
    request.tell(`${others.length} objects in namespace ${cluster.namespace}`);
    const coordinator = await follow(cluster, request);
    await collect(cluster, request, make);
    return coordinator;
  } finally {
    if (!request.keep) await clear(cluster, made, makesNamespace);
  }
}

/** All that can be known beforehand; whether the namespace is to be made. */
async function look(
  cluster: Cluster,
  namespace: Manifest,
  others: readonly Manifest[],
): Promise<boolean> {
  try {
    const makesNamespace = !(await cluster.has(namespace));
    await preflight(cluster, others, makesNamespace);
    if (!makesNamespace) {
      await refuseWhatIsThere(cluster, others);
      for (const object of others) await cluster.check(object);
    }
    return makesNamespace;
  } catch (error) {
    throw error instanceof ClusterError ? new ClusterRefusal(error.message) : error;
  }
}

function split<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

async function refuseWhatIsThere(cluster: Cluster, objects: readonly Manifest[]): Promise<void> {
  for (const object of objects) {
    if (!(await cluster.has(object))) continue;
    const { kind, metadata } = object;
    throw new ClusterError(
      `namespace ${cluster.namespace} has a ${kind} ${metadata.name} already: ` +
        'clear it away, or name another --namespace',
    );
  }
}

/** A pod of the run's image that ends at once: an image that cannot be had is found out by it. */
async function proveImage(
  cluster: Cluster,
  { image, manifests, tell, stopped }: ClusterRequest,
  make: (object: KubernetesObject) => Promise<void>,
): Promise<void> {
  tell(`looking for ${image}`);
  const pod = podLike(manifests, 'image', ['healthy'], []);
  await make(pod);
  const isOver = ({ status }: V1Pod): boolean =>
    status?.phase === 'Succeeded' || status?.phase === 'Failed';
  const { status } = await podThat(cluster, 'image', isOver, stopped);
  if (status?.phase === 'Failed') throw new ClusterError(`${image} does not run there`);
  await cluster.remove(pod);
}

/** Looks until the coordinator has ended; its exit code. */
async function follow(
  cluster: Cluster,
  { manifests, tell, stopped }: ClusterRequest,
): Promise<number> {
  const wanted = manifests.find(({ metadata }) => metadata.name === 'services')?.spec?.completions;
  let said = '';
  for (;;) {
    const pods = await cluster.pods();
    refuseHopeless(pods);
    const running = pods.filter(
      ({ metadata, status }) =>
        metadata?.labels?.['selvage'] === 'service' && status?.phase === 'Running',
    );
    const words = `${running.length} of ${wanted} services are running`;
    if (words !== said) tell(words);
    said = words;
    const ended = endOf(pods, 'coordinator');
    if (ended !== null) {
      if (ended.code !== 0) tell(lastLines(await cluster.logOf(ended.pod)));
      return ended.code;
    }
    await pause(stopped);
  }
}

/** A coordinator that was evicted is followed by another one: only an end with a code counts. */
function endOf(pods: readonly V1Pod[], role: string): { pod: string; code: number } | null {
  for (const { metadata, status } of pods) {
    if (metadata?.labels?.['selvage'] !== role) continue;
    const code = status?.containerStatuses?.[0]?.state?.terminated?.exitCode;
    if (code !== undefined && code <= LAST_OWN_CODE) return { pod: metadata.name!, code };
  }
  return null;
}

/** Beyond it are signals. */
const LAST_OWN_CODE = 3;

function refuseHopeless(pods: readonly V1Pod[]): void {
  for (const { metadata, status } of pods) {
    const waiting = status?.containerStatuses?.[0]?.state?.waiting;
    const reason = waiting?.reason ?? '';
    if (!HOPELESS.has(reason)) continue;
    const why = waiting?.message ?? 'no reason given';
    throw new ClusterError(`pod ${metadata?.name} cannot start: ${reason}: ${why}`);
  }
}

/** The volume is read through a pod of its own, since those that wrote it have ended. */
async function collect(
  cluster: Cluster,
  { manifests, out, tell, stopped }: ClusterRequest,
  make: (object: KubernetesObject) => Promise<void>,
): Promise<void> {
  const seconds = START_MS / 1000;
  const pod = podLike(manifests, 'collect', [], ['runs', 'tmp']);
  const [container] = pod.spec.containers;
  const command = ['node', '-e', `setTimeout(() => {}, ${seconds}e3)`];
  const waiting: BarePod = {
    ...pod,
    spec: { ...pod.spec, containers: [{ ...container, command }] },
  };
  await make(waiting);
  await podThat(cluster, 'collect', ({ status }) => status?.phase === 'Running', stopped);
  await cluster.copyOut('collect', '/work/runs', out);
  tell(`results are in ${out}`);
}

/** The coordinator's pod under another name: the same image and rights, and some of its volumes. */
function podLike(
  manifests: readonly Manifest[],
  name: string,
  args: string[],
  kept: readonly string[],
): BarePod {
  const job = manifests.find(
    ({ kind, metadata }) => kind === 'Job' && metadata.name === 'coordinator',
  )!;
  const { containers, volumes, ...spec } = job.spec!.template!.spec;
  const { image, resources, securityContext, volumeMounts } = containers[0]!;
  const isKept = (volume: { readonly name: string }): boolean => kept.includes(volume.name);
  const mounts = volumeMounts.filter(isKept);
  const container = { name, image, args, resources, securityContext, volumeMounts: mounts };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: job.metadata.namespace, labels: { selvage: name } },
    spec: { ...spec, volumes: volumes.filter(isKept), containers: [container] },
  };
}

interface BarePod {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Manifest['metadata'] & { readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly containers: readonly object[]; readonly volumes: readonly object[] };
}

async function podThat(
  cluster: Cluster,
  role: string,
  isIt: (pod: V1Pod) => boolean,
  stopped: AbortSignal,
): Promise<V1Pod> {
  for (let waited = 0; waited < START_MS; waited += LOOK_MS) {
    const pods = (await cluster.pods()).filter(
      ({ metadata }) => metadata?.labels?.['selvage'] === role,
    );
    refuseHopeless(pods);
    const found = pods.find(isIt);
    if (found !== undefined) return found;
    await pause(stopped);
  }
  throw new ClusterError(`pod ${role} has not come up in ${START_MS / 1000} s`);
}

async function pause(stopped: AbortSignal): Promise<void> {
  try {
    await setTimeout(LOOK_MS, undefined, { signal: stopped });
  } catch {
    throw new ClusterError('interrupted');
  }
}

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-LOG_LINES).join('\n');
}

/** The last first; a namespace of ours takes all with it. */
async function clear(
  cluster: Cluster,
  made: readonly KubernetesObject[],
  ownNamespace: boolean,
): Promise<void> {
  const doomed = ownNamespace ? made.slice(0, 1) : [...made].reverse();
  for (const object of doomed) await cluster.remove(object);
}
