/** Rates of connections, for the summary. */

import type { RunResults } from '../runtime/results/results.js';
import { formatCount, formatRate } from './format.js';
import type { Style } from './style.js';
import { table } from './table.js';

const ROWS_SHOWN = 8;

export function rateTable({ rates }: RunResults, style: Style): string {
  const limited = rates.filter(({ notifications }) => notifications > 0);
  if (limited.length === 0) return '';
  const rows = [...limited]
    .sort((a, b) => a.leastBps - b.leastBps)
    .slice(0, ROWS_SHOWN)
    .map((rate) => [
      rate.name,
      rate.control,
      formatRate(rate.leastBps),
      formatRate(rate.rateBps),
      formatCount(rate.notifications),
      formatCount(rate.cuts),
    ]);
  const head = ['limited flow', 'by', 'least', 'at the end', 'notified', 'cuts'];
  const more =
    limited.length > ROWS_SHOWN ? [`  and ${formatCount(limited.length - ROWS_SHOWN)} more`] : [];
  return [style.strong('Rates, slowest first'), table(head, rows), ...more].join('\n');
}
