import { combinations, nameOfAxis } from '../../sweep/grid.js';
import type { SweepVerdict } from '../sweep-verdict.js';
import type { SweepPage, SweepValue } from './page-data.js';

/** What a sweep measured, one heat map for each measure in which points differ. */
export function pageOfSweep(
  about: Pick<SweepPage, 'title' | 'description' | 'command' | 'runCommands'>,
  { axes, points, measures, comparison, verdict, notes }: SweepVerdict,
): SweepPage {
  const rowOf = new Map(comparison.rows.map((row) => [row.label, row]));
  const shown = measures.flatMap((measure) => {
    const row = rowOf.get(measure.label);
    if (row === undefined) return [];
    // A point that failed has an empty cell.
    const values = combinations(axes).map((): SweepValue => null);
    const texts = values.map(() => '–');
    row.cells.forEach(({ value, text }, point) => {
      const { at, costs } = points[point]!;
      const isNever = costs.some((cost) => measure.of(cost) === 'never');
      texts[at] = text;
      values[at] = value === null && text !== '–' && isNever ? 'never' : value;
    });
    return [{ label: measure.label, moreIsBetter: measure.moreIsBetter, values, texts }];
  });
  return {
    ...about,
    axes: axes.map((axis) => ({ name: nameOfAxis(axis), values: axis.values })),
    verdict,
    notes: [...comparison.notes.filter((note) => !/^[*~]/.test(note)), ...notes],
    measures: shown.filter(
      ({ values, texts }) =>
        new Set(texts).size > 1 && values.some((value) => typeof value === 'number'),
    ),
  };
}
