import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { parseCsv } from '../csv.js';
import { columnType } from './columns.js';

const SUFFIX = '.csv';
/** More than any first line has. */
const HEAD_OCTETS = 8192;

/** A table of a run directory. */
export interface RunTable {
  /** Of its file without the ending, and in SQL: `rate_series`. */
  readonly name: string;
  readonly file: string;
  /** The query that reads it. */
  readonly reading: string;
}

/** The tables that a run has, by name. */
export function tablesOf(folder: string): RunTable[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .sort()
    .map((own) => {
      const name = own.slice(0, -SUFFIX.length);
      const file = join(folder, own);
      return { name, file, reading: reading(name, file) };
    });
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function reading(name: string, file: string): string {
  const types = columnsOf(file)
    .map((column) => `${quoted(column)}: ${quoted(columnType(name, column))}`)
    .join(', ');
  const form = "header = true, delim = ',', quote = '\"', escape = '\"', auto_detect = false";
  return `select * from read_csv(${quoted(file)}, ${form}, columns = {${types}})`;
}

function columnsOf(file: string): string[] {
  const octets = Buffer.alloc(HEAD_OCTETS);
  const opened = openSync(file, 'r');
  const length = readSync(opened, octets);
  closeSync(opened);
  const [head = ''] = octets.toString('utf8', 0, length).split('\n', 1);
  return parseCsv(`${head}\n`)[0] ?? [];
}
