import type { JSX } from 'preact';
import type { CardView, RunPage } from '../report/page/page-data.js';
import { formatCount } from '../report/format.js';
import { Card, Table } from './panels.js';

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

function MechanismCard({ card }: { readonly card: CardView }): JSX.Element {
  const { title, head, rows, more, lines } = card;
  return (
    <Card title={title}>
      {rows.length > 0 && <Table head={head} rows={rows} />}
      {more > 0 && <p class="facts">and {formatCount(more)} more</p>}
      {lines.map((line) => (
        <p class="facts" key={line}>
          {line}
        </p>
      ))}
    </Card>
  );
}
