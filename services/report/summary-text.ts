import type {
  HeadroomTerms,
  PortPriorityResult,
  PortResult,
  PriorityResult,
  RunResults,
} from '../runtime/results/results.js';
import { LENSES, PORT_MEASURES } from '../measures/port-measures.js';
import { having } from '../mechanisms/measure.js';
import { EXCHANGE } from '../mechanisms/registry.js';
import type { ExpectationResult } from './expectations.js';
import { cardsOf, cardText } from './cards.js';
import { discoverySummary } from './discovery-text.js';
import { isPause } from './blocked-text.js';
import { rateTable } from './congestion-tables.js';
import { show } from './expectations.js';
import { liveText, verdictText } from './live-text.js';
import { faultTable } from './fault-text.js';
import { CENSORING_NOTE, GOODPUT_NOTE, REGENERATED_NOTE } from './notes.js';
import { jobText } from './jobs/job-text.js';
import { slotText } from './slot-text.js';
import {
  formatCount,
  formatOctets,
  formatPercentile,
  formatRate,
  formatRatio,
  formatTally,
  formatTime,
} from './format.js';
import type { Style } from './style.js';
import { table } from './table.js';
import { reorderText } from './reorder-text.js';
import { storyOf } from './story.js';
import { stallText } from './stall-text.js';
import { causeText } from './cause-text.js';
import { isStallExpected, isStandstill, isStarved } from './verdict.js';
import { unreachableText } from './unreachable-text.js';
import type { WhySummary } from './why.js';

export type { Style };

const ROWS_SHOWN = 8;

const BLOCKED = LENSES.blocked;
const TRAFFIC = having(PORT_MEASURES, 'ofTraffic');
const BUFFERS = having(PORT_MEASURES, 'ofBuffers').toSorted(
  ([, a], [, b]) => a.ofBuffers.at - b.ofBuffers.at,
);

/** The summary that is printed after a run; `why` is null where episodes were not recorded. */
export function summaryText(
  results: RunResults,
  expectations: readonly ExpectationResult[],
  style: Style,
  why: Pick<WhySummary, 'trees' | 'faults'> | null = null,
): string {
  const cards = cardsOf(results);
  return [
    headline(results, expectations, style),
    storyOf(results, why),
    failureText(results, style),
    warningText(results, style),
    stallText(results, style),
    causeText(results, style),
    unreachableText(results, style),
    liveText(results, style),
    trafficText(results, style),
    reorderText(results, style),
    jobText(results.jobs, style),
    blockedTable(results, style),
    memoryTable(results, style),
    marginTable(results, style),
    discoverySummary(results.discovery, style),
    ...cards.filter(({ isProblem }) => isProblem !== true).map((card) => cardText(card, style)),
    rateTable(results, style),
    slotText(results, style),
    faultTable(results, style, why?.faults ?? []),
    ...cards.filter(({ isProblem }) => isProblem === true).map((card) => cardText(card, style)),
    expectationList(expectations, style),
    digestText(results),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** With the plugins without which another run cannot reproduce it. */
function digestText({ plugins, digest }: RunResults): string {
  const named = plugins.map(({ name, file, sha256 }) => `plugin ${name} ${sha256} (${file})`);
  return [...named, `digest ${digest}`].join('\n');
}

function headline(
  results: RunResults,
  expectations: readonly ExpectationResult[],
  style: Style,
): string {
  const { scenario, status, virtualPs, frameHops, devices, links } = results;
  const isExpected = (isStandstill(results) || isStarved(results)) && isStallExpected(expectations);
  const text = isExpected ? `${status}, as expected` : verdictText(results);
  const isGood = status === 'complete' || status === 'live' || isExpected;
  const mark = isGood ? style.good(text) : style.bad(text);
  const size = `${formatCount(devices)} devices, ${formatCount(links)} links`;
  const did = `${formatTime(virtualPs)} of virtual time, ${formatCount(frameHops)} frame-hops`;
  return `${style.strong(scenario)}  ${mark}\n${size}; ${did}`;
}

function failureText({ failure }: RunResults, style: Style): string {
  if (failure === null) return '';
  const { reason, timePs, device, port, priority } = failure;
  const where = [port === '' ? device : port, priority === null ? '' : `priority ${priority}`];
  const place = where.filter((part) => part !== '').join(', ');
  return style.bad(
    `FAILED at ${formatTime(timePs)}${place === '' ? '' : ` on ${place}`}: ${reason}`,
  );
}

function warningText(results: RunResults, style: Style): string {
  const lines = results.warnings.map(({ message, load }) => {
    const own = results.flows.filter((flow) => flow.load === load);
    const resent = own.reduce((sum, flow) => sum + flow.retransmittedFrames, 0);
    const sent = own.reduce((sum, flow) => sum + flow.sentFrames, 0) - resent;
    const did = `${formatCount(resent)} frames retransmitted for ${formatCount(sent)}`;
    return style.bad(`WARNING ${message}${resent === 0 ? '' : ` (${did})`}`);
  });
  return lines.join('\n');
}

function trafficText(results: RunResults, style: Style): string {
  const { priorities } = results;
  const rows = priorities.map((p) => [
    `${p.priority} ${p.flowControl}`,
    formatRate(p.goodputBps),
    formatCount(p.deliveredFrames),
    formatTally(p.finished),
    formatPercentile(p.completionPs, 'p50', formatTime),
    formatPercentile(p.completionPs, 'p99', formatTime),
    formatPercentile(p.completionPs, 'p999', formatTime),
    formatPercentile(p.slowdown, 'p99', formatRatio),
    formatCount(Object.values(p.drops).reduce((a, b) => a + b, 0)),
    ...TRAFFIC.map(([key]) => formatCount(p[key])),
  ]);
  const head = [
    ...['priority', 'goodput', 'frames', 'done', 'FCT p50', 'p99', 'p99.9', 'slowdown p99'],
    ...['drops', ...TRAFFIC.map(([, { ofTraffic }]) => ofTraffic)],
  ];
  const drops = priorities.flatMap((p) =>
    Object.entries(p.drops).map(
      ([reason, count]) => `  priority ${p.priority}: ${formatCount(count)} dropped, ${reason}`,
    ),
  );
  return [
    style.strong('Traffic'),
    table(head, rows),
    ...drops,
    ...loadTable(results),
    `  ${GOODPUT_NOTE}`,
    ...censoringNote(priorities),
    ...regeneratedNote(priorities),
  ].join('\n');
}

function loadTable({ loads }: RunResults): string[] {
  const rows = loads
    .slice(0, ROWS_SHOWN)
    .map(({ load, goodputBps, flows, finished, perFlowBps: { min, p50, max } }) => [
      load === '' ? '–' : load,
      formatRate(goodputBps),
      formatCount(flows),
      formatTally(finished),
      ...[min, p50, max].map(formatRate),
    ]);
  const head = ['load', 'goodput', 'flows', 'done', 'per flow min', 'p50', 'max'];
  return [table(head, rows), more(loads.length)].filter((part) => part !== '');
}

/** Where a priority has payload and no frames: all that loads send as it arrives as another. */
function regeneratedNote(priorities: readonly PriorityResult[]): string[] {
  const isChanged = priorities.some((own) => own.goodputBps > 0 && own.deliveredFrames === 0);
  return isChanged ? [`  ${REGENERATED_NOTE}`] : [];
}

/** Only where a percentile is not known. */
function censoringNote(priorities: readonly PriorityResult[]): string[] {
  const isCensored = priorities.some(({ completionPs }) => completionPs?.max === null);
  return isCensored ? [`  ${CENSORING_NOTE}`] : [];
}

interface PortRow {
  readonly port: PortResult;
  readonly row: PortPriorityResult;
}

function portRows(results: RunResults): PortRow[] {
  return results.ports.flatMap((port) => port.priorities.map((row) => ({ port, row })));
}

/** Ports that a link partner paused, and ports to which it granted nothing. */
function blockedTable(results: RunResults, style: Style): string {
  const blocked = portRows(results)
    .filter(({ row }) => row.blockedCount > 0)
    .sort((a, b) => b.row[BLOCKED] - a.row[BLOCKED]);
  if (blocked.length === 0) return '';
  const isPaused = pausedIn(results);
  const paused = blocked.filter(isPaused).length;
  const isMixed = paused > 0 && paused < blocked.length;
  const [title, column] = isMixed
    ? [`Paused or blocked on ${EXCHANGE}`, 'port']
    : paused > 0
      ? ['Pause', 'paused port']
      : [`Blocked on ${EXCHANGE}`, 'blocked port'];
  const rows = blocked
    .slice(0, ROWS_SHOWN)
    .map(({ port, row }) => [
      port.port,
      String(row.priority),
      ...(isMixed ? [isPaused({ port, row }) ? 'paused' : 'blocked'] : []),
      formatTime(row[BLOCKED]),
      results.virtualPs > 0 ? `${((100 * row[BLOCKED]) / results.virtualPs).toFixed(1)} %` : '–',
      formatCount(row.blockedCount),
      port.peer,
    ]);
  const state = isMixed ? ['state'] : [];
  const head = [column, 'priority', ...state, 'time', 'of the run', 'times', 'by'];
  return [style.strong(`${title}, worst first`), table(head, rows), more(blocked.length)]
    .filter((part) => part !== '')
    .join('\n');
}

/** A priority with grants is blocked for want of them, unless its link partner pauses it. */
function pausedIn({ ports, priorities }: RunResults): (blocked: PortRow) => boolean {
  const granted = new Set(
    priorities
      .filter(({ flowControl }) => !isPause(flowControl) && flowControl !== 'none')
      .map(({ priority }) => priority),
  );
  const pausing = new Set(
    ports.flatMap(({ port, priorities: rows }) =>
      rows.filter(({ stopsSent }) => stopsSent > 0).map(({ priority }) => `${port} ${priority}`),
    ),
  );
  return ({ port, row }) =>
    !granted.has(row.priority) || pausing.has(`${port.peer} ${row.priority}`);
}

function memoryTable(results: RunResults, style: Style): string {
  const full = [...results.buffers].sort((a, b) => b.peakPoolOctets - a.peakPoolOctets);
  if (full.length === 0) return '';
  const peak = (device: string, octets: (row: PortPriorityResult) => number): string => {
    const own = portRows(results).filter(({ port }) => port.device === device);
    const worst = own.reduce<PortRow | null>(
      (a, b) => (a === null || octets(b.row) > octets(a.row) ? b : a),
      null,
    );
    if (worst === null || octets(worst.row) === 0) return '0';
    return `${formatOctets(octets(worst.row))} ${worst.port.port}`;
  };
  const rows = full
    .slice(0, ROWS_SHOWN)
    .map(({ device, poolOctets, peakPoolOctets }) => [
      device,
      formatOctets(peakPoolOctets),
      formatOctets(poolOctets),
      ...BUFFERS.map(([key]) => peak(device, (row) => row[key])),
    ]);
  const head = [
    'switch',
    'pool peak',
    'of',
    ...BUFFERS.map(([, { ofBuffers }]) => ofBuffers.label),
  ];
  return [style.strong('Buffers, fullest first'), table(head, rows), more(full.length)]
    .filter((part) => part !== '')
    .join('\n');
}

function marginTable({ margins }: RunResults, style: Style): string {
  const [worst] = margins;
  if (worst === undefined) return '';
  const left = (m: (typeof margins)[number]): number => m.headroomOctets - m.headroomUsedOctets;
  const tight = [...margins].sort(
    (a, b) => left(a) - left(b) || b.peakOctets / b.xoffOctets - a.peakOctets / a.xoffOctets,
  );
  const rows = tight
    .slice(0, ROWS_SHOWN)
    .map((m) => [
      m.port,
      String(m.priority),
      formatOctets(m.xoffOctets),
      formatOctets(m.peakOctets),
      formatOctets(m.headroomUsedOctets),
      formatOctets(m.headroomOctets),
      formatOctets(m.needed.totalOctets),
    ]);
  const head = ['lossless port', 'priority', 'XOFF', 'peak', 'headroom used', 'has', 'needs'];
  const [first] = tight;
  return [
    style.strong('Margins, tightest first (XOFF while the pool is idle)'),
    table(head, rows),
    more(margins.length),
    `  ${first!.port} needs ${termsText(first!.needed)}`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** The formula with its values. */
function termsText(terms: HeadroomTerms): string {
  const parts: readonly [string, number][] = [
    ['frame in the way', terms.waitOctets],
    ['control frame', terms.controlOctets],
    ['link both ways', terms.linkOctets],
    ['interfaces', terms.interfaceOctets],
    ['pipeline', terms.pipelineOctets],
    ['response', terms.responseOctets],
    ['frame begun', terms.frameOctets],
    ['frame at a full pool', terms.fullPoolOctets],
    ['cells', terms.cellOctets],
  ];
  const shown = parts.filter(([, octets]) => octets > 0);
  const text = shown.map(([name, octets]) => `${name} ${formatCount(octets)}`).join(' + ');
  return `${formatCount(terms.totalOctets)} bytes =\n    ${text}`;
}

function expectationList(expectations: readonly ExpectationResult[], style: Style): string {
  if (expectations.length === 0) return '';
  const lines = expectations.map(({ text, metric, actual, ok, reason }) => {
    const measured = reason ?? `is ${show(metric, actual)}`;
    return `  ${ok ? style.good('pass') : style.bad('FAIL')}  ${text}: ${measured}`;
  });
  return [style.strong('Expectations'), ...lines].join('\n');
}

function more(count: number): string {
  return count > ROWS_SHOWN ? `  and ${formatCount(count - ROWS_SHOWN)} more` : '';
}
