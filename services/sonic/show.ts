/**
 * What a switch with SONiC prints of its counters, from the tables that a run has left. Columns,
 * titles and order are those of its utilities (pfcstat, queuestat, watermarkstat, pg-drop, pfcwd).
 */

import { PRIORITY_NUMBERS } from '../engine/units/ethernet.js';

/** A table of a run: a row by the names of its columns; none where the run has not written it. */
export type TableOfRun = (name: string) => readonly Readonly<Record<string, string>>[];

/** A port in the run, and as the switch calls it. */
export interface ShownPort {
  readonly port: string;
  readonly name: string;
}

interface ShownTable {
  readonly title: string | null;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

type Show = (tables: TableOfRun, ports: readonly ShownPort[]) => readonly ShownTable[];

/** There is no such counter. */
const NOT_AVAILABLE = 'N/A';
const BY_GROUP = PRIORITY_NUMBERS.map((group) => `PG${group}`);
const BY_PRIORITY = PRIORITY_NUMBERS.map((priority) => `PFC${priority}`);
const STORMS = [
  ...['QUEUE', 'STATUS', 'STORM DETECTED/RESTORED', 'TX OK/DROP', 'RX OK/DROP'],
  ...['TX LAST OK/DROP', 'RX LAST OK/DROP'],
];

/** By the words behind `show`. */
export const SHOWN: Readonly<Record<string, Show>> = {
  'pfc counters': (tables, ports) => [
    ofPorts(tables, ports, { ...PFC, title: null, first: 'Port Rx', column: 'received_pauses' }),
    ofPorts(tables, ports, { ...PFC, title: null, first: 'Port Tx', column: 'sent_pauses' }),
  ],
  'queue counters': queueCounters,
  'priority-group watermark shared': (tables, ports) => [
    ofPorts(tables, ports, {
      ...{ ...GROUP, title: 'Ingress shared pool occupancy per PG:' },
      column: 'shared_watermark_bytes',
    }),
  ],
  'priority-group watermark headroom': (tables, ports) => [
    ofPorts(tables, ports, {
      ...{ ...GROUP, title: 'Ingress headroom per PG:', column: 'headroom_watermark_bytes' },
    }),
  ],
  'priority-group drop counters': (tables, ports) => [
    ofPorts(tables, ports, {
      ...{ ...GROUP, title: 'Ingress PG dropped packets:', column: 'dropped_packets' },
    }),
  ],
  'pfcwd stats': watchdogStatistics,
};

interface Counter {
  readonly title: string | null;
  readonly table: string;
  /** Column of the port's number of eight. */
  readonly by: string;
  readonly column: string;
  readonly first: string;
  readonly head: readonly string[];
}

const PFC = { table: 'ports', by: 'priority', head: BY_PRIORITY };
const GROUP = { table: 'priority_groups', by: 'priority_group', first: 'Port', head: BY_GROUP };

/** A line for each port: a counter of each of its eight priorities, or groups. */
function ofPorts(
  tables: TableOfRun,
  ports: readonly ShownPort[],
  { title, table, by, column, first, head }: Counter,
): ShownTable {
  const counts = new Map(
    tables(table).map((row) => [`${row['port']!} ${row[by]!}`, row[column] ?? NOT_AVAILABLE]),
  );
  const rows = ports.map(({ port, name }) => [
    name,
    ...PRIORITY_NUMBERS.map((number) => grouped(counts.get(`${port} ${number}`) ?? '0')),
  ]);
  return { title, head: [first, ...head], rows };
}

function queueCounters(tables: TableOfRun, ports: readonly ShownPort[]): ShownTable[] {
  const columns = ['packets', 'bytes', 'dropped_packets', 'dropped_bytes'];
  const queues = new Map(tables('queues').map((row) => [`${row['port']!} ${row['queue']!}`, row]));
  const pooled = new Set(tables('pools').map((row) => row['switch']));
  return ports.map(({ port, name }) => {
    const none = pooled.has(port.slice(0, port.lastIndexOf(':'))) ? '0' : NOT_AVAILABLE;
    return {
      title: null,
      head: ['Port', 'TxQ', 'Counter/pkts', 'Counter/bytes', 'Drop/pkts', 'Drop/bytes'],
      rows: PRIORITY_NUMBERS.map((number) => {
        const row = queues.get(`${port} ${number}`);
        return [name, `UC${number}`, ...columns.map((column) => grouped(row?.[column] ?? none))];
      }),
    };
  });
}

/** Of queues that were in a storm, as without `--empty`. */
function watchdogStatistics(tables: TableOfRun, ports: readonly ShownPort[]): ShownTable[] {
  const names = new Map(ports.map(({ port, name }) => [port, name]));
  const rows = tables('watchdogs').flatMap((row) => {
    const name = names.get(row['port']!);
    if (name === undefined) return [];
    const pair = (column: string): string => `${row[`${column}_ok`]!}/${row[`${column}_dropped`]!}`;
    const isOver = row['storms'] === row['restored'];
    return [
      [
        ...[`${name}:${row['priority']!}`, isOver ? 'operational' : 'stormed'],
        ...[`${row['storms']!}/${row['restored']!}`, pair('tx'), pair('rx')],
        ...[pair('last_tx'), pair('last_rx')],
      ],
    ];
  });
  return [{ title: null, head: STORMS, rows }];
}

function grouped(count: string): string {
  return /^\d+$/.test(count) ? count.replace(/\B(?=(\d{3})+$)/g, ',') : count;
}

/** As `tabulate` writes it: columns to the right, a rule below their heads. */
export function shownText({ title, head, rows }: ShownTable): string {
  const widths = head.map((cell, i) => Math.max(cell.length, ...rows.map((row) => row[i]!.length)));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, i) => cell.padStart(widths[i]!)).join('  ');
  const rule = widths.map((width) => '-'.repeat(width));
  return [...(title === null ? [] : [title]), line(head), line(rule), ...rows.map(line)].join('\n');
}
