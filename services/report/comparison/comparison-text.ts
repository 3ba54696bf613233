import type { Style } from '../style.js';
import { table } from '../table.js';
import type { Comparison, Standing } from './comparison-data.js';

const MARKS: Readonly<Record<Standing, string>> = {
  best: ' *',
  behind: '  ',
  unclear: ' ~',
};

/** A sentence, and a line per measure with a column per contender. */
export function comparisonText(comparison: Comparison, style: Style): string {
  const { sentence, names, statuses, rows, notes } = comparison;
  const hasMarks = rows.some(({ cells }) => cells.some(({ standing }) => standing !== null));
  const blank = hasMarks ? '  ' : '';
  const isAllComplete = statuses.every((status) => status === 'complete');
  const body = [
    ...(isAllComplete ? [] : [['status', ...statuses.map((status) => status + blank)]]),
    ...rows.map(({ label, cells }) => [
      label,
      ...cells.map(({ text, standing }) => text + (standing === null ? blank : MARKS[standing])),
    ]),
  ];
  const head = ['', ...names.map((name) => name + blank)];
  return [style.strong(sentence), table(head, body), ...notes.map((note) => `  ${note}`)].join(
    '\n',
  );
}
