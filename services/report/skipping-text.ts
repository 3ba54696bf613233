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

/** What has to hold of a number a period later, by the kind of state that it is. */
const HAS_TO: Readonly<Record<string, string>> = {
  shape: 'has to be the same',
  due: 'has to be a time that moves by the period, or is past at both',
  since: 'has to be a time that moves by the period',
  counter: 'has to be a whole number',
  sequence: 'has to move with the packets of its connection',
  countdown: 'has to fall with the packets of its connection',
  limit: 'has to move with what it limits, or to be ahead of it',
  unknown: 'has no kind of state: nothing is skipped while it is in use',
};

/** The same at length: what would have had to be equal for a jump. */
export function skippingWhyText(skipping: SkippingResult, virtualPs: number): string {
  const { jumps, excluded, nearest } = skipping;
  const lines = [
    ...(excluded === null ? [] : [`not skipped: ${excluded}; without that:`]),
    skippingText({ ...skipping, excluded: null, nearest: null }, virtualPs),
  ];
  if (nearest === null) {
    if (jumps === 0)
      lines.push('at no two starts of frames of the busiest port were all ports alike');
    return lines.join('\n');
  }
  const { periodPs, device, what, kind } = nearest;
  lines.push(`nearest miss: a state that was alike ${formatTime(periodPs)} later, but for`);
  lines.push(`  ${device === '' ? what : `${device}: ${what}`}`);
  if (kind !== null) lines.push(`  (${kind}: it ${HAS_TO[kind] ?? 'has to be the same'})`);
  return lines.join('\n');
}
