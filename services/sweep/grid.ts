/** An axis of a sweep: its path in the scenario, and its values. */
export interface Axis {
  readonly path: string;
  readonly values: readonly string[];
}

/** Short name of an axis: a number alone is not sufficient. */
export function nameOfAxis({ path }: Axis): string {
  const parts = path.split('.');
  const last = parts.pop()!;
  return /^\d+$/.test(last) ? [...parts.slice(-1), last].join(' ') : last;
}

/** `path=a,b,c`; null if it is not written like that. */
export function axisOf(text: string): Axis | null {
  const at = text.indexOf('=');
  if (at <= 0) return null;
  const values = text.slice(at + 1).split(',');
  if (values.some((value) => value.trim() === '')) return null;
  return { path: text.slice(0, at), values };
}

/** Every combination, one value of each axis; the last axis changes fastest. */
export function combinations(axes: readonly Axis[]): string[][] {
  return axes.reduce<string[][]>(
    (rows, { values }) => rows.flatMap((row) => values.map((value) => [...row, value])),
    [[]],
  );
}
