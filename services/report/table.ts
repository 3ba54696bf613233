/** Columns of text: the first `texts` are aligned left, the others right, as numbers are. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  texts = 1,
): string {
  const widths = head.map((title, i) =>
    Math.max(title.length, ...rows.map((row) => row[i]!.length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (i < texts ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
      .join('  ')
      .trimEnd();
  return [line(head), ...rows.map(line)].map((text) => `  ${text}`).join('\n');
}
