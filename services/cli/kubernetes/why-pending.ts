import type { CoreV1Event, V1Job, V1PersistentVolumeClaim, V1Pod } from '@kubernetes/client-node';
import { ROLE_LABEL } from './labels.js';

/** Objects of a run as the API server lists them. */
interface RunObjects {
  readonly pods: readonly V1Pod[];
  readonly jobs: readonly V1Job[];
  readonly claims: readonly V1PersistentVolumeClaim[];
  readonly events: readonly CoreV1Event[];
}

/** A reason for which a container will never start as it is. */
const HOPELESS = new Set(['InvalidImageName', 'ErrImageNeverPull', 'CreateContainerConfigError']);
/** A registry may be back in a moment; twice refused, it is not. */
const PULL_FAILED = new Set(['ImagePullBackOff']);
/** Events by which controllers say that they cannot create a pod or bind a volume. */
const REFUSALS = new Set(['FailedCreate', 'FailedBinding', 'ProvisioningFailed', 'FailedMount']);

/** Why pods of a run do not run, a line each, without repetition; nothing if all is well. */
export function whyPending(objects: RunObjects): string[] {
  const lines = [
    ...objects.pods.flatMap(ofPod),
    ...objects.claims
      .filter(({ status }) => status?.phase === 'Pending')
      .flatMap(({ metadata }) => ofEvents(objects.events, 'PersistentVolumeClaim', metadata?.name)),
    ...jobEvents(objects),
    ...ofEvents(objects.events, 'StatefulSet', undefined),
  ];
  return [...new Set(lines)];
}

/** Why a pod can never start; null: it may. */
export function whyHopeless(pods: readonly V1Pod[]): string | null {
  for (const { metadata, status } of pods) {
    const waiting = status?.containerStatuses?.[0]?.state?.waiting;
    const reason = waiting?.reason ?? '';
    if (!HOPELESS.has(reason) && !PULL_FAILED.has(reason)) continue;
    const message = waiting?.message ?? 'no reason given';
    return `pod ${metadata?.name} cannot start: ${reason}: ${message}`;
  }
  return null;
}

/** Whether the scheduler has no room for a pod, or a quota none. */
export function lacksRoom(line: string): boolean {
  return /Insufficient|Too many pods|exceeded quota|didn't match/.test(line);
}

function ofPod({ metadata, status, spec }: V1Pod): string[] {
  if (status?.phase !== 'Pending' || metadata?.deletionTimestamp !== undefined) return [];
  const role = metadata?.labels?.[ROLE_LABEL] ?? 'pod';
  const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False') return [`${role}: ${scheduled.message ?? 'not scheduled'}`];
  const waiting = status.containerStatuses?.[0]?.state?.waiting;
  if (waiting?.reason === undefined || waiting.reason === 'ContainerCreating') return [];
  const image = spec?.containers[0]?.image ?? '';
  return [`${role}: ${waiting.reason}: ${waiting.message ?? image}`];
}

/** A Job that has all its pods was refused some before, and is no longer. */
function jobEvents({ jobs, events }: RunObjects): string[] {
  return jobs
    .filter(({ spec, status }) => (status?.active ?? 0) < (spec?.parallelism ?? 1))
    .filter(({ spec, status }) => spec?.suspend !== true && status?.completionTime === undefined)
    .flatMap(({ metadata }) => ofEvents(events, 'Job', metadata?.name));
}

/** The last refusal that the events of an object, or of all of a kind, speak of. */
function ofEvents(events: readonly CoreV1Event[], kind: string, name?: string): string[] {
  const refusals = events.filter(
    ({ involvedObject, reason }) =>
      involvedObject.kind === kind &&
      (name === undefined || involvedObject.name === name) &&
      REFUSALS.has(reason ?? ''),
  );
  const last = refusals.sort((a, b) => timeOf(a) - timeOf(b)).at(-1);
  if (last === undefined) return [];
  return [`${kind} ${last.involvedObject.name}: ${last.message ?? last.reason}`];
}

function timeOf({ lastTimestamp, eventTime, metadata }: CoreV1Event): number {
  const time = lastTimestamp ?? eventTime ?? metadata.creationTimestamp;
  return time === undefined ? 0 : new Date(time).getTime();
}
