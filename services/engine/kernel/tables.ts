import { Arena } from './arena.js';
import { assert } from './assert.js';
import { SparseReader, SparseWriter, type SparseNumbers } from './sparse-numbers.js';

/** An account of what a link partner grants; tables and saved states have it under this name. */
export const ACCOUNT = 'credit';

/** What a row of a table belongs to. */
export const UNITS = ['device', 'port', 'send', 'receive', ACCOUNT, 'rate', 'nic'] as const;

export type Unit = (typeof UNITS)[number];

export function perUnit<Value>(valueOf: (unit: Unit) => Value): Record<Unit, Value> {
  return Object.fromEntries(UNITS.map((unit) => [unit, valueOf(unit)])) as Record<Unit, Value>;
}

/** The rows of one actor: first row and number of rows of each unit. */
export type Rows = Readonly<Record<Unit, { readonly first: number; readonly count: number }>>;

type Column = Int32Array | Float64Array | Uint8Array;

/** Numbers of one kind lie in one array: a device has rows in a hundred columns. */
export interface SavedRows {
  readonly words: SparseNumbers<Int32Array>;
  readonly doubles: SparseNumbers<Float64Array>;
  readonly octets: SparseNumbers<Uint8Array>;
}

/** What a column is copied with, by its kind. */
type Copiers = Record<keyof SavedRows, (column: Column, from: number, to: number) => void>;

/** Layout of a column: planes of so many rows, each of `stride` numbers. */
export interface ColumnLayout {
  readonly unit: Unit;
  readonly stride: number;
  readonly planes: number;
  readonly rows: number;
  readonly column: Column;
  /** Link partners write frames and control frames here. */
  readonly isInbox: boolean;
}

type Entry = Omit<ColumnLayout, 'rows'> & { readonly kind: keyof SavedRows };

/**
 * The state that the actors of one service work on: arrays with a row per device, port, connection,
 * account of grants or limited rate. All actors share the arrays and each owns a range of rows, so
 * hot state is dense however many actors there are, and an actor is saved and restored as slices,
 * in any grouping.
 *
 * A table may have several planes, one per priority: fabrics use few of them, and so the rows that
 * are in use lie side by side.
 */
export class Tables {
  private readonly columns: Entry[] = [];
  private isMakingInbox = false;

  private readonly counts: Readonly<Record<Unit, number>>;
  private readonly arena = new Arena();
  private readonly writers = {
    words: new SparseWriter<Int32Array>(new Int32Array(0)),
    doubles: new SparseWriter<Float64Array>(new Float64Array(0)),
    octets: new SparseWriter<Uint8Array>(new Uint8Array(0)),
  };

  constructor(counts: Readonly<Partial<Record<Unit, number>>>) {
    this.counts = { ...perUnit(() => 0), ...counts };
  }

  int32(unit: Unit, stride: number, planes = 1): Int32Array {
    const length = this.counts[unit] * stride * planes;
    const { buffer, offset } = this.arena.take(length * Int32Array.BYTES_PER_ELEMENT);
    return this.add('words', unit, stride, planes, new Int32Array(buffer, offset, length));
  }

  float64(unit: Unit, stride: number, planes = 1): Float64Array {
    const length = this.counts[unit] * stride * planes;
    const { buffer, offset } = this.arena.take(length * Float64Array.BYTES_PER_ELEMENT);
    return this.add('doubles', unit, stride, planes, new Float64Array(buffer, offset, length));
  }

  uint8(unit: Unit, stride: number): Uint8Array {
    const length = this.counts[unit] * stride;
    const { buffer, offset } = this.arena.take(length);
    return this.add('octets', unit, stride, 1, new Uint8Array(buffer, offset, length));
  }

  /** Words and doubles side by side: each row is sixteen words, or eight doubles. */
  records(unit: Unit, planes = 1): { words: Int32Array; doubles: Float64Array } {
    const words = this.int32(unit, 16, planes);
    return { words, doubles: new Float64Array(words.buffer, words.byteOffset, words.length / 2) };
  }

  /** Rows of a unit in one plane. */
  count(unit: Unit): number {
    return this.counts[unit];
  }

  /** Columns that are made meanwhile are those that link partners write to. */
  inbox<Made>(make: () => Made): Made {
    this.isMakingInbox = true;
    const made = make();
    this.isMakingInbox = false;
    return made;
  }

  /** All columns, in their order in memory. */
  layout(): ColumnLayout[] {
    return this.columns.map((entry) => ({ ...entry, rows: this.counts[entry.unit] }));
  }

  save(rows: Rows): SavedRows {
    const { words, doubles, octets } = this.writers;
    this.visit(rows, {
      words: (column, from, to) => {
        words.add(column as Int32Array, from, to);
      },
      doubles: (column, from, to) => {
        doubles.add(column as Float64Array, from, to);
      },
      octets: (column, from, to) => {
        octets.add(column as Uint8Array, from, to);
      },
    });
    return { words: words.take(), doubles: doubles.take(), octets: octets.take() };
  }

  restore(rows: Rows, saved: SavedRows): void {
    const words = new SparseReader(saved.words);
    const doubles = new SparseReader(saved.doubles);
    const octets = new SparseReader(saved.octets);
    this.visit(rows, {
      words: (column, from, to) => {
        words.read(column as Int32Array, from, to);
      },
      doubles: (column, from, to) => {
        doubles.read(column as Float64Array, from, to);
      },
      octets: (column, from, to) => {
        octets.read(column as Uint8Array, from, to);
      },
    });
    assert(words.isAtEnd, 'rows.saved');
    assert(doubles.isAtEnd, 'rows.saved');
    assert(octets.isAtEnd, 'rows.saved');
  }

  /** An actor's rows, plane by plane. */
  private visit(rows: Rows, copiers: Copiers): void {
    for (const { unit, stride, planes, kind, column } of this.columns) {
      const { first, count } = rows[unit];
      if (count === 0) continue;
      for (let plane = 0; plane < planes; plane++) {
        const from = (plane * this.counts[unit] + first) * stride;
        copiers[kind](column, from, from + count * stride);
      }
    }
  }

  private add<T extends Column>(
    kind: keyof SavedRows,
    unit: Unit,
    stride: number,
    planes: number,
    column: T,
  ): T {
    this.columns.push({ kind, unit, stride, planes, column, isInbox: this.isMakingInbox });
    return column;
  }
}
