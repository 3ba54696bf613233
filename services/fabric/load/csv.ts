/** A line of a CSV file that is not empty. */
export interface CsvRow {
  /** Counted from 1, as editors do. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Cells are trimmed; empty lines and those that start with # are left out. */
export function readCsv(text: string): CsvRow[] {
  return text
    .split(/\r?\n/)
    .map((content, index) => ({ line: index + 1, content: content.trim() }))
    .filter(({ content }) => content !== '' && !content.startsWith('#'))
    .map(({ line, content }) => ({ line, cells: content.split(',').map((cell) => cell.trim()) }));
}
