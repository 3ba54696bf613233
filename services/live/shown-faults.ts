import type { ShownFault } from '../report/page/live-data.js';
import type { FaultWords, LiveFault } from '../runtime/live-faults.js';

/** Faults that were injected during a run, in words. */
export function shownFaults(
  faults: readonly Omit<LiveFault, 'kind'>[],
  nowPs: number,
): ShownFault[] {
  return faults
    .filter(({ injected }) => injected)
    .map(({ name, startPs: atPs, untilPs, words }) => {
      return { name, text: wordsText(words), atPs, isOver: untilPs <= nowPs };
    });
}

/** `loss at leaf1:p3, probability 10%, for 20us` */
function wordsText({ kind, where, name, at, until, ...rest }: FaultWords): string {
  const place = Object.values(where ?? {}).join(', ');
  const more = Object.entries(rest).map(([key, value]) => `, ${key} ${String(value)}`);
  return `${String(kind)} at ${place === '' ? 'every port' : place}${more.join('')}`;
}
