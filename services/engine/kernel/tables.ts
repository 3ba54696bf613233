import { Arena } from './arena.js';
import type { Plain } from './snapshot.js';

/** What a row of a table belongs to. */
export const UNITS = ['device', 'port', 'send', 'receive', 'credit', 'rate', 'nic'] as const;

export type Unit = (typeof UNITS)[number];

export function perUnit<Value>(valueOf: (unit: Unit) => Value): Record<Unit, Value> {
  return Object.fromEntries(UNITS.map((unit) => [unit, valueOf(unit)])) as Record<Unit, Value>;
}

/** The rows of one actor: first row and number of rows of each unit. */
export type Rows = Readonly<Record<Unit, { readonly first: number; readonly count: number }>>;

type Column = Int32Array | Float64Array | Uint8Array;

/** Where rows lie in a column: planes of so many rows, each of `stride` numbers. */
export interface ColumnLayout {
  readonly unit: Unit;
  readonly stride: number;
  readonly planes: number;
  readonly rows: number;
  readonly column: Column;
  /** Link partners write here what they hand over. */
  readonly isInbox: boolean;
}

type Entry = Omit<ColumnLayout, 'rows'>;

/**
 * The numbers that the actors of one service work on: arrays with a row per device, port,
 * connection, credit account or limited rate. All actors share the arrays and each owns a
 * range of rows, so what is hot stays dense however many actors there are, and an actor is saved
 * and restored as slices, in any grouping.
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
    return this.add(unit, stride, planes, new Int32Array(buffer, offset, length));
  }

  float64(unit: Unit, stride: number, planes = 1): Float64Array {
    const length = this.counts[unit] * stride * planes;
    const { buffer, offset } = this.arena.take(length * Float64Array.BYTES_PER_ELEMENT);
    return this.add(unit, stride, planes, new Float64Array(buffer, offset, length));
  }

  uint8(unit: Unit, stride: number): Uint8Array {
    const length = this.counts[unit] * stride;
    const { buffer, offset } = this.arena.take(length);
    return this.add(unit, stride, 1, new Uint8Array(buffer, offset, length));
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

  /** What is made meanwhile is where link partners hand over. */
  inbox<Made>(make: () => Made): Made {
    this.isMakingInbox = true;
    const made = make();
    this.isMakingInbox = false;
    return made;
  }

  /** All columns, as they lie in memory. */
  layout(): ColumnLayout[] {
    return this.columns.map((entry) => ({ ...entry, rows: this.counts[entry.unit] }));
  }

  save(rows: Rows): Plain {
    return this.columns.map((entry) =>
      this.ranges(entry, rows).map(([from, to]) => entry.column.slice(from, to)),
    );
  }

  restore(rows: Rows, saved: Plain): void {
    const slices = saved as readonly (readonly Column[])[];
    this.columns.forEach((entry, i) => {
      this.ranges(entry, rows).forEach(([from], plane) => {
        entry.column.set(slices[i][plane], from);
      });
    });
  }

  /** Where an actor's rows lie, plane by plane. */
  private ranges(
    { unit, stride, planes }: { unit: Unit; stride: number; planes: number },
    rows: Rows,
  ): [number, number][] {
    const { first, count } = rows[unit];
    return Array.from({ length: planes }, (_, plane) => {
      const from = (plane * this.counts[unit] + first) * stride;
      return [from, from + count * stride];
    });
  }

  private add<T extends Column>(unit: Unit, stride: number, planes: number, column: T): T {
    this.columns.push({ unit, stride, planes, column, isInbox: this.isMakingInbox });
    return column;
  }
}
