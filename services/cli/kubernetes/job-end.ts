import type { V1Job, V1Pod } from '@kubernetes/client-node';
import { isOfRole } from './labels.js';

/** How a Job ended. */
interface JobEnd {
  readonly succeeded: boolean;
  /** Reason and message of its condition. */
  readonly why: string;
}

export function jobOf(jobs: readonly V1Job[], role: string): V1Job | undefined {
  return jobs.find((job) => isOfRole(job, role));
}

/** Null: it goes on. */
export function jobEnd({ status }: V1Job): JobEnd | null {
  for (const { type, status: holds, reason, message } of status?.conditions ?? []) {
    if (holds !== 'True' || (type !== 'Complete' && type !== 'Failed')) continue;
    return { succeeded: type === 'Complete', why: [reason, message].filter(Boolean).join(': ') };
  }
  return null;
}

/** What the container of the last pod of a role that ended left. */
export interface PodEnd {
  readonly pod: string;
  readonly code: number;
  /** Its termination message. */
  readonly message: string;
}

export function lastEnd(pods: readonly V1Pod[], role: string): PodEnd | null {
  const ends = pods.flatMap((pod) => {
    const terminated = pod.status?.containerStatuses?.[0]?.state?.terminated;
    if (!isOfRole(pod, role) || terminated === undefined) return [];
    const { exitCode: code, message = '', finishedAt } = terminated;
    return [{ pod: pod.metadata!.name!, code, message, at: new Date(finishedAt ?? 0).getTime() }];
  });
  return ends.sort((a, b) => a.at - b.at).at(-1) ?? null;
}
