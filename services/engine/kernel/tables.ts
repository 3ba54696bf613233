import { Arena } from './arena.js';
import { assert } from './assert.js';
import type { Field, Fields } from './fields.js';
import { SparseReader, SparseWriter, type SparseNumbers } from './sparse-numbers.js';

/** An account of what a link partner grants; tables and saved states have it under this name. */
export const ACCOUNT = 'credit';

/** What a row of a table belongs to. */
const UNITS = [
  'device',
  'port',
  'send',
  'receive',
  ACCOUNT,
  'rate',
  'nic',
  'pool',
  'wred',
  'transport',
  'bitmap',
] as const;

export type Unit = (typeof UNITS)[number];

export function perUnit<Value>(valueOf: (unit: Unit) => Value): Record<Unit, Value> {
  return Object.fromEntries(UNITS.map((unit) => [unit, valueOf(unit)])) as Record<Unit, Value>;
}

/** The rows of one actor: first row and number of rows of each unit. */
export type Rows = Readonly<Record<Unit, { readonly first: number; readonly count: number }>>;

/** A cache line. */
const RECORD_WORDS = 16;

type Column = Int32Array | Float64Array | Uint8Array;

/** Numbers of one kind lie in one array: a device has rows in a hundred columns. */
export interface SavedRows {
  readonly words: SparseNumbers<Int32Array>;
  readonly doubles: SparseNumbers<Float64Array>;
  readonly octets: SparseNumbers<Uint8Array>;
}

/** Layout of a column: planes of so many rows, each of `stride` numbers. */
export interface ColumnLayout {
  readonly unit: Unit;
  readonly stride: number;
  readonly planes: number;
  readonly rows: number;
  readonly column: Column;
  /** Link partners write frames and control frames here. */
  readonly isInbox: boolean;
  /** Of a row; kinds are never asked for while events are executed. */
  readonly fields: readonly Field[];
  /** Each field is a record of its own. */
  readonly isApart: boolean;
}

interface Entry extends Omit<ColumnLayout, 'rows'> {
  readonly kind: keyof SavedRows;
  /** The same memory as words, which are quickly compared; null: octets. */
  readonly asWords: Int32Array | null;
}

/** The columns of tables, which lie in shared memory: plain data that another thread may read. */
interface TablesMemory {
  readonly counts: Readonly<Record<Unit, number>>;
  readonly columns: readonly Entry[];
}

/** The rows of one actor where they are; nothing may write to them any more. */
export interface SharedRows {
  readonly memory: TablesMemory;
  readonly rows: Rows;
}

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
  private readonly memory: TablesMemory;
  private readonly arena = new Arena();
  private readonly writers = makeWriters();

  constructor(counts: Readonly<Partial<Record<Unit, number>>>) {
    this.counts = { ...perUnit(() => 0), ...counts };
    this.memory = { counts: this.counts, columns: this.columns };
  }

  int32(unit: Unit, fields: Fields, planes = 1): Int32Array {
    const length = this.counts[unit] * fields.stride * planes;
    const { buffer, offset } = this.arena.take(length * Int32Array.BYTES_PER_ELEMENT);
    return this.add('words', unit, fields, planes, new Int32Array(buffer, offset, length));
  }

  float64(unit: Unit, fields: Fields, planes = 1): Float64Array {
    const length = this.counts[unit] * fields.stride * planes;
    const { buffer, offset } = this.arena.take(length * Float64Array.BYTES_PER_ELEMENT);
    return this.add('doubles', unit, fields, planes, new Float64Array(buffer, offset, length));
  }

  uint8(unit: Unit, fields: Fields): Uint8Array {
    const length = this.counts[unit] * fields.stride;
    const { buffer, offset } = this.arena.take(length);
    return this.add('octets', unit, fields, 1, new Uint8Array(buffer, offset, length));
  }

  /** Words and doubles side by side: each row is sixteen words, or eight doubles. */
  records(unit: Unit, fields: Fields, planes = 1): { words: Int32Array; doubles: Float64Array } {
    const words = this.int32(unit, fields, planes);
    assert(fields.stride === RECORD_WORDS, 'tables.record-of-a-line');
    return { words, doubles: new Float64Array(words.buffer, words.byteOffset, words.length / 2) };
  }

  /** Rows of a unit in one plane. */
  count(unit: Unit): number {
    return this.counts[unit];
  }

  /** Columns that are made meanwhile are those that link partners write to. */
  inbox<Made>(make: () => Made): Made {
    assert(!this.isMakingInbox, 'tables.one-inbox');
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
    return saveRows(this.share(rows), this.writers);
  }

  /** An actor's rows as they are, without a copy. */
  share(rows: Rows): SharedRows {
    return { memory: this.memory, rows };
  }

  restore(rows: Rows, saved: SavedRows | SharedRows): void {
    if ('memory' in saved) {
      copyRows(saved, this.share(rows));
      return;
    }
    const words = new SparseReader(saved.words);
    const doubles = new SparseReader(saved.doubles);
    const octets = new SparseReader(saved.octets);
    visit(this.share(rows), ({ kind, column }, from, to) => {
      if (kind === 'words') words.read(column as Int32Array, from, to);
      else if (kind === 'doubles') doubles.read(column as Float64Array, from, to);
      else octets.read(column as Uint8Array, from, to);
    });
    assert(words.isAtEnd, 'rows.saved');
    assert(doubles.isAtEnd, 'rows.saved');
    assert(octets.isAtEnd, 'rows.saved');
  }

  private add<T extends Column>(
    kind: keyof SavedRows,
    unit: Unit,
    { stride, list: fields, isApart }: Fields,
    planes: number,
    column: T,
  ): T {
    const { buffer, byteOffset, byteLength } = column;
    const asWords =
      kind === 'octets'
        ? null
        : new Int32Array(buffer, byteOffset, byteLength / Int32Array.BYTES_PER_ELEMENT);
    const { isMakingInbox: isInbox } = this;
    assert(stride > 0 && planes > 0, 'tables.row-of-numbers');
    assert(column.length === this.counts[unit] * stride * planes, 'tables.rows-of-column');
    this.columns.push({ kind, unit, stride, planes, column, isInbox, asWords, fields, isApart });
    return column;
  }
}

/** Copies rows that are shared, before what they belong to goes on. */
export function savedRows(rows: SavedRows | SharedRows): SavedRows {
  return 'memory' in rows ? saveRows(rows, makeWriters()) : rows;
}

function makeWriters() {
  return {
    words: new SparseWriter<Int32Array>(new Int32Array(0)),
    doubles: new SparseWriter<Float64Array>(new Float64Array(0)),
    octets: new SparseWriter<Uint8Array>(new Uint8Array(0)),
  };
}

function saveRows(shared: SharedRows, writers: ReturnType<typeof makeWriters>): SavedRows {
  const { words, doubles, octets } = writers;
  visit(shared, ({ kind, column }, from, to) => {
    if (kind === 'words') words.add(column as Int32Array, from, to);
    else if (kind === 'doubles') doubles.add(column as Float64Array, from, to);
    else octets.add(column as Uint8Array, from, to);
  });
  return { words: words.take(), doubles: doubles.take(), octets: octets.take() };
}

/** Copies an actor's rows to where it has them in other tables. */
function copyRows(from: SharedRows, to: SharedRows): void {
  to.memory.columns.forEach(({ unit, stride, planes, column, asWords }, i) => {
    const other = from.memory.columns[i];
    const length = to.rows[unit].count * stride;
    if (length === 0) return;
    assert(from.rows[unit].count * other.stride === length, 'rows.saved');
    const words = column.BYTES_PER_ELEMENT / Int32Array.BYTES_PER_ELEMENT;
    for (let plane = 0; plane < planes; plane++) {
      const source = rowAt(from, unit, plane) * stride;
      const target = rowAt(to, unit, plane) * stride;
      if (asWords === null) column.set(other.column.subarray(source, source + length), target);
      else copyWords(other.asWords!, source * words, asWords, target * words, length * words);
    }
  });
}

/** Writes only what differs: memory that was never written stays so. */
function copyWords(
  from: Int32Array,
  source: number,
  to: Int32Array,
  target: number,
  count: number,
): void {
  for (let i = 0; i < count; i++) {
    const word = from[source + i];
    if (to[target + i] !== word) to[target + i] = word;
  }
}

/** The first row of an actor in a plane. */
function rowAt({ memory, rows }: SharedRows, unit: Unit, plane: number): number {
  return plane * memory.counts[unit] + rows[unit].first;
}

/** An actor's rows, plane by plane. */
function visit(shared: SharedRows, range: (entry: Entry, from: number, to: number) => void): void {
  for (const entry of shared.memory.columns) {
    const { unit, stride, planes } = entry;
    const { count } = shared.rows[unit];
    if (count === 0) continue;
    for (let plane = 0; plane < planes; plane++) {
      const from = rowAt(shared, unit, plane) * stride;
      range(entry, from, from + count * stride);
    }
  }
}
