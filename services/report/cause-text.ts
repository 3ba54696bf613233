import {
  CAUSE_WORDS,
  FLOW_CAUSES,
  type CauseWord,
  type FlowCause,
} from '../runtime/results/flow-cause.js';
import type { FlowResult, RunResults } from '../runtime/results/results.js';
import { formatCount } from './format.js';
import type { Style } from './style.js';
import { table } from './table.js';

const ROWS_SHOWN = 8;

/** Flows that go on as they are configured to. */
const AS_PLANNED: ReadonlySet<CauseWord> = new Set(['not-due', 'sending', 'rate-limited']);

/** Flows that are not finished, and why, but for those that are listed as stalled. */
export function causeText({ flows, stalls }: RunResults, style: Style): string {
  const listed = new Set(stalls.map(({ flow }) => flow));
  const shown = flows.filter(
    ({ flow, cause }) => cause !== null && !AS_PLANNED.has(cause.word) && !listed.has(flow),
  );
  if (shown.length === 0) return '';
  const rows = shown
    .slice(0, ROWS_SHOWN)
    .map(({ name, cause }) => [name, cause!.word, cause!.at ?? '–', cause!.by ?? '–']);
  const more = shown.length - rows.length;
  return [
    style.strong(`Not finished: ${countText(shown.map(({ cause }) => cause!.word))}`),
    table(['flow', 'cause', 'at', 'by'], rows),
    ...(more > 0 ? [`  and ${formatCount(more)} more: see flows.csv`] : []),
  ].join('\n');
}

/** How many flows have each cause: `2 starved, 1 paused`. */
export function countText(words: readonly CauseWord[]): string {
  const counts = CAUSE_WORDS.flatMap((word) => {
    const count = words.filter((one) => one === word).length;
    return count === 0 ? [] : [`${formatCount(count)} ${FLOW_CAUSES[word].title}`];
  });
  return counts.join(', ');
}

/** In a sentence about one flow; empty where it is finished. */
export function causeOfFlow({ cause }: Pick<FlowResult, 'cause'>): string {
  return cause === null ? '' : causeWords(cause);
}

function causeWords({ word, standsStill, at, by }: FlowCause): string {
  const place = at === null ? '' : ` at ${at}`;
  const doer = by === null ? '' : ` by ${by}`;
  const still = standsStill ? ', and stands still' : '';
  return `${FLOW_CAUSES[word].title}${doer}${place}${still}`;
}
