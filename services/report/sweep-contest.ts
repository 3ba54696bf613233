/**
 * Mechanisms of a sweep, each against the others where all else is the same: a point of another
 * load or another fabric is no rival.
 */

import { type Axis, nameOfAxis } from '../sweep/grid.js';
import { VARIANTS } from '../sweep/settings.js';
import { compare, TIE } from './comparison/comparison.js';
import { contendersOfSweep, type Measure, type SweptPoint } from './sweep-measures.js';

interface Standing {
  readonly name: string;
  /** Contests in which it is first, or not behind by more than a tie. */
  readonly won: number;
  /** Where it is furthest behind the best; infinite: where it loses frames or does not complete. */
  readonly worst: { readonly behind: number; readonly where: string };
}

/** Null: no mechanisms are varied, or nothing beside them. */
export function contestLines(
  axes: readonly Axis[],
  points: readonly SweptPoint[],
  measures: readonly Measure[],
): string[] | null {
  const at = axes.findIndex(({ path }) => path === VARIANTS);
  if (at < 0 || axes.length < 2) return null;
  const contests = new Map<string, SweptPoint[]>();
  for (const point of points) {
    const others = point.values.flatMap((value, i) =>
      i === at
        ? []
        : [axes[i]!.settings === undefined ? `${nameOfAxis(axes[i]!)}=${value}` : value],
    );
    const key = others.join(', ');
    contests.set(key, [...(contests.get(key) ?? []), point]);
  }
  const results = [...contests].flatMap(([where, own]) => {
    const sound = own.filter(isSound);
    const behind = sound.length === 0 ? [] : compare(contendersOfSweep(sound, measures)).behind;
    return own.map((point) => {
      const place = sound.indexOf(point);
      return { name: point.values[at]!, where, behind: behind[place] ?? Infinity };
    });
  });
  const records = axes[at]!.values.map((name): Standing => {
    const own = results.filter((result) => result.name === name);
    const won = own.filter(({ behind }) => behind <= TIE).length;
    return { name, won, worst: own.reduce((a, b) => (b.behind > a.behind ? b : a), NOWHERE) };
  });
  return records.toSorted((a, b) => b.won - a.won).map((record) => lineOf(record, contests.size));
}

/** Others are no measure for those that lose nothing. */
function isSound({ costs }: SweptPoint): boolean {
  return costs.every(({ outcome }) => outcome.status === 'complete' && outcome.lostFrames === 0);
}

const NOWHERE = { behind: 1, where: '' };

function lineOf({ name, won, worst: { behind, where } }: Standing, of: number): string {
  const most =
    behind === Infinity
      ? `it loses frames or does not complete with ${where}`
      : behind <= TIE
        ? ''
        : `at worst ${behind.toFixed(2)} times the best, with ${where}`;
  return [`of ${of} contests ${name} is first, or within 2 %, in ${won}`, most]
    .filter(Boolean)
    .join('; ');
}
