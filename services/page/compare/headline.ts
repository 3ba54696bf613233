import type { ContestView, RunPage } from '../../report/page/page-data.js';

/** What runs are measured by in one line, and how a run's value is written. */
export interface Contest {
  readonly label: string;
  readonly value: (run: RunPage) => number | null;
  readonly format: (value: number) => string;
  readonly lessIsBetter: boolean;
}

/** Values this close are a tie. */
const TIE = 0.02;

/** Of a contest: which run wins it by how much, or null where none does. */
export interface Win {
  readonly label: string;
  /** Places of the runs that are best. */
  readonly best: readonly number[];
  readonly value: string;
  /** What the worst run came to. */
  readonly worst: string;
  readonly worstRun: number;
}

export function measured(contest: Contest, runs: readonly RunPage[]): ContestView {
  const { label, lessIsBetter, format } = contest;
  const values = runs.map(contest.value);
  const texts = values.map((value) => (value === null ? '–' : value === 0 ? '0' : format(value)));
  return { label, lessIsBetter, values, texts };
}

export function winOf({ label, lessIsBetter, values, texts }: ContestView): Win | null {
  const known = values.filter((value) => value !== null);
  if (known.length < values.length || known.length === 0) return null;
  const sorted = [...known].sort((a, b) => (lessIsBetter ? a - b : b - a));
  const [first, last] = [sorted[0]!, sorted.at(-1)!];
  if (isTie(first, last)) return null;
  const best = known.flatMap((value, run) => (isTie(value, first) ? [run] : []));
  const worstRun = known.indexOf(last);
  return { label, best, value: texts[best[0]!]!, worst: texts[worstRun]!, worstRun };
}

function isTie(a: number, b: number): boolean {
  return Math.abs(a - b) <= TIE * Math.max(Math.abs(a), Math.abs(b));
}
