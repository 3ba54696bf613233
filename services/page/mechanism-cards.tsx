import type { JSX } from 'preact';
import type { CardView, RunPage } from '../report/page/page-data.js';
import { formatCount } from '../report/format.js';
import { Card, counted, Table } from './panels.js';

/** What mechanisms did: each declares its cards with its results. */
export function MechanismCards({ run }: { readonly run: RunPage }): JSX.Element {
  return (
    <>
      {run.cards.map((card) => (
        <MechanismCard key={card.title} card={card} />
      ))}
    </>
  );
}

/** Zero, in any unit, or nothing of the kind. */
const NOTHING = /^(0( .*)?|–|)$/;

/** Of a mechanism that did nothing, the table is folded: there is nothing to read in it. */
function MechanismCard({ card }: { readonly card: CardView }): JSX.Element {
  const { title, head, rows, more, lines } = card;
  const isIdle =
    rows.length > 0 && rows.every(([, ...cells]) => cells.every((cell) => NOTHING.test(cell)));
  const table = <Table head={head} rows={rows} />;
  return (
    <Card title={title}>
      {isIdle ? (
        <details>
          <summary>all 0, {counted(rows.length + more, 'row')}</summary>
          {table}
        </details>
      ) : (
        rows.length > 0 && table
      )}
      {more > 0 && !isIdle && <p class="facts">and {formatCount(more)} more</p>}
      {lines.map((line) => (
        <p class="facts" key={line}>
          {line}
        </p>
      ))}
    </Card>
  );
}
