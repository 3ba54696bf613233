import type { CoreV1Event, V1ContainerStateTerminated, V1Pod } from '@kubernetes/client-node';
import { EXIT } from '../exit.js';
import { memoryIn } from '../termination-message.js';
import { isOfRole, sourceOf } from './labels.js';

/** Pods of a run, and of those that are gone what was known at last. */
interface RunPods {
  readonly pods: readonly V1Pod[];
  readonly gone?: readonly V1Pod[];
  readonly events: readonly CoreV1Event[];
}

/** Why a pod ended. */
interface Reason {
  /** What several pods have in common. */
  readonly what: string;
  readonly more: string;
}

/** Values of --values that limit the memory of a role. */
const MEMORY_VALUES: Readonly<Record<string, string>> = {
  coordinator: 'coordinator.memoryLimit',
  service: 'service.memoryLimit',
  points: 'point.memoryLimit',
  nats: 'broker.memoryLimit',
  collect: '',
};

/** Reasons of the condition DisruptionTarget, in words. */
const DISRUPTIONS: Readonly<Record<string, string>> = {
  PreemptionByScheduler: 'preempted',
  DeletionByTaintManager: 'evicted, since its node is not ready or was tainted',
  EvictionByEvictionAPI: 'evicted',
  DeletionByPodGC: 'lost with its node',
  TerminationByKubelet: 'ended by its node',
};

/** Codes of a pod that ended by itself, or was asked to. */
const OWN_CODES: readonly number[] = Object.values(EXIT);

/** Why pods ended that should not have, in order of time: a line for each process and reason. */
export function whyEnded({ pods, gone = [], events }: RunPods): string[] {
  const seen = new Map<string, { readonly pod: V1Pod; readonly reason: Reason; times: number }>();
  for (const pod of [...gone, ...pods].sort((a, b) => timeOf(a) - timeOf(b))) {
    const reason = reasonOf(pod, events);
    if (reason === null) continue;
    const key = `${sourceOf(pod)}: ${reason.what}`;
    const times = (seen.get(key)?.times ?? 0) + 1;
    seen.delete(key);
    seen.set(key, { pod, reason, times });
  }
  return [...seen].map(([key, { pod, reason, times }]) => {
    const often = times === 1 ? '' : ` ${times} times`;
    const place = pod.spec?.nodeName === undefined ? '' : ` on node ${pod.spec.nodeName}`;
    return `${key}${often}${reason.more} (pod ${pod.metadata?.name}${place})`;
  });
}

/** Null: it has not ended, or as it should. */
function reasonOf(pod: V1Pod, events: readonly CoreV1Event[]): Reason | null {
  const { status } = pod;
  const container = status?.containerStatuses?.[0];
  const ended = container?.state?.terminated ?? container?.lastState?.terminated;
  if (ended?.reason === 'OOMKilled') return { what: 'OOMKilled', more: memoryText(pod, ended) };
  if (status?.phase === 'Failed' && status.reason !== undefined) {
    return { what: status.reason, more: status.message === undefined ? '' : `: ${status.message}` };
  }
  const probe = probeOf(pod, events);
  if (probe !== null && ended !== undefined) return probe;
  const disruption = status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  if (disruption?.status === 'True') {
    const { reason = '', message } = disruption;
    const more = message === undefined ? '' : `: ${message}`;
    return { what: DISRUPTIONS[reason] ?? reason, more };
  }
  if (nodeLostOf(pod) !== null) return { what: 'its node is not ready', more: '' };
  return ended === undefined ? null : codeOf(pod, ended);
}

/** Its limit, what it had at last, and which value is too small. */
function memoryText(pod: V1Pod, { message }: V1ContainerStateTerminated): string {
  const { limits } = pod.spec?.containers[0]?.resources ?? {};
  const role = Object.keys(MEMORY_VALUES).find((one) => isOfRole(pod, one)) ?? '';
  const resident = memoryIn(message);
  const had = resident === null ? '' : `, and at most ${resident} MiB were measured before`;
  const value = MEMORY_VALUES[role] ?? '';
  const remedy = value === '' ? '' : `; raise ${value} of --values`;
  return `: its memory limit is ${limits?.['memory'] ?? 'not set'}${had}${remedy}`;
}

/** The node kills a container whose probe fails; events say so, and its code alone does not. */
function probeOf({ metadata }: V1Pod, events: readonly CoreV1Event[]): Reason | null {
  const own = events.filter(({ involvedObject }) => involvedObject.name === metadata?.name);
  const isKilled = own.some(
    ({ reason, message = '' }) => reason === 'Killing' && message.includes('probe'),
  );
  if (!isKilled) return null;
  const failed = own.filter(
    ({ reason, message = '' }) => reason === 'Unhealthy' && !message.startsWith('Readiness'),
  );
  const message = failed.at(-1)?.message;
  return { what: 'failed its probe', more: message === undefined ? '' : `: ${message}` };
}

function codeOf(
  pod: V1Pod,
  { exitCode, reason, signal }: V1ContainerStateTerminated,
): Reason | null {
  const isOwn = isOfRole(pod, 'service')
    ? exitCode === EXIT.COMPLETE || exitCode === EXIT.TERMINATED
    : OWN_CODES.includes(exitCode);
  if (isOwn || pod.status?.phase !== 'Failed') return null;
  const by = signal === undefined ? `ended with code ${exitCode}` : `killed by signal ${signal}`;
  return { what: by, more: reason === undefined || reason === 'Error' ? '' : `: ${reason}` };
}

/**
 * The node of a pod that says nothing any more; null: it does. The controller of nodes makes such a
 * pod unready, and leaves its containers as the kubelet had them at last: ready.
 */
export function nodeLostOf({ spec, status }: V1Pod): string | null {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const containers = status?.containerStatuses ?? [];
  const isSilent = containers.length > 0 && containers.every((one) => one.ready);
  return isSilent && ready?.status === 'False' ? (spec?.nodeName ?? null) : null;
}

function timeOf({ metadata, status }: V1Pod): number {
  const { finishedAt } = status?.containerStatuses?.[0]?.state?.terminated ?? {};
  const time = finishedAt ?? metadata?.deletionTimestamp ?? metadata?.creationTimestamp;
  // A watch has times as text.
  return time === undefined ? 0 : new Date(time).getTime();
}
