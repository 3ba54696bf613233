/** Every table that a run directory may have. */

import { MECHANISMS } from '../../mechanisms/registry.js';
import type { Column, ColumnType } from '../../mechanisms/result-table.js';
import { OBSERVED_TABLES } from './observed-tables.js';
import { RUN_TABLES } from './run-tables.js';

export interface DescribedTable {
  readonly name: string;
  readonly about: string;
  readonly columns: readonly Column[];
}

export const TABLES: readonly DescribedTable[] = [
  ...RUN_TABLES,
  ...OBSERVED_TABLES,
  ...MECHANISMS.flatMap(({ results }) => [
    ...(results.tables ?? []),
    ...(results.eventTables ?? []),
  ]),
];

const TYPES = new Map(
  TABLES.flatMap(({ name, columns }) =>
    columns.map((column) => [`${name}/${column.name}`, column.type] as const),
  ),
);

/** Text where the column is none of this version. */
export function columnType(table: string, column: string): ColumnType {
  return TYPES.get(`${table}/${column}`) ?? 'VARCHAR';
}
