import type { LoadSection } from '../scenario/scenario.js';
import { didYouMean } from '../../settings/errors.js';
import { NameTable } from '../topology/select-devices.js';
import type { CsvRow } from './csv.js';
import { readCsv } from './csv.js';
import type { LoadEntry } from './load-entry.js';
import { parseBytes, parseTimePs } from './quantity.js';

const REQUIRED = ['time', 'source', 'destination', 'bytes'] as const;
const COLUMNS = [...REQUIRED, 'priority'] as const;
type Column = (typeof COLUMNS)[number];

/** A line of the file. */
interface Message {
  readonly timePs: number;
  readonly source: number;
  readonly destination: number;
  readonly bytes: number;
  /** Null: that of the load. */
  readonly priority: number | null;
}

/**
 * One message per line of a CSV file with the columns time, source, destination, bytes and
 * possibly priority, in any order, named in its first line. Times count from the load's start.
 */
export function expandReplay(
  entry: LoadEntry,
  section: Extract<LoadSection, { kind: 'replay' }>,
): void {
  const messages = readMessages(entry, section.path);
  entry.announce(messages.length);
  for (const { timePs, source, destination, bytes, priority } of messages) {
    const startPs = section.startPs + timePs;
    if (startPs >= (section.endPs ?? Infinity)) continue;
    entry.add(source, destination, {
      ...entry.volume(bytes),
      startPs,
      priority: priority ?? section.priority,
      // A released message is sent whole.
      endPs: Infinity,
    });
  }
}

function readMessages(entry: LoadEntry, file: string): Message[] {
  const path = ['path'];
  let line = 0;
  const reject = (why: string): Error => entry.fail(path, `${file}:${line}: ${why}`);
  const [header, ...rows] = readCsv(entry.readFile(path, file));
  if (header === undefined || rows.length === 0) throw entry.fail(path, `${file} has no messages`);
  line = header.line;
  const place = readHeader(header, reject);
  const hosts = new NameTable(entry.context.topology, 'host', reject);
  return rows.map((row) => {
    line = row.line;
    if (row.cells.length !== header.cells.length) {
      throw reject(`${row.cells.length} values under ${header.cells.length} headings`);
    }
    return readMessage((column) => row.cells[place.get(column) ?? -1] ?? null, hosts, reject);
  });
}

function readMessage(
  cell: (column: Column) => string | null,
  hosts: NameTable,
  reject: (why: string) => Error,
): Message {
  const [time, size, priority] = [cell('time')!, cell('bytes')!, cell('priority')];
  const timePs = parseTimePs(time);
  if (timePs === null) throw reject(`${time} is no time; one looks like 12.5us`);
  const bytes = parseBytes(size);
  if (bytes === null || bytes < 1) throw reject(`${size} is no volume; one looks like 64KiB`);
  const [source, destination] = [hosts.find(cell('source')!), hosts.find(cell('destination')!)];
  if (source === destination) throw reject(`${cell('source')!} would send to itself`);
  if (priority !== null && !/^[0-7]$/.test(priority)) {
    throw reject(`${priority} is no priority (0 to 7)`);
  }
  return {
    timePs,
    source,
    destination,
    bytes,
    priority: priority === null ? null : Number(priority),
  };
}

/** Index of each column in a line. */
function readHeader(header: CsvRow, reject: (why: string) => Error): Map<Column, number> {
  const place = new Map<Column, number>();
  header.cells.forEach((cell, i) => {
    const column = COLUMNS.find((name) => name === cell.toLowerCase());
    if (column === undefined) {
      const hint = didYouMean(cell, COLUMNS);
      throw reject(`there is no column ${cell}${hint} (there are ${COLUMNS.join(', ')})`);
    }
    if (place.has(column)) throw reject(`the column ${column} is there twice`);
    place.set(column, i);
  });
  const missing = REQUIRED.find((column) => !place.has(column));
  if (missing !== undefined) throw reject(`the heading of the column ${missing} is missing`);
  return place;
}
