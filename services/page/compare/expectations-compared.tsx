import type { JSX } from 'preact';
import type { RunPage } from '../../report/page/page-data.js';
import { Card, Table } from '../panels.js';

/** What each run was expected to come to, line by line. */
export function ExpectationsCompared(props: {
  readonly runs: readonly RunPage[];
}): JSX.Element | null {
  const { runs } = props;
  const texts = [...new Set(runs.flatMap((run) => run.expectations.map(({ text }) => text)))];
  if (texts.length === 0) return null;
  return (
    <Card title="Expectations" wide>
      <Table
        head={['', ...runs.map(({ title }) => title)]}
        rows={texts.map((text) => [
          text,
          ...runs.map(({ expectations }) => {
            const found = expectations.find((one) => one.text === text);
            if (found === undefined) return '–';
            const { ok, actual } = found;
            return (
              <>
                <span class={ok ? 'good' : 'bad'}>{ok ? 'pass' : 'FAIL'}</span> {actual}
              </>
            );
          }),
        ])}
      />
    </Card>
  );
}
