/** Neighbors and DCBX as tables, much as lldpctl and dcb print them; paths with their reasons. */

import type {
  DcbxResult,
  DiscoveryPortResult,
  DiscoveryResults,
  EtsResult,
  PfcResult,
} from '../runtime/results/discovery-results.js';
import type { DcbxCells } from './page/page-data.js';
import type { PathResult } from '../runtime/results/path-methods.js';
import type { Style } from './style.js';
import { formatCount, formatTime } from './format.js';
import { table } from './table.js';

const ROWS_SHOWN = 8;
const STRICT_GROUP = 15;

export function neighborsText({ ports }: DiscoveryResults): string {
  const rows = ports.flatMap(({ port, neighbors, tooManyNeighbors }) => {
    if (neighbors.length === 0) return [[port, '–', '–', '–', '–', '–']];
    return neighbors.map((neighbor) => [
      port,
      neighbor.systemName ?? '–',
      neighbor.portId,
      neighbor.chassisId,
      neighbor.capabilities.join(', '),
      `${neighbor.ttlSeconds} s${tooManyNeighbors ? ' (too many)' : ''}`,
    ]);
  });
  return table(['port', 'system', 'its port', 'chassis', 'is a', 'lives'], rows);
}

export function dcbxText({ ports, convergence, lldpdus }: DiscoveryResults, style: Style): string {
  const head = ['port', 'dcbx', 'PFC local', 'remote', 'operational', 'ETS local', 'remote'];
  const rows = ports.map((port) => {
    const { pfc, ets, credit } = dcbxCells(port);
    const { mismatches, hardware } = port;
    const inHardware =
      hardware === null ? [] : [`hardware ${etsText({ ...hardware, willing: false })}`];
    const wrong = [...mismatches, ...inHardware];
    const mismatch = wrong.length === 0 ? '' : style.bad(wrong.join(', '));
    return [port.port, port.dcbx, ...pfc, ...ets, credit, mismatch];
  });
  const settled = convergence.map(({ fromPs, durationPs }) =>
    fromPs === 0
      ? `settled in ${formatTime(durationPs)}`
      : `after the change at ${formatTime(fromPs)} in ${formatTime(durationPs)}`,
  );
  return [
    table([...head, 'operational', 'credit', 'mismatch'], rows),
    machinesTable(ports),
    `  w: willing; [classes of priorities 0 to 7, s: strict]; ${settled.join(', ')}; ` +
      `${formatCount(lldpdus)} LLDPDUs`,
  ].join('\n\n');
}

function machinesTable(ports: readonly DiscoveryPortResult[]): string {
  const rows = ports.map(({ port, machines }) => {
    const { transmit, transmitTimer, receive, ets, pfc, cee } = machines;
    const features =
      cee === null
        ? '–'
        : `${cee.sequence}/${cee.acknowledged} ${cee.groups}, ${cee.pfc}, ${cee.applications}`;
    return [port, transmit, transmitTimer, receive, ets, pfc, features];
  });
  const head = ['port', 'transmit', 'its timer', 'receive', 'ETS', 'PFC'];
  return table([...head, 'CEE: seq/ack, groups, PFC, applications'], rows);
}

/** DCBX of a port: local, remote, operational. */
export function dcbxCells(port: DiscoveryPortResult): DcbxCells {
  return {
    pfc: [
      pfcText(port.local.pfc),
      pfcText(port.remote?.pfc ?? null),
      `${pfcText({ ...port.operational.pfc!, willing: false })} ${from(port.pfcFrom)}`,
    ],
    ets: [
      etsText(port.local.ets),
      etsText(port.remote?.ets ?? null),
      `${etsText(withoutWill(port.operational))} ${from(port.etsFrom)}`,
    ],
    credit: creditText(port.credit),
  };
}

/** Only ports that differ from their neighbors. */
export function mismatching(results: DiscoveryResults): DiscoveryResults {
  const ports = results.ports.filter(({ mismatches }) => mismatches.length > 0);
  return { ...results, ports };
}

export function pathsText(paths: readonly PathResult[], style: Style): string {
  return paths
    .map(({ from: source, to, priority, verdict, because, hops, ...path }) => {
      const isBad = verdict === 'lossy' || verdict === 'refused';
      const mark = isBad ? style.bad(verdict) : style.good(verdict);
      const reason = because.length === 0 ? '' : `: ${because.join('; ')}`;
      const rows = hops.map(({ link, method, why }) => [link, method, why]);
      const title = `${style.strong(`${source} to ${to}, priority ${priority}`)}  ${mark}${reason}`;
      const settled = `  ${settledText(path)}; ${formatCount(path.lldpdus)} LLDPDUs of its ports`;
      return `${title}\n${table(['link', 'method', 'why'], rows)}\n${settled}`;
    })
    .join('\n\n');
}

/** At the beginning, and after each change that involved the path. */
function settledText({ convergencePs }: Pick<PathResult, 'convergencePs'>): string {
  const times = convergencePs.flatMap((ps) => (ps === null ? [] : formatTime(ps)));
  return times.length === 0 ? 'never settled' : `settled in ${times.join(', then ')}`;
}

function pfcText(pfc: PfcResult | null): string {
  if (pfc === null) return '–';
  const { priorities, willing } = pfc;
  return `${priorities.length === 0 ? 'none' : priorities.join(',')}${willing ? ' w' : ''}`;
}

/** Classes with a share, and the rest in one word. */
function etsText(ets: EtsResult | null): string {
  if (ets === null) return '–';
  const shared = ets.shares.flatMap((share, tc) =>
    typeof share === 'number' && share > 0 ? [`${tc}:${share}%`] : [],
  );
  const text = shared.length === 0 ? String(ets.shares[0]) : shared.join(' ');
  const map = ets.classOf.every((tc, priority) => tc === priority)
    ? ''
    : ` [${ets.classOf.map(classText).join('')}]`;
  return `${text}${map}${ets.willing ? ' w' : ''}`;
}

/** CEE has a group 15, which is strict. */
function classText(tc: number): string {
  return tc === STRICT_GROUP ? 's' : String(tc);
}

function withoutWill({ ets }: DcbxResult): EtsResult | null {
  return ets && { ...ets, willing: false };
}

function creditText({ priorities, cbfc }: DiscoveryPortResult['credit']): string {
  const parts = [
    ...(priorities === 0 ? [] : [maskText(priorities)]),
    ...(cbfc === 0 ? [] : [`${maskText(cbfc)} CBFC`]),
  ];
  return parts.join(', ') || '–';
}

function maskText(mask: number): string {
  return [0, 1, 2, 3, 4, 5, 6, 7].filter((p) => (mask & (1 << p)) !== 0).join(',');
}

function from(side: DiscoveryPortResult['pfcFrom']): string {
  return `(${side})`;
}

/** Links on which flows wait for an agreement, what it lacks, and what helps. */
function blockedText({ blocked }: DiscoveryResults, style: Style): string[] {
  if (blocked.length === 0) return [];
  const shown = blocked.slice(0, ROWS_SHOWN);
  const more = blocked.length - shown.length;
  return [
    ...shown.map(
      ({ link, priority, why }) =>
        `  ${style.bad('blocked')} ${link}, priority ${priority}: ${why}`,
    ),
    ...(more > 0 ? [`  and ${formatCount(more)} more`] : []),
    '  remedy: discovery.status: both at both ends, and the same flow control; or ' +
      'discovery.drives: false',
  ];
}

/** Of the summary: when it had settled, and what is at risk. */
export function discoverySummary(discovery: DiscoveryResults | null, style: Style): string {
  if (discovery === null) return '';
  const lines = discovery.convergence.map(({ fromPs, durationPs }) => {
    const when = fromPs === 0 ? 'at the start' : `after the change at ${formatTime(fromPs)}`;
    return `  ${when}: settled in ${formatTime(durationPs)}`;
  });
  const blocked = blockedText(discovery, style);
  const differing = discovery.ports.filter(({ mismatches }) => mismatches.length > 0);
  const odd = differing
    .slice(0, ROWS_SHOWN)
    .map(
      ({ port, mismatches }) => `  ${style.bad('mismatch')} at ${port}: ${mismatches.join(', ')}`,
    );
  const exposed = discovery.ports.filter((port) => port.exposedFrames.some((n) => n > 0));
  const risks = exposed.slice(0, ROWS_SHOWN).map(({ port, exposedFrames, exposedPs }) => {
    const by = exposedFrames.flatMap((n, p) => {
      const { fromPs, untilPs } = exposedPs[p]!;
      const end = untilPs === null ? 'the end' : formatTime(untilPs);
      return n > 0 ? `${formatCount(n)} of priority ${p}, ${formatTime(fromPs)} to ${end},` : [];
    });
    const why = 'while only one end had PFC for it';
    return `  ${style.bad('at risk')} at ${port}: ${by.join(' ')} ${why}`;
  });
  const head = `${style.strong('Discovery')}: ${formatCount(discovery.lldpdus)} LLDPDUs`;
  const more = (rows: number): string =>
    rows > ROWS_SHOWN ? `  and ${formatCount(rows - ROWS_SHOWN)} more` : '';
  return [
    head,
    ...lines,
    ...blocked,
    ...odd,
    more(differing.length),
    ...risks,
    more(exposed.length),
  ]
    .filter((line) => line !== '')
    .join('\n');
}
