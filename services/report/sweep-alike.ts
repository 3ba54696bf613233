import type { Axis } from '../sweep/grid.js';
import { combinations, nameOfAxis } from '../sweep/grid.js';
import type { FaultCost } from '../sweep/measure.js';
import { VARIANTS } from '../sweep/settings.js';
import { measureText, sweepMeasures } from './sweep-measures.js';

/**
 * Values of an axis that make no difference: their runs are alike in every measure. Mechanisms are
 * so where none of them had to act, which the line says.
 */
export function alikeLines(axes: readonly Axis[], costs: readonly FaultCost[]): string[] {
  const all = combinations(axes);
  // A part of the runs, as one pod has it, compares nothing.
  if (costs.length !== all.length) return [];
  const measures = sweepMeasures(costs);
  const texts = costs.map((cost) => measures.map((measure) => measureText(measure, cost)).join());
  return axes.flatMap((axis, place) => {
    const runsOf = (value: string): number[] =>
      all.flatMap((values, run) => (values[place] === value ? [run] : []));
    const groups = new Map<string, string[]>();
    for (const value of axis.values) {
      const key = runsOf(value)
        .map((run) => texts[run]!)
        .join('\n');
      groups.set(key, [...(groups.get(key) ?? []), value]);
    }
    return [...groups.values()]
      .filter((values) => values.length > 1)
      .map((values) => {
        const runs = runsOf(values[0]!);
        const idle = axis.path === VARIANTS && runs.every((run) => costs[run]!.pauseTimePs === 0);
        return (
          `${nameOfAxis(axis)} ${values.join(', ')}: alike in all ${runs.length} runs` +
          (idle ? ', as no port was paused or waited for credit' : '')
        );
      });
  });
}
