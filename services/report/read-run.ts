import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Topology } from '../fabric/topology/topology.js';
import { portName } from '../fabric/topology/topology.js';
import type { DiscoveryResults } from '../runtime/results/discovery-results.js';
import type { CauseWord, FlowCause } from '../runtime/results/flow-cause.js';
import type { FlowResult, PortPriorityResult, PortResult } from '../runtime/results/results.js';
import type { SeriesRow } from '../runtime/series-rows.js';
import { PORT_MEASURES, type PortValues } from '../measures/port-measures.js';
import { columnOf } from '../mechanisms/measure.js';
import { parseCsv } from './csv.js';
import type { Episode, EpisodeKind } from '../telemetry/congestion/congestion.js';
import type { MeasuredRun } from './page/page-of-run.js';
import { readTraces } from './read-traces.js';
import { DISCOVERY, readNics, readRun, readRunFile, TRACES } from './run-directory.js';
import { runJson } from './run-json.js';
import type { OperationResult } from '../jobs/job-rows.js';
import { readSummary, SUMMARY_FILE } from './summary/summary-json.js';
import { dropColumn, LOSSES } from './tables/run-tables.js';

type Row = Readonly<Record<string, string>>;
const EPISODES = 'episodes.csv';
const OPERATIONS = 'operations.csv';

/** The results of a run, from the files of its directory. */
export function readMeasured(folder: string, topology: Topology): MeasuredRun {
  const { scenario, set, steps, document, why } = readRun(folder);
  const text = readRunFile(folder, SUMMARY_FILE);
  const { expectations, ...rest } = readSummary(join(folder, SUMMARY_FILE), text);
  const flows = readRows(folder, 'flows.csv').map(flowFrom);
  const ports = portsFrom(readRows(folder, 'ports.csv'), topology);
  const kept = { discovery: discoveryFrom(folder), nics: readNics(folder) };
  const operations = existsSync(join(folder, OPERATIONS))
    ? readRows(folder, OPERATIONS).map(operationFrom)
    : [];
  const results = { ...rest, flows, operations, ports, ...kept };
  return {
    results,
    expectations,
    document,
    series: {
      rows: [...seriesFrom(folder, 'series.csv'), ...seriesFrom(folder, 'rate_series.csv')],
    },
    why: why && { ...why, congestion: episodesFrom(folder) },
    traces: readTraces(join(folder, TRACES)),
    origin: { scenario, set, steps },
  };
}

/** Null: a run of an earlier version has kept its trees only. */
function episodesFrom(folder: string): { readonly episodes: readonly Episode[] } | null {
  if (!existsSync(join(folder, EPISODES))) return null;
  const episodes = readRows(folder, EPISODES).map((row): Episode => ({
    ...{ id: row['id']!, kind: row['kind'] as EpisodeKind, device: row['device']! },
    ...{ port: row['port']!, priority: numberFrom(row['priority']!), mechanism: row['mechanism']! },
    ...{ startPs: Number(row['start_ps']), endPs: numberFrom(row['end_ps']!) },
    ...{ parent: textFrom(row['parent']!) },
    reason: textFrom(row['reason']!) as Episode['reason'],
    fault: textFrom(row['fault'] ?? ''),
    frameTimePs: Number(row['aggregate_blocked_ps']),
  }));
  return { episodes };
}

function discoveryFrom(folder: string): DiscoveryResults | null {
  if (!existsSync(join(folder, DISCOVERY))) return null;
  const text = readRunFile(folder, DISCOVERY);
  return runJson(join(folder, DISCOVERY), text, { ports: 'list' }) as DiscoveryResults;
}

/** A table of a run by the names of its columns. */
export function readRows(folder: string, name: string): Row[] {
  const [columns = [], ...lines] = parseCsv(readRunFile(folder, name));
  return lines.map((line) =>
    Object.fromEntries(columns.map((column, i) => [column, line[i] ?? ''])),
  );
}

/** Of ports, or of connections; none if there is no file. */
function seriesFrom(folder: string, name: string): SeriesRow[] {
  if (!existsSync(join(folder, name))) return [];
  const [, ...lines] = parseCsv(readRunFile(folder, name));
  return lines.map((line) => line.map((field, i) => (i === 1 ? field : Number(field))));
}

/** Parts of a cause, beside its own column. */
const OF_CAUSE = new Set(['cause_at', 'cause_by', 'stands_still']);
const TEXTS = new Set(['name', 'load', 'source', 'destination', 'transport']);

/** Columns are named as the properties are, in snake case and with bytes for octets. */
function flowFrom(row: Row): FlowResult {
  const columns = Object.entries(row).filter(([column]) => !OF_CAUSE.has(column));
  const entries = columns.map(([column, field]) => {
    const property = column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    if (column === 'unreachable_at') return [property, textFrom(field)];
    if (column === 'cause') return [column, causeFrom(row)];
    return [property.replace(/Bytes$/, 'Octets'), TEXTS.has(column) ? field : numberFrom(field)];
  });
  return Object.fromEntries(entries) as FlowResult;
}

/** Empty is what has not happened, or what there is none of. */
function operationFrom(row: Row): OperationResult {
  const number = (column: string): number => numberFrom(row[column]!) ?? -1;
  return {
    ...{ job: row['job']!, rank: number('rank'), host: row['host']!, name: row['name']! },
    ...{ operation: number('operation'), kind: row['kind'] as OperationResult['kind'] },
    ...{ peer: number('peer'), amount: number('amount'), flow: number('flow') },
    ...{ readyPs: number('ready_ps'), startedPs: number('start_ps'), donePs: number('done_ps') },
    ...{ releasedBy: number('released_by'), streamHeldBy: number('stream_after') },
    ...{ took: number('took'), collective: number('collective') },
  };
}

function causeFrom(row: Row): FlowCause | null {
  const word = row['cause'] as CauseWord | '' | undefined;
  if (word === undefined || word === '') return null;
  const [at, by] = [textFrom(row['cause_at'] ?? ''), textFrom(row['cause_by'] ?? '')];
  return { word, standsStill: row['stands_still'] === '1', at, by };
}

function textFrom(field: string): string | null {
  return field === '' ? null : field;
}

function numberFrom(field: string): number | null {
  return field === '' ? null : Number(field);
}

type WritablePort = PortResult & { readonly priorities: PortPriorityResult[] };

/** A port that was idle is in no table; nor is the number of control frames that one sent. */
function portsFrom(rows: readonly Row[], topology: Topology): PortResult[] {
  const devices: WritablePort[][] = topology.devices.map(() => []);
  for (const { a, b, rateBps } of topology.links) {
    for (const [own, other] of [[a, b] as const, [b, a] as const]) {
      const { name: device } = topology.devices[own.device]!;
      devices[own.device]![own.port] = {
        ...{ port: portName(topology, own), device, peer: portName(topology, other), rateBps },
        ...{ controlSent: 0, controlReceived: 0, priorities: [] },
      };
    }
  }
  // A device may have ports without a link, which are no ports of the run.
  const ports = devices.flatMap((own) => Object.values(own));
  const byName = new Map(ports.map((port) => [port.port, port]));
  for (const row of rows) byName.get(row['port']!)?.priorities.push(portPriorityFrom(row));
  return ports;
}

function portPriorityFrom(row: Row): PortPriorityResult {
  // A run of an earlier version has fewer columns.
  const number = (column: string): number => Number(row[column] ?? 0);
  const drops = LOSSES.map((reason) => [reason, number(dropColumn(reason))] as const).filter(
    ([, frames]) => frames > 0,
  );
  const measured = Object.entries(PORT_MEASURES).map(
    ([key, measure]) => [key, number(columnOf(key, measure))] as const,
  );
  return {
    priority: number('priority'),
    ...(Object.fromEntries(measured) as PortValues),
    drops: Object.fromEntries(drops),
  };
}
