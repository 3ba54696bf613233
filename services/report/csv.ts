import type { Cell } from '../mechanisms/result-table.js';

/** Comma-separated values by RFC 4180: a field that needs quotes gets them, lines end in LF. */
export function csv(columns: readonly string[], rows: Iterable<readonly Cell[]>): string {
  const lines = [columns.join(',')];
  for (const row of rows) lines.push(row.map(field).join(','));
  return `${lines.join('\n')}\n`;
}

function field(value: Cell): string {
  if (value === null) return '';
  const text = String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Parses the output of `csv`: the fields of each line, the first line being the columns. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  // A field with quotes, or one without, and its delimiter.
  const fields = /"((?:[^"]|"")*)"(,|\n|$)|([^,\n]*)(,|\n|$)/gy;
  while (fields.lastIndex < text.length) {
    const [, quoted, quotedEnd, plain = '', plainEnd] = fields.exec(text)!;
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if ((quotedEnd ?? plainEnd) === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
