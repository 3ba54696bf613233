/**
 * What a run measures, declared once where it is read: in the results of its mechanism, or in
 * `measures` for what every fabric has. Whatever shows figures iterates over declarations and names
 * none of them: tables, the summary and its schema, monitoring, `expect`, comparisons, sweeps and
 * the page. A measure that is added is in all of those that its declaration asks for.
 */

import { z } from 'zod';
import { PS_PER_S } from '../engine/units/time.js';
import { columnName, type ColumnOf, type ColumnType } from './result-table.js';

/** As tables name it; of what is counted, its name. */
export type Unit =
  | 'ps'
  | 'bytes'
  | 'bit/s'
  | 'ratio'
  | 'frames'
  | 'messages'
  | 'times'
  | 'slots'
  | 'units'
  | 'number';

/** What an entry of a results row is, and everywhere that it is shown. */
export interface Measure<From, Value extends number | null = number | null> {
  readonly unit: Unit;
  readonly meaning: string;
  read(from: From): Value;
  /** It has fractions. */
  readonly isReal?: true;
  /** It may be null: the row has nothing of the kind. */
  readonly mayLack?: true;
  /** Its column, where that is not called as its key is. */
  readonly column?: string;
  /** How the values of several rows become one; absent: they do not. */
  readonly total?: Total;
  /** What monitoring systems read. */
  readonly monitored?: Monitored;
  /** What `expect` demands of its total: name and meaning. */
  readonly expected?: readonly [metric: string, meaning: string];
  /** Runs are compared by its total: less is better, and `at` is its turn among equals. */
  readonly compared?: Placed;
  /** The table of a sweep has its total, in the column `at` of its own. */
  readonly swept?: Placed;
  /** `duel.json` has its total, of the run or by tier of the device. */
  readonly duelled?: 'run' | 'tier';
  /** The summary of a run has its total by priority, or by load. */
  readonly summarised?: true;
  /** Its head in the table of priorities of the summary, and in that of buffers. */
  readonly ofTraffic?: string;
  readonly ofBuffers?: Placed;
  /** The page shows it. */
  readonly onPage?: OnPage;
  /** Maps and orders of ports show it: how long a port was blocked, how long its queue was. */
  readonly lens?: Lens;
}

export type Lens = 'blocked' | 'queue';
type Total = 'sum' | 'most';

/** Its head (null: the page says what blocks frames), and its name in links. */
interface OnPage {
  readonly head: string | null;
  readonly by?: string;
  /** More than none of it is a bad sign. */
  readonly warns?: true;
}

interface Placed {
  readonly label: string;
  readonly at: number;
}

/** An instrument: its name, how it counts, and its meaning where that is said otherwise. */
interface Monitored {
  readonly name: string;
  readonly kind: 'counter' | 'level';
  readonly unit?: string;
  readonly meaning?: string;
}

/** Units of monitoring systems, and how many of ours make one; others are counted. */
export const MONITORED_UNITS: Readonly<Partial<Record<Unit, readonly [string, number]>>> = {
  ps: ['s', PS_PER_S],
  bytes: ['By', 1],
};

type Measures = Readonly<Record<string, Measure<never>>>;
/** Of those that `Field` marks: their keys. */
export type KeysWith<Of extends Measures, Field extends keyof Measure<never>> = {
  [Key in keyof Of]: Of[Key] extends Readonly<Record<Field, unknown>> ? Key : never;
}[keyof Of];
/** A row of results, as its measures are read. */
export type ValuesOf<Of extends Measures> = {
  readonly [Key in keyof Of]: ReturnType<Of[Key]['read']>;
};

/** Declares measures that are read from the same. */
export function measures<From>() {
  return <const Of extends Readonly<Record<string, Measure<From>>>>(of: Of): Of => of;
}

export function read<From, Of extends Readonly<Record<string, Measure<From>>>>(
  of: Of,
  from: From,
): ValuesOf<Of> {
  // A run has thousands of rows.
  const values: Record<string, number | null> = {};
  for (const [key, measure] of Object.entries(of)) values[key] = measure.read(from);
  return values as ValuesOf<Of>;
}

/** The key in JSON, where sizes are bytes. */
export function publishedKey(key: string): string {
  return key.replace(/Octets$/, 'Bytes');
}

export function columnOf(key: string, { column }: Measure<never>): string {
  return column ?? columnName(publishedKey(key));
}

/** Columns of a table whose rows have these values. */
export function measuredColumns<Of extends Measures>(of: Of): readonly ColumnOf<ValuesOf<Of>>[] {
  return Object.entries(of).map(([key, measure]) => ({
    ...{ name: columnOf(key, measure), type: typeOf(measure), unit: measure.unit },
    ...{ meaning: measure.meaning, of: (row) => row[key] ?? null },
  }));
}

function typeOf({ isReal }: Measure<never>): ColumnType {
  return isReal === true ? 'DOUBLE' : 'BIGINT';
}

/** The schemas of numbers, which a schema refers to where it has them again. */
export const number = z.number();
export const orNone = number.nullable();

/** Their part of a row of the summary, as its schema has it. */
export function publishedShape(of: Measures): Readonly<Record<string, z.ZodType>> {
  return Object.fromEntries(
    Object.entries(of).map(([key, { meaning, mayLack }]) => [
      publishedKey(key),
      (mayLack === true ? orNone : number).describe(meaning),
    ]),
  );
}

/** Of several rows, by the rule of the measure; 0 of none. */
export function totalOf(total: Total, values: readonly number[]): number {
  return values.reduce((a, b) => (total === 'sum' ? a + b : Math.max(a, b)), 0);
}

/** Those that have a field. */
export function having<Of extends Measures, Field extends keyof Measure<never>>(
  of: Of,
  field: Field,
): readonly (readonly [key: KeysWith<Of, Field>, measure: Of[KeysWith<Of, Field>]])[] {
  return Object.entries(of).filter(([, measure]) => measure[field] !== undefined) as never;
}

/** The same as declarations. */
export function only<Of extends Measures, Field extends keyof Measure<never>>(
  of: Of,
  field: Field,
): Pick<Of, KeysWith<Of, Field>> {
  return Object.fromEntries(having(of, field)) as never;
}
