/** A line of a bench: a value, and the most that it should be. */
export interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly target: number | null;
}

export function row(what: string, value: number, unit: string, target: number | null = null): Row {
  return { what, value, unit, target };
}
