import type { SweepMeasure, SweepPage } from '../../report/page/page-data.js';
import { goToMeasure, goToSweepRun } from '../address.js';
import type { Find } from '../search/find.js';

export function runCount({ axes }: Pick<SweepPage, 'axes'>): number {
  return axes.reduce((product, { values }) => product * values.length, 1);
}

/** The values of a run, one of each axis; the last axis changes fastest. */
export function nameOfRun({ axes }: Pick<SweepPage, 'axes'>, run: number): string {
  let rest = run;
  const parts = [...axes].reverse().map(({ name, values }) => {
    const value = values[rest % values.length]!;
    rest = Math.floor(rest / values.length);
    return `${name} ${value}`;
  });
  return parts.reverse().join(', ');
}

/** 0 for the best of all runs, 1 for the worst; what never came is as bad as can be. */
export function badness({ values, moreIsBetter }: SweepMeasure, run: number): number {
  const known = values.flatMap((value) => value ?? []);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const value = values[run] ?? null;
  if (value === null) return 1;
  const share = most === least ? 0 : (value - least) / (most - least);
  return moreIsBetter ? 1 - share : share;
}

/** Runs that are better, and one more. */
export function rankOf(measure: SweepMeasure, run: number): number {
  const own = badness(measure, run);
  return 1 + measure.values.filter((_, other) => badness(measure, other) < own).length;
}

/** Everything that can be found on the page of a sweep. */
export function sweepFinds(sweep: SweepPage): Find[] {
  const runs = Array.from({ length: runCount(sweep) }, (_, run): Find => {
    const open = (): void => {
      goToSweepRun(run);
    };
    return { kind: 'run', name: nameOfRun(sweep, run), detail: '', open };
  });
  const measures = sweep.measures.map(({ label, moreIsBetter }, place): Find => {
    const open = (): void => {
      goToMeasure(place);
    };
    const detail = moreIsBetter ? 'more is better' : 'less is better';
    return { kind: 'measure', name: label, detail, open };
  });
  return [...runs, ...measures];
}
