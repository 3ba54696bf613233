import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Topology } from '../fabric/topology/topology.js';
import { portName } from '../fabric/topology/topology.js';
import type { DiscoveryResults } from '../runtime/results/discovery-results.js';
import type {
  FlowResult,
  PortPriorityResult,
  PortResult,
  RunResults,
} from '../runtime/results/results.js';
import type { SeriesRow } from '../runtime/series.js';
import { parseCsv } from './csv.js';
import type { ExpectationResult } from './expectations.js';
import type { MeasuredRun } from './page/page-of-run.js';
import { DISCOVERY, readNics, readRun, readRunFile } from './run-directory.js';
import { runJson } from './run-json.js';

type Row = Readonly<Record<string, string>>;
type Summary = Omit<RunResults, 'flows' | 'ports' | 'nics'> & {
  readonly expectations: readonly ExpectationResult[];
};

/** What every summary has. */
const SUMMARY = {
  scenario: 'string',
  seed: 'number',
  status: 'string',
  virtualPs: 'number',
  digest: 'string',
  plugins: 'list',
  priorities: 'list',
  loads: 'list',
  stalls: 'list',
  standingDeadlocks: 'list',
  margins: 'list',
  buffers: 'list',
  expectations: 'list',
  deviceDigests: 'list',
} as const;

const DROPS = 'drops_';

/** What was measured in a run, from the files of its directory. */
export function readMeasured(folder: string, topology: Topology): MeasuredRun {
  const { scenario, set, steps, document, why } = readRun(folder);
  const text = readRunFile(folder, 'summary.json');
  const summary = runJson(join(folder, 'summary.json'), text, SUMMARY) as Summary;
  const { expectations, ...rest } = summary;
  const flows = readRows(folder, 'flows.csv').map(flowFrom);
  const ports = portsFrom(readRows(folder, 'ports.csv'), topology);
  const kept = { discovery: discoveryFrom(folder), nics: readNics(folder) };
  const results = { ...rest, flows, ports, ...kept };
  return {
    results,
    expectations,
    document,
    series: {
      rows: [...seriesFrom(folder, 'series.csv'), ...seriesFrom(folder, 'rate-series.csv')],
    },
    why,
    origin: { scenario, set, steps },
  };
}

function discoveryFrom(folder: string): DiscoveryResults | null {
  if (!existsSync(join(folder, DISCOVERY))) return null;
  const text = readRunFile(folder, DISCOVERY);
  return runJson(join(folder, DISCOVERY), text, { ports: 'list' }) as DiscoveryResults;
}

function readRows(folder: string, name: string): Row[] {
  const [columns = [], ...lines] = parseCsv(readRunFile(folder, name));
  return lines.map((line) =>
    Object.fromEntries(columns.map((column, i) => [column, line[i] ?? ''])),
  );
}

/** Of ports, or of connections; none if the file is not there. */
function seriesFrom(folder: string, name: string): SeriesRow[] {
  if (!existsSync(join(folder, name))) return [];
  const [, ...lines] = parseCsv(readRunFile(folder, name));
  return lines.map((line) => line.map((field, i) => (i === 1 ? field : Number(field))));
}

const TEXTS = new Set(['name', 'load', 'source', 'destination', 'transport']);

/** Columns are named as the properties are, in another spelling. */
function flowFrom(row: Row): FlowResult {
  const entries = Object.entries(row).map(([column, field]) => {
    const property = column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    return [property, TEXTS.has(column) ? field : numberFrom(field)];
  });
  return Object.fromEntries(entries) as FlowResult;
}

function numberFrom(field: string): number | null {
  return field === '' ? null : Number(field);
}

type WritablePort = PortResult & { readonly priorities: PortPriorityResult[] };

/** A port that was idle is in no table; nor is how many control frames one sent. */
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
  // A device may have ports without a cable, which are no ports of the run.
  const ports = devices.flatMap((own) => Object.values(own));
  const byName = new Map(ports.map((port) => [port.port, port]));
  for (const row of rows) byName.get(row['port']!)?.priorities.push(portPriorityFrom(row));
  return ports;
}

function portPriorityFrom(row: Row): PortPriorityResult {
  const number = (column: string): number => Number(row[column]);
  const drops = Object.keys(row)
    .filter((column) => column.startsWith(DROPS) && number(column) > 0)
    .map((column) => [column.slice(DROPS.length), number(column)]);
  return {
    ...{ priority: number('priority'), rxFrames: number('rx_frames') },
    ...{ rxOctets: number('rx_octets'), txFrames: number('tx_frames') },
    ...{ txOctets: number('tx_octets'), markedFrames: number('marked_frames') },
    ...{ heldPs: number('held_ps'), heldCount: number('held_count') },
    ...{ stopsSent: number('stops_sent'), peakQueueOctets: number('peak_queue_octets') },
    peakIngressOctets: number('peak_ingress_octets'),
    drops: Object.fromEntries(drops) as Record<string, number>,
  };
}
