/** The book of conformance: what is claimed of standards, clause by clause, and what shows it. */

import { selectionConformance } from '../engine/arbiter/conformance.js';
import type { Claim, Conformance } from '../engine/contract/conformance.js';
import { priorityConformance } from '../engine/port/conformance.js';
import { discoveryConformance } from '../engine/discovery/conformance.js';
import { WIRE_FORMATS } from '../engine/wire/formats.js';
import { MECHANISMS, NIC, SLOTTED } from '../mechanisms/registry.js';
import { markdownTable } from './markdown-table.js';

/** One page for each part that claims something. */
export const CONFORMANCE: readonly Conformance[] = [
  discoveryConformance,
  priorityConformance,
  selectionConformance,
  ...[...MECHANISMS, NIC, SLOTTED].flatMap((part) => part?.conformance ?? []),
];

const FOLDER = 'conformance';

/** What the index calls standards, which are its first sections. */
const STANDARDS: Readonly<Record<string, string>> = {
  '802.1AB': 'IEEE 802.1AB: LLDP',
  '802.1Q': 'IEEE 802.1Q: bridges, with 802.1Qcz and P802.1Qdw',
  '802.3': 'IEEE 802.3: MAC control',
};

const HEAD = `# Conformance

What Selvage claims of standards and of the documents that it is made of, clause by clause: the
sentence in short, the key of the scenario, an example, the octets, and a test that fails without
it. Octets are encoded when these pages are written, by \`npm run generate\`; \`selvage explain
conformance --markdown\` prints this one, and \`selvage explain conformance/NAME --markdown\`
another. Commands below octets capture them for Wireshark, with its dissectors
([how](../observability.md#captures-for-wireshark)). Sentences are ours: read the standards for
theirs.
`;

/** 9 before 10, and Annex D behind both. */
const ORDER = new Intl.Collator('en', { numeric: true });

/** By name of the topic: the index, and a page for each part. */
export const CONFORMANCE_PAGES: Readonly<Record<string, () => string>> = {
  [FOLDER]: indexPage,
  ...Object.fromEntries(
    CONFORMANCE.map((part) => [`${FOLDER}/${part.name}`, (): string => partPage(part)]),
  ),
};

function indexPage(): string {
  const all = CONFORMANCE.flatMap((part) => part.claims.map((claim) => ({ part, claim })));
  const documents = new Set([...Object.keys(STANDARDS), ...all.map(({ claim }) => claim.of)]);
  const sections = [...documents].flatMap((document) => {
    const rows = all
      .filter(({ claim }) => claim.of === document)
      .sort((a, b) => ORDER.compare(a.claim.clause, b.claim.clause))
      .map(({ part, claim }) => [claim.clause, claim.says, `[${part.title}](${part.name}.md)`]);
    if (rows.length === 0) return [];
    const title = STANDARDS[document] ?? document;
    return `## ${title}\n\n${markdownTable(['clause', 'in short', 'page'], rows)}`;
  });
  return [HEAD, ...sections].join('\n');
}

function partPage({ title, about, claims }: Conformance): string {
  const rows = claims.map((claim) => [
    STANDARDS[claim.of] !== undefined ? `${claim.of} ${claim.clause}` : claim.clause,
    claim.says,
    `[\`${claim.key}\`](../keys.md#${claim.key.split(/[.[]/)[0]!})`,
    `[${claim.example}](../../examples/${claim.example}.yaml)`,
    octetsLink(claim),
    `[${claim.test[1]}](../../${claim.test[0]})`,
  ]);
  const head = ['clause', 'in short', 'key', 'example', 'octets', 'test'];
  const formats = claims.filter(({ octets }) => octets !== undefined);
  const page = [`# ${title}\n\n${about}\n`, markdownTable(head, rows), ...formats.map(annotated)];
  return page.join('\n');
}

function octetsLink({ octets }: Claim): string {
  if (octets === undefined) return '';
  const anchor = octets
    .toLowerCase()
    .replace(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-');
  return `[${octets}](#${anchor})`;
}

/** A command by which an example shows them; Wireshark reads its capture. */
function commandOf({ example, capture }: Claim): string {
  if (capture === undefined) return '';
  const [ports, set] = capture;
  const setting = set === undefined ? '' : ` --set ${set}`;
  return `\n    selvage run examples/${example}.yaml${setting} --capture '${ports}'\n`;
}

/** A run of octets: which bits of them, and what they are. */
interface Row {
  readonly from: number;
  readonly to: number;
  readonly mask: Uint8Array;
  readonly name: string;
  readonly meaning: string;
}

/** All octets of an example in their order: what each of them is, and says here. */
function annotated(claim: Claim): string {
  const format = WIRE_FORMATS.find((own) => own.title === claim.octets)!;
  const { title, about, fields, fixed, example } = format;
  const named: Row[] = fields.map(({ name, meaning, mask }) => {
    const from = mask.findIndex((octet) => octet !== 0);
    const to = mask.findLastIndex((octet) => octet !== 0);
    return { from, to, mask: mask.subarray(from, to + 1), name, meaning };
  });
  const constant = fixed.map(([name, from, count]): Row => {
    return { from, to: from + count - 1, mask: whole(count), name, meaning: '' };
  });
  const known = [...named, ...constant];
  const rows = [...known, ...rest(known, example.length)]
    .sort((a, b) => a.from - b.from || b.mask[0]! - a.mask[0]!)
    .map((row) => [place(row), hexOf(example, row), row.name, valueOf(example, row), row.meaning]);
  const head = ['octets', 'hex', 'field', 'value', 'meaning'];
  return `## ${title}\n\n${about}\n\n${markdownTable(head, rows)}${commandOf(claim)}`;
}

const whole = (count: number): Uint8Array => new Uint8Array(count).fill(0xff);

/** Octets that no field has: reserved, or padding. */
function rest(known: readonly Row[], length: number): Row[] {
  const rows: Row[] = [];
  const isKnown = (at: number): boolean => known.some(({ from, to }) => from <= at && at <= to);
  for (let from = 0; from < length; from++) {
    if (isKnown(from)) continue;
    let to = from;
    while (to + 1 < length && !isKnown(to + 1)) to++;
    rows.push({ from, to, mask: whole(to - from + 1), name: '–', meaning: 'reserved, or padding' });
    from = to;
  }
  return rows;
}

/** Bits of an octet that is of several fields are in parentheses. */
function place({ from, to, mask }: Row): string {
  if (from !== to) return `${from} to ${to}`;
  return mask[0] === 0xff ? `${from}` : `${from} (${hex(mask[0]!)})`;
}

const hex = (octet: number): string => octet.toString(16).padStart(2, '0');

const SHOWN_MOST = 8;

function hexOf(octets: Uint8Array, { from, to }: Row): string {
  const own = Array.from(octets.subarray(from, to + 1), hex);
  const shown = own.slice(0, SHOWN_MOST).join(' ');
  return own.length > SHOWN_MOST ? `${shown} …` : shown;
}

/** The bits of a field as a number; of more than one number there is none. */
function valueOf(octets: Uint8Array, { from, mask, meaning }: Row): string {
  if (meaning === '') return '';
  const bits = Array.from(mask, (own, i) => [...bitsOf(octets[from + i]! & own, own)]).flat();
  return bits.length > 0 && bits.length <= 32 ? String(parseInt(bits.join(''), 2)) : '';
}

/** Bits of an octet that a mask has, the most significant first. */
function* bitsOf(octet: number, mask: number): Generator<number> {
  for (let bit = 7; bit >= 0; bit--) if ((mask >> bit) & 1) yield (octet >> bit) & 1;
}
