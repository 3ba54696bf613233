import type { RunResults } from '../runtime/results/results.js';
import { formatCount } from './format.js';
import { causeOf } from './stall-text.js';
import type { Style } from './style.js';
import { table } from './table.js';

const ROWS_SHOWN = 8;

/** Flows that could not reach their destination when the run ended, and where they ended. */
export function unreachableText({ flows }: RunResults, style: Style): string {
  const lost = flows.filter(({ unreachableAt }) => unreachableAt !== null);
  if (lost.length === 0) return '';
  const rows = lost
    .slice(0, ROWS_SHOWN)
    .map((flow) => [flow.name, flow.unreachableAt!, causeOf(flow.unreachableAt!)]);
  const more = lost.length - rows.length;
  const count = `${formatCount(lost.length)} of ${formatCount(flows.length)} flows`;
  const title = `Unreachable at the end: ${count}`;
  return [
    style.bad(title),
    table(['flow', 'ends at', 'by'], rows),
    ...(more > 0 ? [`  and ${formatCount(more)} more: see flows.csv`] : []),
  ].join('\n');
}
