import type { DuckDBConnection } from '@duckdb/node-api';
import { inDatabase, loadDuckDb } from './database.js';
import type { RunTable } from './tables-of-run.js';
import { tablesOf } from './tables-of-run.js';

/** A query that cannot be answered; the message has the reason, in one line. */
export class QueryError extends Error {}

export type Cell = string | number | boolean | null;

interface Answer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** Answers SQL over the tables of a run: it may read these, and nothing else. */
export async function queryRun(folder: string, sql: string): Promise<Answer> {
  const tables = tablesOf(folder);
  return inDatabase(async (connection) => {
    for (const { name, reading } of tables.filter((table) => isAsked(table, sql))) {
      await connection.run(`create table "${name}" as ${reading}`);
    }
    await connection.run('set enable_external_access = false');
    await connection.run('set lock_configuration = true');
    try {
      return await ask(connection, sql);
    } catch (error) {
      throw error instanceof QueryError ? error : new QueryError(complaint(error, tables));
    }
  });
}

/** Only tables that the query mentions are loaded. */
function isAsked({ name }: RunTable, sql: string): boolean {
  const text = sql.toLowerCase();
  return text.includes(name) || /^\s*(show|describe|summarize|from\s+information)/.test(text);
}

async function ask(connection: DuckDBConnection, sql: string): Promise<Answer> {
  if (sql.trim() === '') throw new QueryError('the query is empty');
  const { StatementType } = loadDuckDb();
  const statements = await connection.extractStatements(sql);
  if (statements.count !== 1) {
    throw new QueryError(`one question at a time: this is ${statements.count} statements`);
  }
  const statement = await statements.prepare(0);
  const { SELECT, EXPLAIN } = StatementType;
  if (![SELECT, EXPLAIN].includes(statement.statementType)) {
    throw new QueryError('a run is not changed by a question: ask with SELECT');
  }
  const reader = await statement.runAndReadAll();
  const rows = reader.getRowsJson() as readonly (readonly unknown[])[];
  return { columns: reader.deduplicatedColumnNames(), rows: rows.map((row) => row.map(cell)) };
}

/** Whole numbers are text, so that none is rounded; below 2^53 none would be. */
function cell(value: unknown): Cell {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'string') return JSON.stringify(value);
  const number = Number(value);
  return /^-?\d+$/.test(value) && Number.isSafeInteger(number) ? number : value;
}

/** The first line of the database's error, and the available tables if one is missing. */
function complaint(error: unknown, tables: readonly RunTable[]): string {
  const text = error instanceof Error ? error.message : String(error);
  const [first = ''] = text.split('\n', 1);
  if (!first.includes('Table with name')) return first;
  const names = tables.map(({ name }) => name).join(', ');
  return `${first} This run has ${names}`;
}
