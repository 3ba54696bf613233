import type { KubernetesObject, V1Job } from '@kubernetes/client-node';
import { didYouMean } from '../../settings/errors.js';
import { RunKeys } from '../../runtime/keys/run-keys.js';
import { CoordinatorClient } from '../fleet/coordinator-client.js';
import type { TlsCredentials } from '../../runtime/links/control-channel.js';
import type { Cluster, ClusterPlace } from './cluster.js';
import { ClusterError, ClusterRefusal, FORBIDDEN } from './cluster.js';
import { tlsSecretOf } from './encrypt.js';
import type { FollowOptions } from './follow.js';
import { inCluster } from './in-cluster.js';
import { jobEnd, jobOf } from './job-end.js';
import {
  COORDINATOR,
  isOfRole,
  MANAGED_LABEL,
  nameIn,
  POINTS,
  RUN_LABEL,
  SELVAGE,
  SERVICE,
} from './labels.js';
import type { Manifest } from './manifests.js';
import { Forwarding } from './pod-streams.js';

/** A run that a cluster has, found by the labels of its Jobs. */
export interface FoundRun {
  readonly run: string;
  readonly namespace: string;
  /** The Job that owns the others: of the coordinator, or of the parts of a sweep or a hunt. */
  readonly main: V1Job;
  readonly services: V1Job | null;
}

const CONTROL_PORT = 7400;
export const AGAIN = 'the command that began it goes on with its pods';

/** Runs among Jobs of any namespaces. */
export function runsAmong(jobs: readonly V1Job[]): FoundRun[] {
  const mains = jobs.filter((job) => isOfRole(job, COORDINATOR) || isOfRole(job, POINTS));
  return mains.map((main) => {
    const namespace = main.metadata?.namespace ?? '';
    const run = main.metadata?.labels?.[RUN_LABEL] ?? '';
    const own = jobs.filter(
      ({ metadata }) => metadata?.namespace === namespace && metadata.labels?.[RUN_LABEL] === run,
    );
    return { run, namespace, main, services: jobOf(own, SERVICE) ?? null };
  });
}

/** Whether it is a sweep or a hunt: its parts have no coordinator, and no volume. */
export function hasPoints({ main }: FoundRun): boolean {
  return isOfRole(main, POINTS);
}

/** How a command names a run in the cluster; `run` may be left out where there is one. */
export interface RunName extends ClusterPlace {
  readonly run?: string;
}

/** Does something with a run in the cluster at hand; errors become exit codes. */
export function inRun(
  name: RunName,
  act: (cluster: Cluster, found: FoundRun, following: FollowOptions) => Promise<number>,
): Promise<number> {
  return inCluster(name, async (cluster, following) => {
    const found = await findRun(cluster, name.run);
    return act(cluster.ofRun(found.run), found, following);
  });
}

/** A run of the cluster's namespace: the one of that name, or the only one. */
async function findRun(cluster: Cluster, run: string | undefined): Promise<FoundRun> {
  const { namespace } = cluster;
  const all = runsAmong(await cluster.jobs());
  const names = all.map((found) => found.run).sort();
  if (all.length === 0) {
    throw new ClusterError(
      `namespace ${namespace} has no run: selvage k8s list shows where there are some`,
    );
  }
  if (run === undefined && all.length > 1) {
    const listed = names.join(', ');
    throw new ClusterRefusal(`namespace ${namespace} has the runs ${listed}: name one with --run`);
  }
  const found = run === undefined ? all[0] : all.find((one) => one.run === run);
  if (found !== undefined) return found;
  throw new ClusterRefusal(
    `--run ${run}: namespace ${namespace} has no such run${didYouMean(run!, names)}; ` +
      `it has ${names.join(', ')}`,
  );
}

/** The state of a run as its Jobs show it. */
export function stateOf(found: FoundRun): string {
  const { main, services } = found;
  const end = jobEnd(main);
  if (end !== null) return end.succeeded ? 'complete' : `failed: ${end.why}`;
  const lost = services === null ? null : jobEnd(services);
  if (lost !== null && !lost.succeeded) return `services failed: ${lost.why}`;
  if (main.spec?.suspend === true) return 'suspended until there is room';
  if (hasPoints(found)) {
    return `${main.status?.succeeded ?? 0} of ${main.spec?.completions ?? 0} parts have ended`;
  }
  const active = services?.status?.active ?? 0;
  const completedIndexes = services?.status?.completedIndexes;
  const left = completedIndexes === undefined ? '' : `, ended: ${completedIndexes}`;
  return `${active} of ${services?.spec?.completions ?? 0} services${left}`;
}

/** Connects to the coordinator of a run in progress, through the API server. */
export async function withCoordinator<T>(
  cluster: Cluster,
  found: FoundRun,
  act: (client: CoordinatorClient) => Promise<T>,
): Promise<T> {
  if (hasPoints(found)) throw new ClusterError(`run ${found.run} is a sweep or a hunt: ${AGAIN}`);
  if (jobEnd(found.main) !== null) {
    throw new ClusterError(`run ${found.run} has ended: ${stateOf(found)}`);
  }
  const { token } = new RunKeys(found.run, await keyOf(cluster, found.run));
  const credentials = await credentialsOf(cluster, found.run);
  const forwarding = await Forwarding.open(cluster, () => coordinatorPod(cluster), CONTROL_PORT);
  const client = new CoordinatorClient(`127.0.0.1:${forwarding.port}`, token, credentials);
  try {
    return await act(client);
  } finally {
    client.close();
    forwarding.close();
  }
}

async function keyOf(cluster: Cluster, run: string): Promise<string> {
  const name = nameIn(run, 'key');
  const data = (await cluster.secret(name))?.data?.['SELVAGE_KEY'];
  if (data !== undefined) return Buffer.from(data, 'base64').toString();
  throw new ClusterError(`namespace ${cluster.namespace} has no Secret ${name}`);
}

/** Those of the run's own processes; null: the demo of k8s/, which has none. */
async function credentialsOf(cluster: Cluster, run: string): Promise<TlsCredentials | null> {
  const data = (await cluster.secret(tlsSecretOf(run)))?.data;
  if (data === undefined) return null;
  const part = (name: string): Buffer => Buffer.from(data[name] ?? '', 'base64');
  return { ca: part('ca.crt'), cert: part('tls.crt'), key: part('tls.key') };
}

async function coordinatorPod(cluster: Cluster): Promise<string> {
  const pod = (await cluster.pods()).find(
    (one) => isOfRole(one, COORDINATOR) && one.status?.phase === 'Running',
  );
  if (pod !== undefined) return pod.metadata!.name!;
  throw new ClusterError('no pod of the coordinator runs');
}

/** Kinds of which a run has objects; the main Job comes last. */
const KINDS: readonly (readonly [string, string])[] = [
  ['batch/v1', 'Job'],
  ['apps/v1', 'StatefulSet'],
  ['policy/v1', 'PodDisruptionBudget'],
  ['networking.k8s.io/v1', 'NetworkPolicy'],
  ['v1', 'Pod'],
  ['v1', 'Service'],
  ['v1', 'ConfigMap'],
  ['v1', 'Secret'],
  ['v1', 'PersistentVolumeClaim'],
  ['v1', 'ServiceAccount'],
  ['rbac.authorization.k8s.io/v1', 'RoleBinding'],
  ['rbac.authorization.k8s.io/v1', 'Role'],
];

/** What the user may not list goes with the Job that owns it. */
async function allOrNone(
  cluster: Cluster,
  apiVersion: string,
  kind: string,
): Promise<KubernetesObject[]> {
  try {
    return await cluster.all(apiVersion, kind);
  } catch (error) {
    if ((error as ClusterError).code === FORBIDDEN) return [];
    throw error;
  }
}

/** Every object of the cluster's run, and its namespace if that was made for it. */
export async function objectsOf(cluster: Cluster): Promise<Manifest[]> {
  const { namespace } = cluster;
  const header = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  const space = await cluster.read<KubernetesObject>(header).catch(() => null);
  const isOurs = space?.metadata?.labels?.[MANAGED_LABEL] === SELVAGE;
  const found: Manifest[] = [];
  for (const [apiVersion, kind] of KINDS) {
    for (const { metadata } of await allOrNone(cluster, apiVersion, kind)) {
      const name = metadata!.name!;
      found.unshift({ apiVersion, kind, metadata: { name, namespace } });
    }
  }
  return isOurs ? [header as Manifest, ...found] : found;
}
