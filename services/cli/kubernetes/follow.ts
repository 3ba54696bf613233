import type { V1Job, V1Pod } from '@kubernetes/client-node';
import { EXIT } from '../exit.js';
import type { Cluster, ClusterError } from './cluster.js';
import { FORBIDDEN } from './cluster.js';
import { jobEnd, jobOf, lastEnd } from './job-end.js';
import { COORDINATOR, isOfRole, SERVICE } from './labels.js';
import { LostNodes } from './lost-nodes.js';
import { outcomeOf, outcomeText } from './outcome.js';
import { RunWatch } from './run-watch.js';
import { whyEnded } from './pod-reasons.js';
import { whyPending } from './why-pending.js';

const LOG_LINES = 20;
const LOG_MS = 10_000;
/** Codes by which a coordinator says how its run ended; others are of the machine. */
const OWN_CODES: readonly number[] = Object.values(EXIT);

export interface FollowOptions {
  readonly note: (words: string) => void;
  readonly stopped: AbortSignal;
}

/** Follows the Jobs of a run to their end; notes outcome or reason, returns the exit code. */
export async function follow(cluster: Cluster, options: FollowOptions): Promise<number> {
  const watch = await RunWatch.open(cluster);
  const lost = new LostNodes(cluster, options.note);
  let noted = '';
  try {
    for (;;) {
      const { jobs, pods } = watch;
      await lost.clear(pods);
      const code = await endOf(cluster, watch, options);
      if (code !== null) {
        if (hasEnded(watch)) await endBrokers(cluster);
        return code;
      }
      const words = [runningText(jobs, pods), ...whyPending(watch), ...whyEnded(watch)].join(
        '\n  ',
      );
      if (words !== noted) options.note(words);
      noted = words;
      await watch.changed(options.stopped);
    }
  } finally {
    watch.close();
  }
}

function hasEnded({ jobs }: RunWatch): boolean {
  const coordinator = jobOf(jobs, COORDINATOR);
  return coordinator !== undefined && jobEnd(coordinator) !== null;
}

/** Of a run that is over, with their volumes: results are elsewhere. */
async function endBrokers(cluster: Cluster): Promise<void> {
  try {
    for (const { metadata } of await cluster.all('apps/v1', 'StatefulSet')) {
      const { name, namespace } = metadata as { name: string; namespace: string };
      const set = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name, namespace } };
      await cluster.patch(set, { spec: { replicas: 0 } });
    }
  } catch (error) {
    // Who may only look at a run follows it all the same.
    if ((error as ClusterError).code !== FORBIDDEN) throw error;
  }
}

/** Null: both Jobs go on. A run ends with its coordinator, or when a service is lost for good. */
async function endOf(
  cluster: Cluster,
  { jobs, gone, events }: RunWatch,
  { note }: FollowOptions,
): Promise<number | null> {
  const coordinator = jobOf(jobs, COORDINATOR);
  if (coordinator === undefined) {
    note('the Job of the coordinator was deleted');
    return EXIT.RUN_FAILED;
  }
  const end = jobEnd(coordinator);
  const services = jobOf(jobs, SERVICE);
  const lost = services === undefined ? null : jobEnd(services);
  if (end === null && (lost === null || lost.succeeded)) return null;
  // A Job may be seen to end before its pods.
  const pods = await cluster.pods();
  if (end === null) {
    const { why } = lost!;
    await noteLog(cluster, pods, SERVICE, note);
    note([`the services cannot go on: ${why}`, ...whyEnded({ pods, gone, events })].join('\n  '));
    return EXIT.RUN_FAILED;
  }
  const last = lastEnd(pods, COORDINATOR);
  const outcome = outcomeOf(last);
  if (outcome !== null) note(outcomeText(outcome));
  if (end.succeeded) return EXIT.COMPLETE;
  if (outcome === null) {
    await noteLog(cluster, pods, COORDINATOR, note);
    note([`the coordinator failed: ${end.why}`, ...whyEnded({ pods, gone, events })].join('\n  '));
  }
  const code = last?.code ?? EXIT.RUN_FAILED;
  return OWN_CODES.includes(code) ? code : EXIT.RUN_FAILED;
}

/** The last lines of the pod of a role that ended last. */
async function noteLog(
  cluster: Cluster,
  pods: readonly V1Pod[],
  role: string,
  note: (words: string) => void,
): Promise<void> {
  const end = lastEnd(pods, role);
  if (end === null) return;
  // It is no reason to end otherwise where the log is lost with its node.
  const log = await cluster.logOf(end.pod, { withinMs: LOG_MS }).catch((error: unknown) => {
    return `no log: ${(error as Error).message}`;
  });
  const lines = log.trimEnd().split('\n').slice(-LOG_LINES);
  note([`${end.pod} ended with code ${end.code}:`, ...lines].join('\n  '));
}

function runningText(jobs: readonly V1Job[], pods: readonly V1Pod[]): string {
  const all = jobOf(jobs, SERVICE)?.spec?.completions ?? 0;
  const inPhase = (phase: string): number =>
    pods.filter((pod) => isOfRole(pod, SERVICE) && pod.status?.phase === phase).length;
  const ended = inPhase('Succeeded');
  if (ended > 0) return `${ended} of ${all} services have ended`;
  return `${inPhase('Running')} of ${all} services are running`;
}
