import type { JSX } from 'preact';
import type { SweepPage } from '../../report/page/page-data.js';
import { goTo, useAddress } from '../address.js';
import { Card, Table } from '../panels.js';
import { capital, nameOfRun, ranked, rankText, runCount } from './sweep-runs.js';

/** The chosen run of a sweep: what it came to, beside the best and the worst, and its command. */
export function SweepRunCard({ sweep }: { readonly sweep: SweepPage }): JSX.Element | null {
  const { run } = useAddress();
  if (run === null || run < 0 || run >= runCount(sweep)) return null;
  return (
    <Card title={`Run: ${nameOfRun(sweep, run)}`} id="sweep-run" wide>
      <button
        type="button"
        class="close"
        aria-label="close the run"
        onClick={() => {
          goTo({ run: null });
        }}
      >
        ×
      </button>
      <Table
        head={['', 'this run', 'rank', 'best', 'worst']}
        rows={sweep.measures.map((measure) => {
          const order = ranked(measure);
          return [
            capital(measure.label),
            <b>{measure.texts[run]}</b>,
            rankText(measure, run),
            measure.texts[order[0]!],
            measure.texts[order.at(-1)!],
          ];
        })}
      />
      <pre class="command">{sweep.runCommands[run]}</pre>
    </Card>
  );
}
