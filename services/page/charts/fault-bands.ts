import type uPlot from 'uplot';
import type { FaultView } from '../../report/page/page-data.js';
import { colourOf } from '../colours.js';

type Band = FaultView['spells'][number];

/** When any fault was active, but for those that always were. */
export function bandsOf(faults: readonly FaultView[]): Band[] {
  return faults.flatMap(({ spells }) => spells.filter(([begin, end]) => begin > 0 || end !== null));
}

/** Behind the lines of a chart over time. */
export function drawBands(plot: uPlot, bands: readonly Band[]): void {
  const { ctx, bbox, scales } = plot;
  const { min, max } = scales['x']!;
  if (min == null || max == null) return;
  ctx.save();
  ctx.fillStyle = colourOf('--fault');
  for (const [begin, end] of bands) {
    const [from, to] = [Math.max(begin, min), Math.min(end ?? max, max)];
    if (from >= to) continue;
    const left = plot.valToPos(from, 'x', true);
    ctx.fillRect(left, bbox.top, Math.max(1, plot.valToPos(to, 'x', true) - left), bbox.height);
  }
  ctx.restore();
}
