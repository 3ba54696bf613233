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

/** Cards stand in two columns: more rows at once would leave one of them empty for screens. */
const ROWS_SHOWN = 12;

/** Of a mechanism that did nothing, the table is folded: there is nothing to read in it. */
function MechanismCard({ card }: { readonly card: CardView }): JSX.Element {
  const { title, head, rows, more, lines } = card;
  const isIdle =
    rows.length > 0 && rows.every(([, ...cells]) => cells.every((cell) => NOTHING.test(cell)));
  const shown = rows.slice(0, ROWS_SHOWN);
  const rest = rows.slice(ROWS_SHOWN);
  return (
    <Card title={title}>
      {isIdle ? (
        <details>
          <summary>all 0, {counted(rows.length + more, 'row')}</summary>
          <Table head={head} rows={rows} />
        </details>
      ) : (
        rows.length > 0 && <Table head={head} rows={shown} />
      )}
      {rest.length > 0 && !isIdle && (
        <details>
          <summary>{counted(rest.length, 'further row')}</summary>
          <Table head={head} rows={rest} />
        </details>
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
