import { writeFileSync } from 'node:fs';
import { show } from '../report/expectations.js';
import type { RunRecord } from '../report/run-directory.js';

/** What a run came to, in few words, for the cluster that runs it. */
export interface RunOutcome {
  readonly verdict: string;
  readonly digest: string;
  /** How many the scenario has. */
  readonly expectations: number;
  /** Those that failed, with what was measured. */
  readonly failed: readonly string[];
}

/** Kubernetes keeps so many bytes of it. */
const MESSAGE_BYTES = 4096;
const SHOWN = 10;

/**
 * Writes the outcome where the environment says that the message of a terminated container goes:
 * `kubectl describe pod` shows it, and it outlives the container's log.
 */
export function leaveOutcome(
  { results, expectations }: Pick<RunRecord, 'results' | 'expectations'>,
  env: NodeJS.ProcessEnv,
): void {
  const file = env['SELVAGE_TERMINATION_LOG'] ?? '';
  if (file === '') return;
  const failed = expectations
    .filter(({ ok }) => !ok)
    .map(
      ({ text, metric, actual, reason }) => `${text}: ${reason ?? `is ${show(metric, actual)}`}`,
    );
  const outcome: RunOutcome = {
    verdict: results.status,
    digest: results.digest,
    expectations: expectations.length,
    failed: failed.slice(0, SHOWN),
  };
  writeFileSync(file, JSON.stringify(outcome).slice(0, MESSAGE_BYTES));
}
