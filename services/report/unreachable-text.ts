import type { RunResults } from '../runtime/results/results.js';
import { formatCount } from './format.js';
import type { Style } from './style.js';
import { table } from './table.js';

const ROWS_SHOWN = 8;

/** Flows that could not reach their destination when the run ended, and where they ended instead. */
export function unreachableText({ flows }: RunResults, style: Style): string {
  const lost = flows.filter(({ unreachableAt }) => unreachableAt !== null);
  if (lost.length === 0) return '';
  const rows = lost.slice(0, ROWS_SHOWN).map((flow) => [flow.name, flow.unreachableAt!]);
  const more = lost.length - rows.length;
  const title = `Unreachable at the end: ${formatCount(lost.length)} of ${formatCount(flows.length)} flows`;
  return [
    style.bad(title),
    table(['flow', 'ends at'], rows),
    ...(more > 0 ? [`  and ${formatCount(more)} more: see flows.csv`] : []),
  ].join('\n');
}
