import type { selvage } from '#contracts';
import { formatCount, formatTime } from '../../report/format.js';

type Status = selvage.v1.RunStatus;

/** One service of a run in progress, as its coordinator knows it. */
export interface ServiceRow {
  readonly service: number;
  readonly host: string;
  readonly connected: boolean;
  /** Everything before has been executed there. */
  readonly virtualPs: number;
  /** Behind the service that is farthest. */
  readonly lagPs: number;
  /** CPU time by wall-clock time. */
  readonly cpuShare: number;
  /** A second. */
  readonly messageRate: number;
  readonly waitsFor: readonly number[];
  /** The coordinator waits for its answer. */
  readonly owing: boolean;
}

/** Empty for a run in one process. */
export function serviceRows({ parts }: Pick<Status, 'parts'>): ServiceRow[] {
  const farthestPs = Math.max(0, ...parts.map(({ executedPs }) => executedPs ?? 0));
  return parts.map((part, service) => ({
    service,
    host: part.host ?? '',
    connected: part.connected ?? false,
    virtualPs: part.executedPs ?? 0,
    lagPs: farthestPs - (part.executedPs ?? 0),
    cpuShare: part.cpuShare ?? 0,
    messageRate: part.messageRate ?? 0,
    waitsFor: part.waitsFor ?? [],
    owing: part.owing ?? false,
  }));
}

/** The slowest first: the one that is farthest behind, then the one with the most to do. */
export function slowestFirst(rows: readonly ServiceRow[]): ServiceRow[] {
  return [...rows].sort(
    (a, b) => b.lagPs - a.lagPs || b.cpuShare - a.cpuShare || a.service - b.service,
  );
}

const HEAD = ['service', 'host', 'virtual time', 'lag', 'CPU', 'messages/s', 'waits for'];

/** A table of services in columns. */
export function serviceLines(rows: readonly ServiceRow[]): string[] {
  const table = [HEAD, ...rows.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...table.map((cells) => cells[column]!.length)));
  return table.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

function cellsOf(row: ServiceRow): string[] {
  const { service, host, connected, virtualPs, lagPs, cpuShare, messageRate, waitsFor } = row;
  const known = [
    formatTime(virtualPs),
    formatTime(lagPs),
    `${Math.round(cpuShare * 100)} %`,
    formatCount(messageRate),
    waitsFor.join(', '),
  ];
  const cells = connected ? known : ['lost', '', '', '', ''];
  return [`${service}`, host, ...cells];
}

/** How fast virtual time passes, as `12 us/s`. */
export function throughputText({ psPerSecond }: Pick<Status, 'psPerSecond'>): string {
  return `${formatTime(psPerSecond)}/s`;
}

/** The last checkpoint, and how old it is. */
export function checkpointText({
  checkpointPs,
  checkpointAgeMs,
}: Pick<Status, 'checkpointPs' | 'checkpointAgeMs'>): string {
  if (checkpointPs < 0) return 'no checkpoint';
  const age = checkpointAgeMs < 0 ? '' : ` (${(checkpointAgeMs / 1000).toFixed(1)} s ago)`;
  return `checkpoint at ${formatTime(checkpointPs)}${age}`;
}
