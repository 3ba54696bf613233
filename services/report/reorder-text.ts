import type { RunResults } from '../runtime/results/results.js';
import { formatCount, formatOctets } from './format.js';
import type { Style } from './style.js';
import { table } from './table.js';

const ROWS_SHOWN = 8;

/** A row for each load whose receivers stored packets that came out of order. */
export function reorderText({ loads, flows }: RunResults, style: Style): string {
  const rows = loads.flatMap(({ load }) => {
    const own = flows.filter((flow) => flow.load === load);
    const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
    const outOfOrder = sum(own.map(({ outOfOrderFrames }) => outOfOrderFrames));
    const duplicates = sum(own.map(({ duplicateFrames }) => duplicateFrames));
    if (outOfOrder + duplicates === 0) return [];
    const frames = sum(own.map((flow) => flow.frames));
    return [
      [
        load === '' ? '–' : load,
        `${((100 * outOfOrder) / frames).toFixed(1)} %`,
        formatCount(Math.max(...own.map(({ reorderP99Frames }) => reorderP99Frames))),
        formatCount(Math.max(...own.map(({ reorderPeakFrames }) => reorderPeakFrames))),
        formatOctets(Math.max(...own.map(({ reorderPeakOctets }) => reorderPeakOctets))),
        formatCount(sum(own.map(({ retransmittedFrames }) => retransmittedFrames))),
        formatCount(duplicates),
      ],
    ];
  });
  if (rows.length === 0) return '';
  const head = ['load', 'out of order', 'stored p99', 'most', 'payload', 'resent', 'in vain'];
  return [style.strong('Reordering'), table(head, rows.slice(0, ROWS_SHOWN))].join('\n');
}
