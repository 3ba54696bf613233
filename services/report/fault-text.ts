import type { RunResults } from '../runtime/results/results.js';
import { formatCount, formatTime } from './format.js';
import type { Style } from './style.js';
import { table } from './table.js';

/** Effects of declared faults. */
export function faultTable({ faults }: RunResults, style: Style): string {
  if (faults.length === 0) return '';
  const withheld = faults.some((f) => f.withheld > 0);
  const rows = faults.map((f) => [
    f.fault,
    f.kind,
    formatCount(f.ports),
    formatCount(f.times),
    formatTime(f.activePs),
    formatCount(f.hits),
    ...(withheld ? [formatCount(f.withheld)] : []),
  ]);
  const head = ['fault', 'kind', 'ports', 'times', 'in all', 'hits'];
  if (withheld) head.push('withheld');
  return [style.strong('Faults'), table(head, rows)].join('\n');
}
