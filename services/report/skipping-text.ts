import type { SkippingResult } from '../runtime/skipping/skipping.js';
import { formatCount, formatTime } from './format.js';

/** What was skipped of a run, or what came nearest to it, in a line. */
export function skippingText(
  { jumps, skippedPs, excluded, nearest }: SkippingResult,
  virtualPs: number,
): string {
  if (excluded !== null) return `not skipped: ${excluded}`;
  if (jumps > 0) {
    const share = ((100 * skippedPs) / virtualPs).toFixed(1);
    const times = `${formatCount(jumps)} ${jumps === 1 ? 'jump' : 'jumps'}`;
    return `skipped ${share} % of virtual time in ${times}, exactly`;
  }
  if (nearest === null) return 'not skipped: no state came back';
  const { periodPs, device, what } = nearest;
  const place = device === '' ? '' : ` at ${device}`;
  const after = `after ${formatTime(periodPs)} the state was nearly the same`;
  return `not skipped: ${after}, but${place} ${what}`;
}
