import type { NicResult } from '../mechanisms/nic-context.js';
import type { NicSlice } from '../mechanisms/nic-slice.js';
import { CARD_FORMAT, cardText, withContent } from './cards.js';
import { PLAIN } from './style.js';

/** The tables of a NIC, as `selvage inspect` prints them. */
export function nicText(slice: NicSlice, nic: NicResult): string {
  const cards = withContent(slice.tables(nic, CARD_FORMAT));
  const texts = cards.map((card) => cardText({ ...card, most: Infinity }, PLAIN));
  return [slice.title(nic, CARD_FORMAT), ...texts].join('\n\n');
}
