import type { Card, CardFormat } from '../mechanisms/mechanism-slice.js';
import { MECHANISMS, NIC } from '../mechanisms/registry.js';
import type { RunResults } from '../runtime/results/results.js';
import { formatCount, formatOctets, formatRate, formatTime } from './format.js';
import type { Style } from './style.js';
import { table } from './table.js';

export const CARD_FORMAT: CardFormat = {
  count: formatCount,
  time: formatTime,
  octets: formatOctets,
  rate: formatRate,
};
const ROWS_SHOWN = 8;

/** What mechanisms show of a run, problems last; those without rows and lines show nothing. */
export function cardsOf(results: RunResults): Card[] {
  const cards = MECHANISMS.flatMap((slice) => {
    // A summary that was kept has only keys of mechanisms that ran.
    const none = Object.fromEntries(Object.keys(slice.results.published).map((key) => [key, []]));
    return slice.cards?.({ ...none, ...results }, CARD_FORMAT) ?? [];
  });
  const shown = withContent([...cards, ...(NIC?.cards(results, CARD_FORMAT) ?? [])]);
  const isProblem = (card: Card): boolean => card.isProblem === true;
  return [...shown.filter((card) => !isProblem(card)), ...shown.filter(isProblem)];
}

export function withContent(cards: readonly Card[]): Card[] {
  return cards.filter(({ rows = [], lines = [] }) => rows.length + lines.length > 0);
}

/** A card as a paragraph of the summary. */
export function cardText(card: Card, style: Style): string {
  const { title, isProblem, head = [], rows = [], most = ROWS_SHOWN, lines = [] } = card;
  const more = rows.length - most;
  return [
    isProblem === true ? style.bad(title) : style.strong(title),
    ...(rows.length > 0 ? [table(head, rows.slice(0, most))] : []),
    ...(more > 0 ? [`  and ${formatCount(more)} more`] : []),
    ...lines.map((line) => `  ${line}`),
  ].join('\n');
}
