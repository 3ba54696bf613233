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
  const notes = faults.filter(({ overflows }) => overflows > 0).map((fault) => noteOf(fault));
  return [style.strong('Faults'), table(head, rows), ...notes].join('\n');
}

/** Headroom is computed for control frames that leave and arrive in time. */
function noteOf({ fault, kind, overflows }: RunResults['faults'][number]): string {
  return (
    `  ${fault} (${kind}) disturbs flow control: ${formatCount(overflows)} lossless frames ` +
    'found headroom full'
  );
}
