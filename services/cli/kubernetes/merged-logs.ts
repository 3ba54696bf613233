import type { Cluster } from './cluster.js';
import { ClusterError } from './cluster.js';
import { isOfRole, sourceOf } from './labels.js';

/** Of a node that may be lost; those of others do not wait for it. */
const WITHIN_MS = 10_000;

/** The log of one pod, with a time in front of every line. */
interface PodLog {
  readonly pod: string;
  /** Role, and index of a service. */
  readonly source: string;
  readonly text: string;
}

/** Logs of a run, and of the pods whose log is missing, why. */
interface RunLogs {
  readonly logs: readonly PodLog[];
  readonly missing: readonly string[];
}

/** Logs of all pods of a run, or of those of a role. */
export async function podLogs(cluster: Cluster, role?: string): Promise<RunLogs> {
  const pods = (await cluster.pods()).filter((pod) => role === undefined || isOfRole(pod, role));
  const missing: string[] = [];
  const logs = await Promise.all(
    pods.map(async (pod): Promise<PodLog[]> => {
      const name = pod.metadata!.name!;
      try {
        const text = await cluster.logOf(name, { timestamps: true, withinMs: WITHIN_MS });
        return [{ pod: name, source: sourceOf(pod), text }];
      } catch (error) {
        if (!(error instanceof ClusterError)) throw error;
        missing.push(`no log of pod ${name} on node ${pod.spec?.nodeName}: ${error.message}`);
        return [];
      }
    }),
  );
  return { logs: logs.flat(), missing: missing.sort() };
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
