import { createHash } from 'node:crypto';
import type { V1Job, V1Pod } from '@kubernetes/client-node';
import { EXIT } from '../exit.js';
import { wholeNumber } from '../whole-number.js';
import { clear } from './clear.js';
import type { Cluster } from './cluster.js';
import { make, ownOf, validate } from './create.js';
import type { FollowOptions } from './follow.js';
import { pointFootprint } from './footprint.js';
import { AGAIN, objectsOf } from './found-run.js';
import { imageOf, runNameOf } from './identity.js';
import { inCluster, requireNamespace } from './in-cluster.js';
import { jobEnd, jobOf, lastEnd } from './job-end.js';
import { INDEX_LABEL, isOfRole, POINTS } from './labels.js';
import type { Manifest } from './manifests.js';
import { manifestsIn, moveTo } from './manifests.js';
import { placeIn } from './place-in.js';
import type { PointsOptions, PointsTask } from './points-task.js';
import { label, request } from './render-run.js';
import { mountScenario, scenarioMaps } from './scenario-files.js';
import { RunWatch } from './run-watch.js';
import { StartError } from './start-gate.js';
import type { Values } from './values.js';
import { readValues } from './values.js';
import { whyEnded } from './pod-reasons.js';
import { whyHopeless, whyPending } from './why-pending.js';

// An Indexed Job: each pod executes one part of a sweep or a hunt, in one process, and prints it.

/** Digest of the task of a Job: the same command finds its pods again. */
const TASK = 'selvage/task';
const RETAIN_SECONDS = 604_800;

/** What the pod of a part printed, or why there is nothing of it. */
type Part = { readonly output: string } | { readonly reason: string; readonly code: number };

/**
 * Creates the pods of a task, or finds those that a lost client has left, and returns what became
 * of each part, in their order; or the exit code, where none could be begun or followed.
 */
export async function outputsInPods(
  options: PointsOptions,
  task: PointsTask,
): Promise<Part[] | number> {
  const { keep } = options;
  requireNamespace(options);
  const values = readValues(options.values);
  const run = runNameOf(task.name);
  const manifests = manifestsOfTask(options, { values, run }, task);
  const parts: Part[] = [];
  const code = await inCluster(options, async (all, following) => {
    const cluster = all.ofRun(run);
    for (const manifest of manifests) moveTo(cluster.namespace, manifest);
    await begin(cluster, manifests, values.retain ?? RETAIN_SECONDS, following);
    try {
      parts.push(...(await partsEnded(cluster, task.count, following)));
      if (keep !== true) await remove(cluster);
      return EXIT.COMPLETE;
    } catch (error) {
      await settle(cluster, { error, job: manifests.find(isPoints)! }, options, following);
      throw error;
    }
  });
  return parts.length > 0 ? parts : code;
}

function manifestsOfTask(
  options: PointsOptions,
  { values, run }: { readonly values: Values; readonly run: string },
  task: PointsTask,
): Manifest[] {
  const { pods } = options;
  const { count, args, devices, files } = task;
  const manifests = [...manifestsIn(POINTS, run).values()].flat();
  const image = imageOf(options.image, values);
  const parallelism = pods === undefined ? count : wholeNumber('--pods', pods, 1);
  const job = manifests.find(isPoints)!;
  const { template } = job.spec!;
  Object.assign(job.spec!, { completions: count, parallelism: Math.min(count, parallelism) });
  if (values.deadline !== undefined) job.spec!.activeDeadlineSeconds = values.deadline;
  const container = template!.spec.containers[0]!;
  container.image = image;
  container.args = [...args];
  request(container, pointFootprint(devices), values.point);
  const maps = files === null ? [] : scenarioMaps(files, run);
  if (files !== null) mountScenario(template!.spec, container, maps);
  manifests.push(...maps);
  for (const manifest of manifests) {
    label(manifest, { run, values });
    placeIn(manifest, values, run);
  }
  const hash = createHash('sha256')
    .update(JSON.stringify([[...(files ?? [])], args, image]))
    .digest('hex');
  job.metadata.annotations = { ...job.metadata.annotations, [TASK]: hash };
  return manifests;
}

function isPoints(object: Manifest): boolean {
  return object.kind === 'Job' && isOfRole(object, POINTS);
}

/** Creates the pods, unless the namespace has those of the same task. */
async function begin(
  cluster: Cluster,
  manifests: readonly Manifest[],
  retainSeconds: number,
  { note }: FollowOptions,
): Promise<void> {
  const job = manifests.find(isPoints)!;
  const found = await cluster.read<V1Job>(job);
  if (found?.metadata?.annotations?.[TASK] === job.metadata.annotations![TASK]) {
    note(`goes on with the pods in namespace ${cluster.namespace}`);
  } else {
    const own = ownOf(manifests, await validate(cluster, manifests, 1));
    await make(cluster, own, POINTS, retainSeconds);
  }
  await cluster.patch(job, { spec: { suspend: false } });
}

/** Pods that may still run are left for the same command; a second error hides no first. */
async function settle(
  cluster: Cluster,
  { error, job }: { readonly error: unknown; readonly job: Manifest },
  { keep }: PointsOptions,
  { note, stopped }: FollowOptions,
): Promise<void> {
  const { namespace } = cluster;
  if (keep === true) return;
  if (!(error instanceof StartError)) {
    if (stopped.aborted) await suspend(cluster, job);
    const state = stopped.aborted ? 'suspended, and keep what they have' : 'left as they are';
    note(`the pods in namespace ${namespace} are ${state}: ${AGAIN}`);
    return;
  }
  await remove(cluster).catch((second: unknown) => {
    note(`not everything could be deleted: ${(second as Error).message}`);
    note(`later: selvage k8s delete --namespace ${namespace}`);
  });
}

/** Parts that have ended keep their pods, and with them what they printed; others begin again. */
async function suspend(cluster: Cluster, job: Manifest): Promise<void> {
  await cluster.patch(job, { spec: { suspend: true } });
}

async function remove(cluster: Cluster): Promise<void> {
  await clear(cluster, await objectsOf(cluster));
}

async function partsEnded(
  cluster: Cluster,
  count: number,
  following: FollowOptions,
): Promise<Part[]> {
  const watch = await RunWatch.open(cluster);
  try {
    return await new Points(cluster, watch, { count, following }).ended();
  } finally {
    watch.close();
  }
}

/** The pods of a task, followed to their end. */
class Points {
  private readonly outputs = new Map<number, string>();
  private noted = '';

  constructor(
    private readonly cluster: Cluster,
    private readonly watch: RunWatch,
    private readonly task: { readonly count: number; readonly following: FollowOptions },
  ) {}

  async ended(): Promise<Part[]> {
    for (;;) {
      const { jobs, events } = this.watch;
      const pods = this.watch.pods.filter(isOfPoint);
      await this.gather(pods);
      const job = jobOf(jobs, POINTS);
      const end = job === undefined ? null : jobEnd(job);
      // A Job may be seen to end before its pods.
      if (end !== null) await this.gather((await this.cluster.pods()).filter(isOfPoint));
      if (job === undefined) return this.all(pods, 'its Job was deleted');
      if (end !== null) return this.all(await this.cluster.pods(), end.why);
      const hopeless = whyHopeless(pods);
      if (hopeless !== null) throw new StartError(hopeless);
      const { gone } = this.watch;
      const reasons = [
        ...whyPending({ pods, jobs, claims: [], events }),
        ...whyEnded({ pods, gone, events }),
      ];
      this.note([`${this.outputs.size} of ${this.task.count} parts have ended`, ...reasons]);
      await this.watch.changed(this.task.following.stopped);
    }
  }

  /** What parts have printed is read when they end: a node that is lost takes its logs along. */
  private async gather(pods: readonly V1Pod[]): Promise<void> {
    for (const pod of pods) {
      const index = partOf(pod);
      if (pod.status?.phase !== 'Succeeded' || this.outputs.has(index)) continue;
      this.outputs.set(index, jsonOf(await this.cluster.logOf(pod.metadata!.name!)));
    }
  }

  private all(pods: readonly V1Pod[], why: string): Promise<Part[]> {
    const parts = Array.from({ length: this.task.count }, async (_, index): Promise<Part> => {
      const output = this.outputs.get(index) ?? '';
      if (output !== '') return { output };
      return this.lost(
        pods.filter((pod) => partOf(pod) === index),
        why,
      );
    });
    return Promise.all(parts);
  }

  /** Why a part printed nothing: as its last pod ended, or else as the Job did. */
  private async lost(pods: readonly V1Pod[], why: string): Promise<Part> {
    const { gone, events } = this.watch;
    const [reason] = whyEnded({ pods, gone: gone.filter(isOfPoint), events }).slice(-1);
    const end = lastEnd(pods, POINTS);
    const code = end?.code === EXIT.BAD_INPUT ? EXIT.BAD_INPUT : EXIT.RUN_FAILED;
    if (reason !== undefined || end === null) return { reason: reason ?? why, code };
    const log = await this.cluster.logOf(end.pod).catch((error: unknown) => String(error));
    const last = log.trimEnd().split('\n').at(-1) ?? '';
    return { reason: `${end.pod} ended with code ${end.code}: ${last}`, code };
  }

  private note(lines: readonly string[]): void {
    const words = lines.join('\n  ');
    if (words !== this.noted) this.task.following.note(words);
    this.noted = words;
  }
}

function partOf({ metadata }: V1Pod): number {
  return Number(metadata?.annotations?.[INDEX_LABEL]);
}

function isOfPoint(pod: V1Pod): boolean {
  return isOfRole(pod, POINTS);
}

/** The JSON in a log, which may have warnings before it. */
function jsonOf(log: string): string {
  const start = log.search(/^[[{]/m);
  return start < 0 ? '' : log.slice(start).trimEnd();
}
