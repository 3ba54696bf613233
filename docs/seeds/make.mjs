// Writes the tables of claims from the READMEs of their mechanisms: node docs/seeds/make.mjs.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A document: what its page says above the table, and the README that has the table. */
const DOCUMENTS = [
  {
    page: '82599.md',
    readme: 'services/engine/nic-82599/README.md',
    title: 'The 82599, claim by claim',
    about:
      'Intel 82599 data sheet, 7.4.5 to 7.7. ' +
      '[Each field of each register](82599-registers.md) has a row and a test of its own.',
  },
  {
    page: 'credit-exchange.md',
    readme: 'services/mechanisms/credit/README.md',
    title: 'Credit exchange, claim by claim',
    about: 'The proposal of January 2014 to IEEE 802.1 for credit-based flow control.',
  },
  {
    page: 'mvtx2802.md',
    readme: 'services/engine/mvtx2802/README.md',
    title: 'MVTX2802, claim by claim',
    about: 'Zarlink MVTX2802 data sheet, 7.9, with what it refers to in chapter 7.',
  },
  {
    page: 'source-flow-control.md',
    readme: 'services/mechanisms/sfc/README.md',
    title: 'Source flow control, claim by claim',
    about: 'P802.1Qdw, proposal of January 2025.',
  },
];

const HEADINGS = ['## Claims', '## Not there'];

/** By name: the text of each page. */
export function pages() {
  return new Map(
    DOCUMENTS.map(({ page, readme, title, about }) => {
      const text = readFileSync(join(root, readme), 'utf8');
      const [claims, absent] = HEADINGS.map((heading) => sectionOf(text, heading));
      const link = `[${dirname(readme).split('/').at(-1)}](${relative('docs/seeds', readme)})`;
      const parts = [
        `# ${title}`,
        `${about}\n` +
          'A row names what the document says, a source that does it, and a test that fails ' +
          'without it.\n' +
          `Written by \`node docs/seeds/make.mjs\` from ${link}, which has the choices.`,
        claims,
        ...(absent === null ? [] : [`${HEADINGS[1]}\n\n${absent}`]),
      ];
      return [page, `${parts.join('\n\n')}\n`];
    }),
  );
}

/** Text below a heading of the second level, up to the next one; null: there is none. */
function sectionOf(text, heading) {
  const from = text.indexOf(`${heading}\n`);
  if (from < 0) return null;
  const [section] = text.slice(from + heading.length).split(/^## /m);
  return section.trim();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [page, text] of pages()) writeFileSync(join(root, 'docs/seeds', page), text);
}
