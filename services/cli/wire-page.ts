/** The reference page of wire formats. */

import type { WireFormat } from '../engine/wire/wire-format.js';
import { WIRE_FORMATS } from '../engine/wire/formats.js';
import { markdownTable } from './markdown-table.js';

const HEAD = `# Wire formats

What the emulated ports put on the wire, octet by octet. Senders encode these octets and receivers
parse them; a capture (\`selvage run SCENARIO --capture PORT\`) has them as they are. Octets count
from 0, numbers are big-endian, and bit 7 is the most significant of its octet. A mask says which
bits of the octets belong to a field that shares them with others. Frames are without FCS. This page
is written from the codecs by \`selvage explain wire-formats --markdown\`.

TLVs of LLDP are whole, with their header. What Wireshark does not know has dissectors
([how](observability.md#captures-for-wireshark)); field by field, and with the clauses that say so,
octets are in [the book of conformance](conformance/README.md).
`;

/** `docs/wire-formats.md`. */
export function wirePage(): string {
  return [HEAD, ...WIRE_FORMATS.map(section)].join('\n');
}

function section({ title, about, fields, example }: WireFormat): string {
  const rows = fields.map(({ name, meaning, mask }) => [name, ...placeOf(mask), meaning]);
  const table = markdownTable(['field', 'octets', 'mask', 'meaning'], rows);
  const octets = `\`\`\`\n${hexOf(example)}\`\`\`\n`;
  return `## ${title}\n\n${about}\n\n${table}\nFor example:\n\n${octets}`;
}

/** First and last octet, and which of their bits it is if not all are. */
function placeOf(mask: Uint8Array): [string, string] {
  const from = mask.findIndex((octet) => octet !== 0);
  const to =
    mask.length -
    1 -
    mask
      .slice()
      .reverse()
      .findIndex((octet) => octet !== 0);
  const octets = mask.subarray(from, to + 1);
  const bits = octets.every((octet) => octet === 0xff) ? '' : Array.from(octets, hex).join(' ');
  return [from === to ? `${from}` : `${from} to ${to}`, bits];
}

function hex(octet: number): string {
  return octet.toString(16).padStart(2, '0');
}

const LINE = 16;

function hexOf(octets: Uint8Array): string {
  const lines = Array.from({ length: Math.ceil(octets.length / LINE) }, (_, i) =>
    Array.from(octets.subarray(i * LINE, (i + 1) * LINE), hex).join(' '),
  );
  return lines.map((line) => `${line}\n`).join('');
}
