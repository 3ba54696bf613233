import { NIC, type NicResult } from '../mechanisms/registry.js';
import { CARD_FORMAT, cardText, withContent } from './cards.js';
import { PLAIN } from './style.js';

/** The tables of a NIC, as `selvage inspect` prints them. */
export function nicText(nic: NicResult): string {
  const cards = withContent(NIC.tables(nic, CARD_FORMAT));
  const texts = cards.map((card) => cardText({ ...card, most: Infinity }, PLAIN));
  return [NIC.title(nic, CARD_FORMAT), ...texts].join('\n\n');
}
