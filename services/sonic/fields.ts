/** Fields of entries as they are meant; what is none of its kind is an error where it stands. */

import type { FileErrors } from './file-errors.js';
import type { Entry, Tables } from './tables.js';

export class FieldReader {
  constructor(
    private readonly tables: Tables,
    private readonly errors: FileErrors,
  ) {}

  entries(table: string): readonly Entry[] {
    return this.tables.get(table) ?? [];
  }

  /** A whole number that is not negative. */
  number<Fallback>(entry: Entry, field: string, fallback: Fallback): number | Fallback {
    const value = this.signed(entry, field, fallback);
    if (typeof value !== 'number' || value >= 0) return value;
    const { place } = entry.fields.get(field)!;
    this.errors.add(place, `${value} is below 0`);
    return fallback;
  }

  signed<Fallback>(entry: Entry, field: string, fallback: Fallback): number | Fallback {
    const found = entry.fields.get(field);
    if (found === undefined) return fallback;
    const value = /^-?\d+$/.test(found.text) ? Number(found.text) : NaN;
    if (Number.isSafeInteger(value)) return value;
    const what = Number.isNaN(value) ? 'is not a whole number' : 'is too large a number';
    this.errors.add(found.place, `${JSON.stringify(found.text)} ${what}`);
    return fallback;
  }
}

/** The ports of a key, which may be a list; in front of it may be a line card and its chip. */
export function portsIn(key: string): string[] {
  const parts = key.split('|');
  return (parts.length === 1 ? parts[0]! : parts.at(-2)!).split(',');
}

export function textOf(entry: Entry | undefined, field: string): string | undefined {
  return entry?.fields.get(field)?.text;
}
