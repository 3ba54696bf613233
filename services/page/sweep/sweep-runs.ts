import type { SweepMeasure, SweepPage } from '../../report/page/page-data.js';
import { goToMeasure, goToSweepRun } from '../address.js';
import type { Find } from '../search/find.js';

export function runCount({ axes }: Pick<SweepPage, 'axes'>): number {
  return axes.reduce((product, { values }) => product * values.length, 1);
}

/** At the beginning of a title. */
export function capital(label: string): string {
  return label.charAt(0).toUpperCase() + label.slice(1);
}

/** The values of a run, one of each axis; the last axis changes fastest. */
export function nameOfRun({ axes }: Pick<SweepPage, 'axes'>, run: number): string {
  let rest = run;
  const parts = [...axes].reverse().map(({ name, values }) => {
    const value = values[rest % values.length]!;
    rest = Math.floor(rest / values.length);
    return `${name}=${value}`;
  });
  return parts.reverse().join(', ');
}

/** 0 for the best of all runs, 1 for the worst, and for what never came; null: nothing of it. */
export function badness({ values, moreIsBetter }: SweepMeasure, run: number): number | null {
  const known = values.filter((value) => typeof value === 'number');
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const value = values[run] ?? null;
  if (value === null) return null;
  if (value === 'never') return 1;
  const share = most === least ? 0 : (value - least) / (most - least);
  return moreIsBetter ? 1 - share : share;
}

/** Runs that have a measure, the best first; what never came is last. */
export function ranked(measure: SweepMeasure): number[] {
  const badnessOf = (run: number): number =>
    measure.values[run] === 'never' ? Infinity : badness(measure, run)!;
  return [...measure.values.keys()]
    .filter((run) => measure.values[run] !== null)
    .sort((a, b) => {
      const [one, other] = [badnessOf(a), badnessOf(b)];
      return one === other ? 0 : one - other;
    });
}

/** Runs that are better, and one more, of those that have the measure. */
export function rankText(measure: SweepMeasure, run: number): string {
  const order = ranked(measure);
  const place = order.findIndex((other) => measure.values[other] === measure.values[run]);
  return place < 0 ? '–' : `${place + 1} of ${order.length}`;
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
    return { kind: 'measure', name: capital(label), detail, open };
  });
  return [...runs, ...measures];
}
