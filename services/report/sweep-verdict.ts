import { type Axis, combinations, nameOfAxis } from '../sweep/grid.js';
import type { FaultCost } from '../sweep/measure.js';
import { compare } from './comparison/comparison.js';
import type { Comparison } from './comparison/comparison-data.js';
import { alikeLines } from './sweep-alike.js';
import { contestLines } from './sweep-contest.js';
import {
  contendersOfSweep,
  type Measure,
  sweepMeasures,
  type SweptPoint,
} from './sweep-measures.js';
import { table } from './table.js';

/** The runs of a sweep: where several have the values of a point, they differ in their seeds. */
interface SweptRuns {
  /** The last one has the seeds, if `isSeeded`. */
  readonly axes: readonly Axis[];
  readonly isSeeded: boolean;
  /** By run, in the order of `combinations`; null: it failed, or another process has it. */
  readonly costs: readonly (FaultCost | null)[];
}

export interface SweepVerdict {
  readonly axes: readonly Axis[];
  /** Those that have their runs, in the order of `combinations`. */
  readonly points: readonly SweptPoint[];
  /** Those that any run has. */
  readonly measures: readonly Measure[];
  readonly comparison: Comparison;
  /** Which point comes first; of mechanisms, which one does so most often. */
  readonly verdict: string;
  readonly notes: readonly string[];
}

export function sweepVerdict({ axes: all, isSeeded, costs }: SweptRuns): SweepVerdict {
  const axes = isSeeded ? all.slice(0, -1) : all;
  const seeds = isSeeded ? all.at(-1)!.values.length : 1;
  const some = combinations(axes)
    .map((values, at): SweptPoint => ({
      ...{ at, values },
      name: values.map((value, axis) => `${nameOfAxis(axes[axis]!)}=${value}`).join(', '),
      costs: present(costs.slice(at * seeds, (at + 1) * seeds)),
    }))
    .filter((point) => point.costs.length > 0);
  // Medians of as many runs are compared, where any point has all of its own.
  const whole = some.filter((point) => point.costs.length === seeds);
  const points = whole.length > 0 ? whole : some;
  const known = present(costs);
  const measures = sweepMeasures(known);
  const comparison = compare(contendersOfSweep(points, measures));
  const [verdict, ...contest] = contestLines(axes, points, measures) ?? [comparison.sentence];
  const notes = [...contest, ...alikeLines(all, known)];
  return { axes, points, measures, comparison, verdict: verdict!, notes };
}

function present(costs: readonly (FaultCost | null)[]): FaultCost[] {
  return costs.filter((cost) => cost !== null);
}

/** A sentence, and a line per point with a column per measure. */
export function sweepText({ axes, points, comparison, verdict, notes }: SweepVerdict): string {
  const { rows } = comparison;
  const head = [...axes.map(nameOfAxis), ...rows.map(({ label }) => label)];
  const body = points.map(({ values }, point) => [
    ...values,
    ...rows.map(({ cells }) => cells[point]!.text),
  ]);
  const below = [...comparison.notes.filter((note) => !/^[*~]/.test(note)), ...notes];
  return [verdict, table(head, body), ...below.map((line) => `  ${line}`)].join('\n');
}
