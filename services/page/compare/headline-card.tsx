import type { JSX } from 'preact';
import type { Comparison, Standing } from '../../report/comparison/comparison-data.js';
import { Card, Table } from '../panels.js';
import { capital } from '../sweep/sweep-runs.js';

const CLASSES: Readonly<Record<Standing, string>> = { best: 'good', behind: 'bad', unclear: '' };

/** Which run comes first and what that costs, in a sentence, and the table behind it. */
export function HeadlineCard({ comparison }: { readonly comparison: Comparison }): JSX.Element {
  const { sentence, names, statuses, rows, notes } = comparison;
  return (
    <Card title={sentence} wide>
      <Table
        head={['', ...names]}
        rows={[
          ['status', ...statuses.map((status) => <span class={`pill ${status}`}>{status}</span>)],
          ...rows.map(({ label, cells }) => [
            label,
            ...cells.map(({ text, standing }) => (
              <span class={standing === null ? '' : CLASSES[standing]}>
                {text}
                {standing === 'unclear' && ' ~'}
              </span>
            )),
          ]),
        ]}
      />
      {notes
        .filter((note) => !note.startsWith('*'))
        .map((note) => (
          <p class="facts" key={note}>
            {capital(note)}.
          </p>
        ))}
    </Card>
  );
}
