import { readRunFile } from '../../report/run-directory.js';
import { table } from '../../report/table.js';
import type { Cell } from '../../report/tables/query-run.js';
import { QueryError, queryRun } from '../../report/tables/query-run.js';
import { EXIT, InputError } from '../exit.js';

export interface QueryOptions {
  readonly json?: boolean;
}

/** Prints the answer to a query in SQL over the tables of a run. */
export async function queryCommand(
  run: string,
  sql: string,
  options: QueryOptions,
): Promise<number> {
  try {
    readRunFile(run, 'digest');
  } catch (error) {
    throw new InputError((error as Error).message);
  }
  try {
    const { columns, rows } = await queryRun(run, sql);
    const text =
      options.json === true
        ? JSON.stringify(rows.map((row) => objectOf(columns, row)))
        : rows.length === 0
          ? 'no rows'
          : table(
              columns,
              rows.map((row) => row.map(shown)),
            );
    process.stdout.write(`${text}\n`);
    return EXIT.COMPLETE;
  } catch (error) {
    throw error instanceof QueryError ? new InputError(error.message) : error;
  }
}

function objectOf(columns: readonly string[], row: readonly Cell[]): Record<string, Cell> {
  return Object.fromEntries(columns.map((column, i) => [column, row[i]!]));
}

function shown(value: Cell): string {
  return value === null ? '' : String(value);
}
