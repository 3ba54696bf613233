import { writeFileSync } from 'node:fs';
import { show } from '../report/expectations.js';
import type { RunRecord } from '../report/run-directory.js';

/** What a run came to, in few words, for the cluster that runs it. */
export interface RunOutcome {
  readonly verdict: string;
  readonly digest: string;
  /** How many the scenario has. */
  readonly expectations: number;
  /** How many of them hold. */
  readonly met: number;
  /** The first that failed, with what was measured. */
  readonly failed: readonly string[];
}

const MEMORY_MS = 1_000;
const MEMORY = ' MiB resident at most';

/** Leaves there how much memory this process has had: it may be killed for it. */
export function leaveMemory(env: NodeJS.ProcessEnv): void {
  const file = env['SELVAGE_TERMINATION_LOG'] ?? '';
  if (file === '') return;
  const leave = (): void => {
    const { maxRSS } = process.resourceUsage();
    writeFileSync(file, `${Math.round(maxRSS / 1024)}${MEMORY}`);
  };
  leave();
  setInterval(leave, MEMORY_MS).unref();
}

/** MiB of such a message; null: it is another one. */
export function memoryIn(message: string | undefined): number | null {
  return message?.endsWith(MEMORY) === true ? parseInt(message) : null;
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
    met: expectations.length - failed.length,
    failed: failed.slice(0, SHOWN),
  };
  writeFileSync(file, fitted(outcome));
}

/** As many of the expectations that failed as there is room for: what is cut is no JSON. */
function fitted(outcome: RunOutcome): string {
  const text = JSON.stringify(outcome);
  const { length } = outcome.failed;
  if (length === 0 || Buffer.byteLength(text) <= MESSAGE_BYTES) return text;
  return fitted({ ...outcome, failed: outcome.failed.slice(0, -1) });
}
