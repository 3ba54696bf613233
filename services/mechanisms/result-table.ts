/** Tables of the run directory: each column has its unit and meaning, declared once. */

export type Cell = string | number | null;

/** As DuckDB calls it. */
export type ColumnType = 'VARCHAR' | 'BIGINT' | 'DOUBLE';

export interface Column {
  /** Lower case with underscores: SQL needs no quotes for it. */
  readonly name: string;
  readonly type: ColumnType;
  /** Empty of texts. */
  readonly unit: string;
  readonly meaning: string;
}

export interface ColumnOf<Row> extends Column {
  readonly of: (row: Row) => Cell;
}

/** A table, and how its lines follow from results. */
export interface ResultTable<Source> {
  /** Of its file and in SQL. */
  readonly name: string;
  /** What a row is. */
  readonly about: string;
  readonly columns: readonly Column[];
  lines(source: Source): Iterable<readonly Cell[]>;
}

interface Declared<Source, Row> {
  readonly name: string;
  readonly about: string;
  readonly columns: readonly ColumnOf<Row>[];
  readonly rows: (source: Source) => Iterable<Row>;
}

export function resultTable<Source, Row>({
  name,
  about,
  columns,
  rows,
}: Declared<Source, Row>): ResultTable<Source> {
  return {
    name,
    about,
    columns,
    *lines(source) {
      for (const row of rows(source)) yield columns.map(({ of }) => of(row));
    },
  };
}

interface Columns<Row> {
  text(name: string, meaning: string, of: (row: Row) => Cell): ColumnOf<Row>;
  /** Whole numbers. */
  whole(name: string, unit: string, meaning: string, of: (row: Row) => Cell): ColumnOf<Row>;
  /** Numbers with fractions. */
  real(name: string, unit: string, meaning: string, of: (row: Row) => Cell): ColumnOf<Row>;
}

/** Makers of columns that read such rows. */
export function columnsOf<Row>(): Columns<Row> {
  const numbers =
    (type: ColumnType): Columns<Row>['whole'] =>
    (name, unit, meaning, of) => ({ name, type, unit, meaning, of });
  return {
    text: (name, meaning, of) => ({ name, type: 'VARCHAR', unit: '', meaning, of }),
    whole: numbers('BIGINT'),
    real: numbers('DOUBLE'),
  };
}

/** The name of a managed object, or of SAI, as that of a column: `ciFlowsFound`, `LLR_TX_OK`. */
export function columnName(managed: string): string {
  return managed
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/-/g, '_')
    .toLowerCase();
}
