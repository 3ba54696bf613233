import { type Axis, combinations, nameOfAxis } from '../sweep/grid.js';
import type { FaultCost } from '../sweep/measure.js';
import { compare } from './comparison/comparison.js';
import type { Comparison } from './comparison/comparison-data.js';
import { alikeLines } from './sweep-alike.js';
import { contendersOfSweep, type Measure, sweepMeasures } from './sweep-measures.js';
import { table } from './table.js';

/** The runs of a sweep: where several have the values of a point, they differ in their seeds. */
interface SweptRuns {
  /** The last one has the seeds, if `isSeeded`. */
  readonly axes: readonly Axis[];
  readonly isSeeded: boolean;
  readonly costs: readonly FaultCost[];
}

export interface SweepVerdict {
  readonly axes: readonly Axis[];
  /** By point, in the order of `combinations`. */
  readonly points: readonly { readonly name: string; readonly costs: readonly FaultCost[] }[];
  /** Those that any run has. */
  readonly measures: readonly Measure[];
  readonly comparison: Comparison;
  readonly notes: readonly string[];
}

export function sweepVerdict({ axes: all, isSeeded, costs }: SweptRuns): SweepVerdict {
  const axes = isSeeded ? all.slice(0, -1) : all;
  const seeds = isSeeded ? all.at(-1)!.values.length : 1;
  // A part of the runs, as one pod has it, may end within a point.
  const points = combinations(axes)
    .map((values, i) => ({
      name: values.map((value, axis) => `${nameOfAxis(axes[axis]!)}=${value}`).join(', '),
      costs: costs.slice(i * seeds, (i + 1) * seeds),
    }))
    .filter((point) => point.costs.length === seeds);
  const measures = sweepMeasures(costs);
  const comparison = compare(contendersOfSweep(points, measures));
  return { axes, points, measures, comparison, notes: alikeLines(all, costs) };
}

/** A sentence, and a line per point with a column per measure. */
export function sweepText({ axes, comparison, notes }: SweepVerdict): string {
  const { rows, sentence } = comparison;
  const head = [...axes.map(nameOfAxis), ...rows.map(({ label }) => label)];
  const body = combinations(axes)
    .slice(0, comparison.names.length)
    .map((values, point) => [...values, ...rows.map(({ cells }) => cells[point]!.text)]);
  const below = [...comparison.notes.filter((note) => !/^[*~]/.test(note)), ...notes];
  return [sentence, table(head, body), ...below.map((line) => `  ${line}`)].join('\n');
}
