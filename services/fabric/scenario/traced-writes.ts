/** A file of what a driver writes: time, address, value. */

import type { NicSource, TracedWrite } from '../../mechanisms/nic-context.js';
import type { CsvRow } from '../load/csv.js';
import { readCsv } from '../load/csv.js';
import { parseTimePs } from '../load/quantity.js';
import type { Located } from './located.js';
import { readTable } from './read-source.js';

const COLUMNS = ['time', 'address', 'value'] as const;
const HEXADECIMAL = /^0x[0-9a-f]{1,8}$/i;
const WORD_MOST = 2 ** 32;

/** A scenario file, and files of register writes beside it. */
export function nicSource(located: Located): NicSource {
  return {
    errorAt: (path, message) => located.errorAt(path, message),
    tracedWrites: (path, name) => {
      const file = located.fileAt(path, name);
      const fail = (message: string): Error => located.errorAt(path, `${file}: ${message}`);
      return { writes: readTracedWrites(textOf(file, fail), fail), fail };
    },
  };
}

function textOf(file: string, fail: (message: string) => Error): string {
  try {
    return readTable(file);
  } catch (error) {
    throw fail((error as Error).message);
  }
}

/** Its lines in their order; `fail` is given what is wrong. */
function readTracedWrites(text: string, fail: (message: string) => Error): TracedWrite[] {
  const [header, ...rows] = readCsv(text);
  if (header === undefined || rows.length === 0) throw fail('there are no writes in it');
  const places = COLUMNS.map((column) => {
    const place = header.cells.indexOf(column);
    if (place >= 0) return place;
    throw fail(`line ${header.line}: no column ${column}; the first line is time,address,value`);
  });
  return rows.map((row) => lineOf(row, places, fail));
}

function lineOf(
  { line, cells }: CsvRow,
  places: readonly number[],
  fail: (message: string) => Error,
): TracedWrite {
  const [time = '', address = '', value = ''] = places.map((place) => cells[place]);
  const atPs = parseTimePs(time);
  if (atPs === null) throw fail(`line ${line}: not a time: ${JSON.stringify(time)}; such as 1ms`);
  const number = (cell: string, column: string): number => {
    const parsed = HEXADECIMAL.test(cell) || /^\d+$/.test(cell) ? Number(cell) : NaN;
    if (parsed < WORD_MOST) return parsed;
    const what = `not ${column === 'address' ? 'an' : 'a'} ${column}: ${JSON.stringify(cell)}`;
    throw fail(`line ${line}: ${what}; a number of 32 bits such as 0x04910`);
  };
  return {
    line,
    atPs: Math.round(atPs),
    address: number(address, 'address'),
    value: number(value, 'value'),
  };
}
