import type { RunOutcome } from '../termination-message.js';
import type { PodEnd } from './job-end.js';

/** Verdict and digest as the coordinator's pod left them; null if it ended before it had any. */
export function outcomeOf(end: PodEnd | null): RunOutcome | null {
  if (end === null) return null;
  try {
    const outcome = JSON.parse(end.message) as Partial<RunOutcome> | null;
    return outcome?.digest === undefined ? null : (outcome as RunOutcome);
  } catch {
    return null;
  }
}

/** Lines for a person: verdict, digest, and each expectation that failed. */
export function outcomeText({ verdict, digest, expectations, met, failed }: RunOutcome): string {
  const kept = expectations === 0 ? '' : `; ${met} of ${expectations} expectations hold`;
  const more = expectations - met - failed.length;
  return [
    `${verdict}, digest ${digest}${kept}`,
    ...failed.map((text) => `  expected ${text}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join('\n');
}
