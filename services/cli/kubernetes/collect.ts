import { basename } from 'node:path';
import type { V1Container, V1Pod, V1Volume } from '@kubernetes/client-node';
import type { Cluster } from './cluster.js';
import { ClusterError } from './cluster.js';
import { resultsIn, STORAGE } from './keep-results.js';
import { COORDINATOR, isOfRole, nameIn, ROLE_LABEL, RUN_LABEL } from './labels.js';
import { jobOf } from './job-end.js';
import { nodeLostOf } from './pod-reasons.js';
import { CopyError, copyOut } from './pod-streams.js';
import type { FollowOptions } from './follow.js';
import { RunWatch } from './run-watch.js';
import { whyHopeless, whyPending } from './why-pending.js';

const RUNS = '/work/runs';
/** Role of the pod that reads the volume. */
const COLLECT = 'collect';
const TRIES = 3;
const WAIT_MS = 300_000;
/** As process 1 it has no default for signals; it ends by itself where its client was lost. */
const WAIT = `process.on('SIGTERM', () => process.exit(0)); setTimeout(() => {}, ${WAIT_MS})`;

/** Copies the run directory from its volume; returns how many files it had. */
export async function collect(
  cluster: Cluster,
  out: string,
  options: FollowOptions,
): Promise<number> {
  for (let left = TRIES - 1; ; left--) {
    try {
      return await copyRuns(cluster, out, options);
    } catch (error) {
      // The pod may be evicted, or lost with its node; the next one may be elsewhere.
      if (left === 0 || options.stopped.aborted || !(error instanceof CopyError)) throw error;
      options.note(`${error.message}; tried again`);
    }
  }
}

async function copyRuns(cluster: Cluster, out: string, options: FollowOptions): Promise<number> {
  const running = (await cluster.pods()).find(
    (pod) =>
      isOfRole(pod, COORDINATOR) && pod.status?.phase === 'Running' && nodeLostOf(pod) === null,
  );
  if (running !== undefined) {
    const place = { pod: running.metadata!.name!, container: COORDINATOR };
    const files = await copyOut(cluster, place, RUNS, out);
    options.note(files === 0 ? 'the run has no results yet' : `results so far are in ${out}`);
    return files;
  }
  const pod = await collectingPod(cluster);
  await cluster.remove(pod, 0);
  await cluster.create(pod);
  try {
    await untilRunning(cluster, options);
    const files = await copyOut(cluster, { pod: pod.metadata.name, container: COLLECT }, RUNS, out);
    options.note(files === 0 ? 'the run left no results' : `results are in ${out}`);
    return files;
  } finally {
    await cluster.remove(pod, 0).catch((error: unknown) => {
      options.note((error as Error).message);
    });
  }
}

interface PodManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [more: string]: unknown };
  readonly spec: object;
}

/** Reads the volume, whose writers have ended: the coordinator's image, user and placement. */
async function collectingPod(cluster: Cluster): Promise<PodManifest> {
  const job = jobOf(await cluster.jobs(), COORDINATOR);
  const pod = job?.spec?.template.spec;
  if (job === undefined || pod === undefined) {
    throw new ClusterError(`namespace ${cluster.namespace} has no run`);
  }
  const { [RUN_LABEL]: run = '', ...labels } = job.metadata?.labels ?? {};
  const { image, securityContext } = pod.containers[0]!;
  const isRuns = ({ name }: Named): boolean => name === 'runs';
  const stored = isEmpty(pod.volumes!.find(isRuns))
    ? resultsIn(pod.containers[0]!.args)
    : undefined;
  // A quota of limits wants them of every pod.
  const { cpu } = pod.containers[0]!.resources?.limits ?? {};
  const ofCpu = cpu === undefined ? {} : { cpu };
  const isNeeded = (one: Named): boolean => isRuns(one) || one.name === STORAGE;
  const container = {
    name: COLLECT,
    ...{ image, securityContext },
    command: ['node', '-e', WAIT],
    volumeMounts: pod.containers[0]!.volumeMounts!.filter(isRuns),
    resources: {
      requests: { cpu: '50m', memory: '64Mi' },
      limits: { memory: '256Mi', ...ofCpu },
    },
  };
  const { name, uid } = job.metadata as { name: string; uid: string };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: nameIn(run, COLLECT),
      namespace: cluster.namespace,
      labels: { ...labels, [RUN_LABEL]: run, [ROLE_LABEL]: COLLECT },
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name, uid }],
    },
    spec: {
      restartPolicy: 'Never',
      serviceAccountName: pod.serviceAccountName,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 5,
      securityContext: pod.securityContext,
      imagePullSecrets: pod.imagePullSecrets,
      nodeSelector: pod.nodeSelector,
      tolerations: pod.tolerations,
      volumes: pod.volumes!.filter(isNeeded),
      ...(stored !== undefined && {
        initContainers: [downloading(pod.containers[0]!, { place: stored, ofCpu }, isNeeded)],
      }),
      containers: [container],
    },
  };
}

interface Named {
  readonly name: string;
}

function isEmpty(volume: V1Volume | undefined): boolean {
  return volume?.emptyDir !== undefined;
}

/** Fetches results from storage that this machine may not reach. */
function downloading(
  { image, securityContext, env, volumeMounts }: V1Container,
  { place, ofCpu }: { readonly place: string; readonly ofCpu: object },
  isNeeded: (one: Named) => boolean,
): object {
  return {
    name: 'download',
    terminationMessagePolicy: 'FallbackToLogsOnError',
    ...{ image, securityContext },
    args: ['download', place, `${RUNS}/${basename(place)}`],
    env: env!.filter(({ name }) => /^(AWS_|SELVAGE_(S3|INSECURE))/.test(name)),
    volumeMounts: volumeMounts!.filter(isNeeded),
    resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi', ...ofCpu } },
  };
}

async function untilRunning(cluster: Cluster, options: FollowOptions): Promise<void> {
  const until = performance.now() + WAIT_MS;
  const watch = await RunWatch.open(cluster);
  try {
    await untilOneRuns(watch, until, options);
  } finally {
    watch.close();
  }
}

async function untilOneRuns(
  watch: RunWatch,
  until: number,
  { note, stopped }: FollowOptions,
): Promise<void> {
  let noted = '';
  while (performance.now() < until) {
    const pods = watch.pods.filter(isCollecting);
    if (pods.length === 0) throw new CopyError(`pod ${COLLECT} was deleted`);
    if (pods.some(({ status }) => status?.phase === 'Running')) return;
    const hopeless = whyHopeless(pods);
    if (hopeless !== null) throw new ClusterError(hopeless);
    const failed = pods.find(({ status }) => status?.phase === 'Failed');
    if (failed !== undefined) {
      const { reason, initContainerStatuses } = failed.status!;
      const { message } = initContainerStatuses?.[0]?.state?.terminated ?? {};
      if (message !== undefined)
        throw new ClusterError(`pod ${COLLECT} failed: ${message.trimEnd()}`);
      throw new CopyError(`pod ${COLLECT} failed: ${reason ?? 'no reason given'}`);
    }
    const { events } = watch;
    const words = whyPending({ pods, jobs: [], claims: [], events }).join('\n  ');
    if (words !== '' && words !== noted) note(words);
    noted = words;
    await watch.changed(stopped);
  }
  throw new ClusterError(`pod ${COLLECT} does not run after ${WAIT_MS / 1000} s`);
}

function isCollecting(pod: V1Pod): boolean {
  return isOfRole(pod, COLLECT) && pod.metadata?.deletionTimestamp === undefined;
}
