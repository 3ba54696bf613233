/** An axis of a sweep: its path in the scenario, and its values. */
export interface Axis {
  readonly path: string;
  readonly values: readonly string[];
  /** By value, where they are names: `path=value` settings that belong together. */
  readonly settings?: Readonly<Record<string, readonly string[]>>;
}

/** What a value of an axis sets. */
export function settingsAt({ path, settings }: Axis, value: string): readonly string[] {
  return settings?.[value] ?? [`${path}=${value}`];
}

/** An axis of names: each stands for settings that belong together. */
export function namedAxis(
  path: string,
  settings: Readonly<Record<string, readonly string[]>>,
): Axis {
  return { path, values: Object.keys(settings), settings };
}

/** Short name of an axis: its last two keys, and the number of an item between them. */
export function nameOfAxis({ path }: Axis): string {
  const parts = path.split('.');
  const isItem = /^\d+$/.test(parts.at(-2) ?? '');
  return parts.slice(isItem ? -3 : -2).join('.');
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
