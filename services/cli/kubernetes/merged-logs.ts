import type { V1Pod } from '@kubernetes/client-node';
import type { Cluster } from './cluster.js';
import { ROLE_LABEL } from './labels.js';

const INDEX = 'batch.kubernetes.io/job-completion-index';

/** The log of one pod, with a time in front of every line. */
export interface PodLog {
  readonly pod: string;
  /** Role, and index of a service. */
  readonly source: string;
  readonly text: string;
}

/** Logs of all pods of a run, or of those of a role. */
export async function podLogs(cluster: Cluster, role?: string): Promise<PodLog[]> {
  const pods = (await cluster.pods()).filter(
    ({ metadata }) => role === undefined || metadata?.labels?.[ROLE_LABEL] === role,
  );
  const logs: PodLog[] = [];
  for (const pod of pods) {
    const name = pod.metadata!.name!;
    logs.push({ pod: name, source: sourceOf(pod), text: await cluster.logOf(name, true) });
  }
  return logs;
}

/** Their lines in order of time, each with its source. */
export function mergedLines(logs: readonly PodLog[]): string[] {
  const lines = logs.flatMap(({ source, text }) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const end = line.indexOf(' ');
        return { time: line.slice(0, end), source, words: line.slice(end + 1) };
      }),
  );
  lines.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  const width = Math.max(0, ...logs.map(({ source }) => source.length));
  return lines.map(({ time, source, words }) => `${time} ${source.padEnd(width)} ${words}`);
}

function sourceOf({ metadata }: V1Pod): string {
  const role = metadata?.labels?.[ROLE_LABEL] ?? 'pod';
  const index = metadata?.annotations?.[INDEX];
  if (role === 'nats') return metadata!.name!;
  return index === undefined ? role : `${role}-${index}`;
}
