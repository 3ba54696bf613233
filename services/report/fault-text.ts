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

/** Lost credit, and accounts that starve for it. */
export function lostCreditText({ lostCredits }: RunResults, style: Style): string {
  if (lostCredits.length === 0) return '';
  const lines = lostCredits.map(({ port, peer, priority, channel, units, starvedSincePs }) => {
    const what = `${port} priority ${priority} channel ${channel}: ${formatCount(units)} units`;
    const lost = `  ${what} between it and ${peer} are lost`;
    if (starvedSincePs === null) return lost;
    return `${lost}; ${style.bad(`starved since ${formatTime(starvedSincePs)}`)}`;
  });
  return [style.strong('Credit lost'), ...lines].join('\n');
}

/** Accounts whose ends received implausible totals. */
export function wrongCreditText({ credits }: RunResults, style: Style): string {
  const lines = credits.flatMap((account) => {
    const { port, priority, channel, wrongTotals, violations, contradictions } = account;
    const found = [
      ...(wrongTotals > 0 ? [`${formatCount(wrongTotals)} wrong totals refused`] : []),
      ...(violations > 0 ? [`${formatCount(violations)} units received without credit`] : []),
      ...(contradictions > 0 ? [`${formatCount(contradictions)} reports contradicted`] : []),
    ];
    if (found.length === 0) return [];
    return [`  ${port} priority ${priority} channel ${channel}: ${found.join(', ')}`];
  });
  return lines.length === 0 ? '' : [style.strong('Credit contradicted'), ...lines].join('\n');
}
