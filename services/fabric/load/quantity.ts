/** Quantities in the cells of CSV files: `12.5us`, `64 KiB`, or a plain number. */

const PS_PER_UNIT: Readonly<Record<string, number>> = {
  '': 1e12,
  s: 1e12,
  ms: 1e9,
  us: 1e6,
  µs: 1e6,
  ns: 1e3,
  ps: 1,
};

const BYTES_PER_UNIT: Readonly<Record<string, number>> = {
  '': 1,
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
};

/** Picoseconds; a number without unit is in seconds. Null for any other text. */
export function parseTimePs(text: string): number | null {
  return parse(text, PS_PER_UNIT);
}

/** A whole number of octets; null for any other text. */
export function parseBytes(text: string): number | null {
  return parse(text, BYTES_PER_UNIT);
}

function parse(text: string, units: Readonly<Record<string, number>>): number | null {
  const match = /^(\d+(?:\.\d*)?(?:e[+-]?\d+)?)\s*([a-zµ]*)$/i.exec(text);
  if (match === null) return null;
  const [, number, unit] = match as unknown as [string, string, string];
  const factor = Object.hasOwn(units, unit) ? units[unit] : undefined;
  if (factor === undefined) return null;
  const value = Math.round(Number(number) * factor);
  return Number.isSafeInteger(value) ? value : null;
}
