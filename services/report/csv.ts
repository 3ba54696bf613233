/** Comma-separated values by RFC 4180: a field that needs quotes gets them, lines end in LF. */
export type CsvValue = string | number | null;

export function csv(columns: readonly string[], rows: Iterable<readonly CsvValue[]>): string {
  const lines = [columns.join(',')];
  for (const row of rows) lines.push(row.map(field).join(','));
  return `${lines.join('\n')}\n`;
}

function field(value: CsvValue): string {
  if (value === null) return '';
  const text = String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
