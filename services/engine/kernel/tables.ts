import { Arena } from './arena.js';
import { assert } from './assert.js';

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
  readonly words: Int32Array;
  readonly doubles: Float64Array;
  readonly octets: Uint8Array;
}

type Lengths = Record<keyof SavedRows, number>;

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
    const { words, doubles, octets } = this.visit(rows, () => undefined);
    const saved = {
      words: new Int32Array(words),
      doubles: new Float64Array(doubles),
      octets: new Uint8Array(octets),
    };
    this.visit(rows, ({ kind, column }, from, to, at) => {
      saved[kind].set(column.subarray(from, to), at);
    });
    return saved;
  }

  restore(rows: Rows, saved: SavedRows): void {
    const { words, doubles, octets } = this.visit(rows, () => undefined);
    assert(words === saved.words.length, 'rows.saved');
    assert(doubles === saved.doubles.length, 'rows.saved');
    assert(octets === saved.octets.length, 'rows.saved');
    this.visit(rows, ({ kind, column }, from, to, at) => {
      column.set(saved[kind].subarray(at, at + to - from), from);
    });
  }

  /** An actor's rows, plane by plane; `at`: behind those before of their kind. */
  private visit(
    rows: Rows,
    range: (entry: Entry, from: number, to: number, at: number) => void,
  ): Lengths {
    const at: Lengths = { words: 0, doubles: 0, octets: 0 };
    for (const entry of this.columns) {
      const { unit, stride, planes, kind } = entry;
      const { first, count } = rows[unit];
      if (count === 0) continue;
      for (let plane = 0; plane < planes; plane++) {
        const from = (plane * this.counts[unit] + first) * stride;
        range(entry, from, from + count * stride, at[kind]);
        at[kind] += count * stride;
      }
    }
    return at;
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
