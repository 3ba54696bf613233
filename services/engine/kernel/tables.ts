import type { Plain } from './snapshot.js';

/** What a row of a table belongs to. */
export type Unit = 'device' | 'port' | 'send' | 'receive';

/** The rows of one actor: first row and number of rows of each unit. */
export type Rows = Readonly<Record<Unit, { readonly first: number; readonly count: number }>>;

type Column = Int32Array | Float64Array | Uint8Array;

/**
 * The numbers that the actors of one service work on: arrays with a row per device, port or
 * connection. All actors share the arrays and each owns a range of rows, so what is hot stays
 * dense however many actors there are, and an actor is saved and restored as slices, in any
 * grouping.
 */
export class Tables {
  private readonly columns: { unit: Unit; stride: number; column: Column }[] = [];

  constructor(private readonly counts: Readonly<Record<Unit, number>>) {}

  int32(unit: Unit, stride: number): Int32Array {
    return this.add(unit, stride, new Int32Array(this.counts[unit] * stride));
  }

  float64(unit: Unit, stride: number): Float64Array {
    return this.add(unit, stride, new Float64Array(this.counts[unit] * stride));
  }

  uint8(unit: Unit, stride: number): Uint8Array {
    return this.add(unit, stride, new Uint8Array(this.counts[unit] * stride));
  }

  save(rows: Rows): Plain {
    return this.columns.map(({ unit, stride, column }) => {
      const { first, count } = rows[unit];
      return column.slice(first * stride, (first + count) * stride);
    });
  }

  restore(rows: Rows, saved: Plain): void {
    const slices = saved as readonly Column[];
    this.columns.forEach(({ unit, stride, column }, i) => {
      column.set(slices[i], rows[unit].first * stride);
    });
  }

  private add<T extends Column>(unit: Unit, stride: number, column: T): T {
    this.columns.push({ unit, stride, column });
    return column;
  }
}

/**
 * Row of a (port, priority) pair in tables with eight rows per port. Fabrics use few priorities;
 * turning the order from port to port spreads the rows of one priority over the cache.
 */
export function priorityRow(port: number, priority: number): number {
  return (port << 3) | ((port + priority) & 7);
}
