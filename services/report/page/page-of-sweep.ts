import type { Axis } from '../../sweep/grid.js';
import { nameOfAxis } from '../../sweep/grid.js';
import type { FaultCost } from '../../sweep/measure.js';
import { alikeLines } from '../sweep-alike.js';
import { MEASURES, measureText } from '../sweep-measures.js';
import type { SweepPage } from './page-data.js';

/** What a sweep measured, one heat map for each measure in which runs differ. */
export function pageOfSweep(
  about: Pick<SweepPage, 'title' | 'description' | 'command' | 'runCommands'>,
  axes: readonly Axis[],
  costs: readonly FaultCost[],
): SweepPage {
  const measures = MEASURES.map((measure) => ({
    ...{ label: measure.label, moreIsBetter: measure.moreIsBetter },
    values: costs.map(measure.of),
    texts: costs.map((cost) => measureText(measure, cost)),
  }));
  return {
    ...about,
    axes: axes.map((axis) => ({ name: nameOfAxis(axis), values: axis.values })),
    notes: alikeLines(axes, costs),
    measures: measures.filter(
      ({ values, texts }) =>
        new Set(texts).size > 1 && values.some((value) => typeof value === 'number'),
    ),
  };
}
