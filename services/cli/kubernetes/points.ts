import { createHash } from 'node:crypto';
import type { V1Job, V1Pod } from '@kubernetes/client-node';
import { EXIT } from '../exit.js';
import { wholeNumber } from '../whole-number.js';
import { clear } from './clear.js';
import type { Cluster } from './cluster.js';
import { ClusterError } from './cluster.js';
import { make, ownOf, validate } from './create.js';
import type { FollowOptions } from './follow.js';
import { noteLog } from './follow.js';
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
import { whyHopeless, whyPending } from './why-pending.js';

// An Indexed Job: each pod executes one part of a sweep or a hunt, in one process, and prints it.

/** Digest of the task of a Job: the same command finds its pods again. */
const TASK = 'selvage/task';
const RETAIN_SECONDS = 604_800;

/**
 * Creates the pods of a task, or finds those that a lost client has left, and returns what each
 * printed, in order of the parts; or the exit code, where they failed.
 */
export async function outputsInPods(
  options: PointsOptions,
  task: PointsTask,
): Promise<string[] | number> {
  const { namespace, keep } = options;
  requireNamespace(namespace);
  const values = readValues(options.values);
  const run = runNameOf(task.name);
  const manifests = manifestsOfTask(options, { values, run }, task);
  const outputs: string[] = [];
  const code = await inCluster(namespace, async (all, following) => {
    const cluster = all.ofRun(run);
    await begin(cluster, manifests, values.retain ?? RETAIN_SECONDS, following);
    try {
      const ended = await pointsEnded(cluster, task.count, following);
      if (keep !== true) await remove(cluster);
      if (typeof ended === 'number') return ended;
      outputs.push(...ended);
      return EXIT.COMPLETE;
    } catch (error) {
      await settle(cluster, error, options, following);
      throw error;
    }
  });
  return outputs.length > 0 ? outputs : code;
}

function manifestsOfTask(
  options: PointsOptions,
  { values, run }: { readonly values: Values; readonly run: string },
  task: PointsTask,
): Manifest[] {
  const { namespace, pods } = options;
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
    moveTo(namespace, manifest);
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
  error: unknown,
  { namespace, keep }: PointsOptions,
  { note, stopped }: FollowOptions,
): Promise<void> {
  if (keep === true) return;
  if (!stopped.aborted && !(error instanceof StartError)) {
    note(`the pods in namespace ${namespace} are left as they are: ${AGAIN}`);
    return;
  }
  await remove(cluster).catch((second: unknown) => {
    note(`not everything could be deleted: ${(second as Error).message}`);
    note(`later: selvage k8s delete --namespace ${namespace}`);
  });
}

async function remove(cluster: Cluster): Promise<void> {
  await clear(cluster, await objectsOf(cluster));
}

async function pointsEnded(
  cluster: Cluster,
  count: number,
  following: FollowOptions,
): Promise<string[] | number> {
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

  /** What each part printed, or the exit code. */
  async ended(): Promise<string[] | number> {
    for (;;) {
      const { jobs, events } = this.watch;
      const pods = this.watch.pods.filter(isOfPoint);
      await this.gather(pods);
      const job = jobOf(jobs, POINTS);
      const end = job === undefined ? null : jobEnd(job);
      // A Job may be seen to end before its pods.
      if (end !== null) await this.gather((await this.cluster.pods()).filter(isOfPoint));
      if (job === undefined || end?.succeeded === false) {
        return this.failed(pods, end?.why ?? 'its Job was deleted');
      }
      if (end !== null) return this.all();
      const hopeless = whyHopeless(pods);
      if (hopeless !== null) throw new StartError(hopeless);
      const reasons = whyPending({ pods, jobs, claims: [], events });
      this.note([`${this.outputs.size} of ${this.task.count} parts have ended`, ...reasons]);
      await this.watch.changed(this.task.following.stopped);
    }
  }

  /** What parts have printed is read when they end: a node that is lost takes its logs along. */
  private async gather(pods: readonly V1Pod[]): Promise<void> {
    for (const { metadata, status } of pods) {
      const index = Number(metadata?.annotations?.[INDEX_LABEL]);
      if (status?.phase !== 'Succeeded' || this.outputs.has(index)) continue;
      this.outputs.set(index, jsonOf(await this.cluster.logOf(metadata!.name!)));
    }
  }

  private all(): string[] {
    return Array.from({ length: this.task.count }, (_, index) => {
      const output = this.outputs.get(index);
      if (output !== undefined && output !== '') return output;
      throw new ClusterError(`the output of part ${index} was lost with its pod`);
    });
  }

  private async failed(pods: readonly V1Pod[], why: string): Promise<number> {
    const { note } = this.task.following;
    note(`a part failed: ${why}`);
    await noteLog(this.cluster, pods, POINTS, note);
    return lastEnd(pods, POINTS)?.code === EXIT.BAD_INPUT ? EXIT.BAD_INPUT : EXIT.RUN_FAILED;
  }

  private note(lines: readonly string[]): void {
    const words = lines.join('\n  ');
    if (words !== this.noted) this.task.following.note(words);
    this.noted = words;
  }
}

function isOfPoint(pod: V1Pod): boolean {
  return isOfRole(pod, POINTS);
}

/** The JSON in a log, which may have warnings before it. */
function jsonOf(log: string): string {
  const start = log.search(/^[[{]/m);
  return start < 0 ? '' : log.slice(start).trimEnd();
}
