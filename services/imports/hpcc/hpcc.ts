import type { ImportNote, WordFile } from '../imported.js';
import { type HpccConfig, isConfig, readConfig } from './config.js';
import { type HpccFlow, isFlows, readFlows } from './flows.js';
import { type HpccTopology, isTopology, readTopology } from './topology.js';

const GIGA = 1e9;
/** Of the buffer that is free, at a port as fast as NICs are (third.cc: a shift by 3). */
const ALPHA = 0.125;

/** Which of the files of HPCC a file is; null: none. */
export function kindOf(file: WordFile): 'topology' | 'flows' | 'config' | null {
  if (isTopology(file)) return 'topology';
  if (isConfig(file)) return 'config';
  return isFlows(file) ? 'flows' : null;
}

/** A scenario of these files, and the tables of its flows. */
export interface ImportedHpcc {
  readonly document: { readonly selvage: number; readonly load: readonly object[] };
  readonly hosts: number;
  readonly tables: ReadonlyMap<string, string>;
  readonly notes: readonly ImportNote[];
}

/** A scenario of a topology, and of flows and a configuration where there are any. */
export function importHpcc(files: {
  readonly topology: WordFile;
  readonly flows: WordFile | null;
  readonly config: WordFile | null;
}): ImportedHpcc {
  const topology = readTopology(files.topology);
  const flows = files.flows && readFlows(files.flows, topology);
  const config = files.config && readConfig(files.config);
  const notes: ImportNote[] = [
    ...files.topology.notes,
    ...(files.flows?.notes ?? []),
    ...(config?.notes ?? []),
  ];
  const priorities = [...new Set(flows?.map(({ priority }) => priority) ?? [])].sort();
  const isLossless = config?.isLossless !== false;
  const flowControl = isLossless ? 'pfc' : 'none';
  const marking = markingOf(topology, files.config, config, notes);
  const document = {
    selvage: 1,
    fabric: fabricOf(topology),
    ...switchesOf(config),
    ...(config !== null &&
      Object.keys(config.controls).length > 0 && { [config.congestion]: config.controls }),
    ...(priorities.length > 0 && {
      priorities: Object.fromEntries(
        priorities.map((priority) => [
          priority,
          { flowControl, ...(isLossless && config !== null && { alpha: ALPHA }), ...marking },
        ]),
      ),
    }),
    load: priorities.map((priority) => loadOf(priority, config)),
    ...faultsOf(topology, config),
    ...(config?.stopS != null && { duration: `${config.stopS}s` }),
  };
  if (priorities.length > 0 && isLossless) {
    const what = `priority groups ${priorities.join(', ')}`;
    const alpha = config === null ? '' : `alpha ${ALPHA} as there at the rate of NICs, `;
    const how = `PFC, ${alpha}headroom of Annex N and not of that program`;
    notes.push({ fate: 'changed', what, how });
  }
  const tables = new Map(
    priorities.map((priority) => [
      tableOf(priority),
      csvOf(flows!.filter((flow) => flow.priority === priority)),
    ]),
  );
  const hosts = topology.isSwitch.filter((own) => !own).length;
  return { document, hosts, tables, notes };
}

function fabricOf({ names, isSwitch, links }: HpccTopology): object {
  return {
    generator: 'none',
    devices: names.map((name, id) => ({ name, kind: isSwitch[id] ? 'switch' : 'host' })),
    links: links.map(({ ends, rate, delay }) => ({ between: ends, rate, delay })),
  };
}

function tableOf(priority: number): string {
  return `flows-${priority}.csv`;
}

function loadOf(priority: number, config: HpccConfig | null): object {
  return {
    replay: tableOf(priority),
    priority,
    transport: transportOf(config),
    ...(config !== null && config.congestion !== 'none' && { congestion: config.congestion }),
  };
}

function transportOf(config: HpccConfig | null): object {
  const settings = { mtu: config?.mtu ?? 1000, ...config?.transport };
  if (config?.isSelective !== true) return { reliable: settings };
  return { selective: { preset: 'irn', ...settings } };
}

function switchesOf(config: HpccConfig | null): object {
  const switches = {
    ...(config?.bufferMb != null && { buffer: { size: `${config.bufferMb}MB` } }),
    ...(config?.balance != null && { ecmp: config.balance }),
  };
  return Object.keys(switches).length === 0 ? {} : { switches };
}

/** Ports mark as those of the commonest rate do that has an entry. */
function markingOf(
  { links }: HpccTopology,
  file: WordFile | null,
  config: HpccConfig | null,
  notes: ImportNote[],
): object {
  if (config?.congestion !== 'dcqcn') return {};
  const counts = new Map<number, number>();
  for (const { rate } of links) {
    const bps = Number(rate.slice(0, -1)) * (rate.endsWith('G') ? GIGA : GIGA / 1000);
    if (config.marking.has(bps)) counts.set(bps, (counts.get(bps) ?? 0) + 1);
  }
  const [commonest] = [...counts].sort(([, a], [, b]) => b - a);
  if (commonest === undefined) {
    const maps = 'KMIN_MAP, KMAX_MAP and PMAX_MAP';
    throw file!.errorAt(1, `CC_MODE 1 needs marks, and ${maps} have no rate of a link together`);
  }
  const [bps] = commonest;
  const { minKb, maxKb, probability } = config.marking.get(bps)!;
  if (counts.size > 1) {
    const how = `all ports have those of ${bps / GIGA}G; ports: has others`;
    notes.push({ fate: 'changed', what: 'marking by rate', how });
  }
  const ecn = { min: `${minKb}KB`, max: `${maxKb}KB`, probability: `${probability * 100}%` };
  return { ecn };
}

function faultsOf({ names, links }: HpccTopology, config: HpccConfig | null): object {
  const lossy = links.flatMap(({ ends, loss }) =>
    loss === 0
      ? []
      : [{ kind: 'loss', where: { link: ends.join(' ') }, probability: `${loss * 100}%` }],
  );
  const { down = null } = config ?? {};
  const cut =
    down === null
      ? []
      : [
          {
            ...{ kind: 'link-down', at: `${down.atUs}us` },
            where: { link: `${names[down.a] ?? down.a} ${names[down.b] ?? down.b}` },
          },
        ];
  const faults = [...lossy, ...cut];
  return faults.length === 0 ? {} : { faults };
}

function csvOf(flows: readonly HpccFlow[]): string {
  const lines = flows.map(({ startPs, source, destination, bytes }) =>
    [`${startPs}ps`, source, destination, bytes].join(','),
  );
  return `${['time,source,destination,bytes', ...lines].join('\n')}\n`;
}
