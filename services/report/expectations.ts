import { didYouMean } from '../settings/errors.js';
import type { Expectation, Metric } from '../fabric/scenario/scenario.js';
import { matchesGlob } from '../fabric/scenario/selector.js';
import type { SliceMetric } from '../mechanisms/mechanism-slice.js';
import { MECHANISM_METRICS, type MechanismMetric } from '../mechanisms/registry.js';
import {
  completionOf,
  goodputOf,
  slowdownOf,
  tallyOf,
} from '../measures/flow-statistics.js';
import type {
  FlowResult,
  Percentiles,
  PortPriorityResult,
  PortResult,
  Ranks,
  RunResults,
} from '../runtime/results/results.js';
import { isJobMetric, JOB_METRICS, measureJobs } from './jobs/job-metrics.js';
import { formatOctets, formatRate, formatShare, formatTime } from './format.js';

export interface ExpectationResult {
  readonly text: string;
  readonly metric: Metric;
  /** The measured value, in base units; null where there is none. */
  readonly actual: number | string | null;
  readonly ok: boolean;
  /** Why it cannot hold, beside the measured value; null if it can. */
  readonly reason: string | null;
}

type Unit = 'count' | 'time' | 'rate' | 'octets' | 'share' | 'ratio' | 'text';

/** What each metric means: shown by `selvage explain`, and the unit that it is in. */
export const METRICS: Readonly<Record<Metric, { readonly unit: Unit; readonly meaning: string }>> =
  {
    drops: { unit: 'count', meaning: 'frames dropped for want of buffer' },
    'lossless-drops': {
      unit: 'count',
      meaning: 'frames of lossless priorities dropped for want of buffer',
    },
    completed: { unit: 'share', meaning: 'share of the flows with a volume that are complete' },
    'completion.p50': { unit: 'time', meaning: 'median FCT of flows with a volume' },
    'completion.p99': { unit: 'time', meaning: 'FCT that 99 % of the flows keep' },
    'completion.p99.9': { unit: 'time', meaning: 'FCT that 99.9 % of the flows keep' },
    'completion.max': { unit: 'time', meaning: 'longest FCT' },
    'slowdown.p50': { unit: 'ratio', meaning: 'median of FCT over the FCT in an idle fabric' },
    'slowdown.p99': { unit: 'ratio', meaning: 'slowdown that 99 % of the flows keep' },
    throughput: { unit: 'rate', meaning: 'the same as goodput' },
    goodput: {
      unit: 'rate',
      meaning:
        'payload of the chosen flows over the time they were offered, to their end if all of ' +
        'them finished, else to the end of the run',
    },
    share: {
      unit: 'share',
      meaning: 'payload of the chosen flows as a share of that of all flows',
    },
    'latency.mean': { unit: 'time', meaning: 'mean time of raw frames from release to arrival' },
    'latency.max': { unit: 'time', meaning: 'longest time of a raw frame from release to arrival' },
    'pause.time': {
      unit: 'time',
      meaning: 'time that a priority of a port was paused, for the worst one',
    },
    'pause.frames': { unit: 'count', meaning: 'pause frames sent (802.3 Annexes 31B and 31D)' },
    marked: { unit: 'count', meaning: 'frames marked CE by switches (RFC 3168)' },
    notifications: {
      unit: 'count',
      meaning: 'congestion notifications (CNP, CNM) that senders received',
    },
    'peak.ingress': { unit: 'octets', meaning: 'fullest ingress buffer' },
    'peak.egress': { unit: 'octets', meaning: 'longest egress queue' },
    'headroom.used': { unit: 'octets', meaning: 'most headroom in use by a priority of a port' },
    convergence: {
      unit: 'time',
      meaning: 'longest time in which discovery settled at all ports, after any change',
    },
    mismatches: {
      unit: 'count',
      meaning: 'ports whose configuration does not match that of the link partner',
    },
    exposed: {
      unit: 'count',
      meaning: 'frames that came while only the receiving end might pause their priority',
    },
    lldpdus: { unit: 'count', meaning: 'LLDPDUs sent' },
    'stalled-flows': {
      unit: 'count',
      meaning: 'flows that have stopped progressing at the end, with data still to deliver',
    },
    'starved-flows': {
      unit: 'count',
      meaning: 'flows that stand still since a port serves other classes before theirs',
    },
    deadlocks: { unit: 'count', meaning: 'cyclic buffer dependencies' },
    storms: {
      unit: 'count',
      meaning: 'times that a priority of a port was paused longer than observe.storm',
    },
    unreachable: {
      unit: 'count',
      meaning: 'incomplete flows without a route to their destination at the end',
    },
    'watchdog.drops': {
      unit: 'count',
      meaning: 'frames lost to watchdogs, dropped or sent where no room was left',
    },
    'fault-drops': { unit: 'count', meaning: 'frames lost to faults and errors of links' },
    ...JOB_METRICS,
    ...MECHANISM_METRICS,
    digest: { unit: 'text', meaning: 'hash over everything that every device executed' },
  };

export function evaluateExpectations(
  expectations: readonly Expectation[],
  results: RunResults,
): ExpectationResult[] {
  return expectations.map((expectation) => evaluate(expectation, results));
}

function evaluate(expectation: Expectation, results: RunResults): ExpectationResult {
  const { metric } = expectation;
  const text = textOf(expectation);
  const stray = strayFilter(expectation, results);
  if (stray !== null) return { text, metric, actual: null, ok: false, reason: stray };
  const flows = results.flows.filter((flow) => flowMatches(expectation, flow));
  if (isRank(metric)) return evaluateRank(expectation, flows, RANKS[metric]);
  const actual = isOfMechanism(metric)
    ? measureOfMechanism(metric, expectation, results)
    : measure(metric, expectation, results, flows);
  const ok = actual !== null && holds(expectation, actual);
  return { text, metric, actual, ok, reason: actual === null ? NOTHING : null };
}

const NOTHING = 'there is nothing to measure';

/** Metrics that are percentiles over flows. */
const RANKS = {
  'completion.p50': [completionOf, 'p50'],
  'completion.p99': [completionOf, 'p99'],
  'completion.p99.9': [completionOf, 'p999'],
  'completion.max': [completionOf, 'max'],
  'slowdown.p50': [slowdownOf, 'p50'],
  'slowdown.p99': [slowdownOf, 'p99'],
} as const satisfies Partial<Record<Metric, FlowRank>>;

type FlowRank = readonly [
  (flows: readonly FlowResult[]) => Percentiles | null,
  keyof Ranks<number>,
];
type RankMetric = keyof typeof RANKS;

function isRank(metric: Metric): metric is RankMetric {
  return metric in RANKS;
}

/** Where a percentile falls among unfinished flows, only its lower bound is known. */
function evaluateRank(
  expectation: Expectation,
  flows: readonly FlowResult[],
  [percentilesOf, rank]: FlowRank,
): ExpectationResult {
  const { metric, min, max, equals } = expectation;
  const text = textOf(expectation);
  const percentiles = percentilesOf(flows);
  if (percentiles === null) return { text, metric, actual: null, ok: false, reason: NOTHING };
  const actual = percentiles[rank];
  if (actual !== null) {
    return { text, metric, actual, ok: holds(expectation, actual), reason: null };
  }
  const { count, total, atLeast } = percentiles;
  const ok = equals === null && max === null && atLeast[rank] >= (min ?? 0);
  const least = show(metric, atLeast[rank]);
  const reason = `is > ${least}: ${total - count} of ${total} flows did not finish`;
  return { text, metric, actual: null, ok, reason };
}

function holds({ min, max, equals }: Expectation, actual: number | string): boolean {
  if (equals !== null) return actual === equals;
  if (typeof actual === 'string') return false;
  return (min === null || actual >= min) && (max === null || actual <= max);
}

/** A filter without matches is reported: an expectation of nothing would always hold. */
function strayFilter(expectation: Expectation, results: RunResults): string | null {
  const checks: readonly [string, string | null, readonly string[]][] = [
    [
      'load',
      expectation.load,
      [...results.flows.map((flow) => flow.load), ...results.jobs.map(({ job }) => job)],
    ],
    ['flow', expectation.flow, results.flows.map((flow) => flow.name)],
    ['device', expectation.device, results.deviceDigests.map(({ device }) => device)],
    ['port', expectation.port, results.ports.map(({ port }) => port)],
  ];
  for (const [what, wanted, names] of checks) {
    if (wanted === null || names.some((name) => matchesGlob(wanted, name))) continue;
    return `no ${what} is called ${wanted}${didYouMean(wanted, names)}`;
  }
  return null;
}

function isOfMechanism(metric: Metric): metric is MechanismMetric {
  return metric in MECHANISM_METRICS;
}

function measureOfMechanism(
  metric: MechanismMetric,
  { device, port, priority }: Expectation,
  results: RunResults,
): number | null {
  const own: SliceMetric<object> = MECHANISM_METRICS[metric];
  return own.measure(results, {
    device: (name) => device === null || matchesGlob(device, name),
    port: (name) => port === null || matchesGlob(port, name),
    priority: (one) => priority === null || one === priority,
  });
}

function measure(
  metric: Exclude<Metric, RankMetric | MechanismMetric>,
  expectation: Expectation,
  results: RunResults,
  flows: readonly FlowResult[],
): number | string | null {
  if (isJobMetric(metric)) return measureJobs(metric, results, expectation.load);
  const rows = portRows(expectation, results);
  switch (metric) {
    case 'digest':
      return results.digest;
    case 'stalled-flows': {
      const chosen = new Set(flows.map(({ flow }) => flow));
      return results.stalls.filter(({ flow }) => chosen.has(flow)).length;
    }
    case 'starved-flows':
      return flows.filter(({ cause }) => cause?.word === 'starved' && cause.standsStill).length;
    case 'deadlocks':
      return results.deadlocks.length;
    case 'storms':
      return results.storms.length;
    case 'drops':
      return sum(rows.map(({ row }) => dropsOf(row, BUFFER_REASONS)));
    case 'lossless-drops':
      return sum(rows.map(({ row }) => row.drops['headroom-exhausted'] ?? 0));
    case 'fault-drops':
      return sum(rows.map(({ row }) => dropsOf(row, FAULT_REASONS)));
    case 'unreachable':
      return flows.filter(({ unreachableAt }) => unreachableAt !== null).length;
    case 'watchdog.drops':
      return sum(rows.map(({ row }) => dropsOf(row, WATCHDOG_REASONS)));
    case 'completed': {
      const { done, total } = tallyOf(flows);
      return total === 0 ? null : done / total;
    }
    case 'throughput':
    case 'goodput':
      return goodputOf(flows);
    case 'share': {
      const all = sum(results.flows.map((flow) => flow.payloadOctets));
      return all === 0 ? null : sum(flows.map((flow) => flow.payloadOctets)) / all;
    }
    case 'latency.mean':
      return meanLatency(flows);
    case 'latency.max':
      return greatest(flows.flatMap((flow) => flow.latencyMaxPs ?? []));
    case 'pause.time':
      return greatest([0, ...rows.map(({ row }) => row.blockedPs)]);
    case 'pause.frames':
      return controlFrames(expectation, results, rows);
    case 'marked':
      return sum(rows.map(({ row }) => row.markedFrames));
    case 'notifications': {
      const chosen = new Set(flows.map(({ flow }) => flow));
      const rates = results.rates.filter(({ flow }) => chosen.has(flow));
      return sum(rates.map(({ notifications }) => notifications));
    }
    case 'peak.ingress':
      return greatest([0, ...rows.map(({ row }) => row.peakIngressOctets)]);
    case 'peak.egress':
      return greatest([0, ...rows.map(({ row }) => row.peakQueueOctets)]);
    case 'headroom.used':
      return greatest([
        0,
        ...results.margins
          .filter((margin) => marginMatches(expectation, margin))
          .map((margin) => margin.headroomUsedOctets),
      ]);
    case 'convergence':
    case 'mismatches':
    case 'exposed':
    case 'lldpdus':
      return discovered(metric, expectation, results);
  }
}

type DiscoveryMetric = 'convergence' | 'mismatches' | 'exposed' | 'lldpdus';

function discovered(
  metric: DiscoveryMetric,
  { device, port: name, priority }: Expectation,
  { discovery }: RunResults,
): number | null {
  if (discovery === null) return null;
  const ports = discovery.ports
    .filter((port) => device === null || matchesGlob(device, port.device))
    .filter(({ port }) => name === null || matchesGlob(name, port));
  switch (metric) {
    case 'convergence':
      return greatest(
        ports.flatMap(({ convergencePs }) => convergencePs.flatMap((ps) => ps ?? [])),
      );
    case 'mismatches':
      return ports.filter(({ mismatches }) => mismatches.length > 0).length;
    case 'exposed':
      return sum(
        ports.flatMap(({ exposedFrames }) =>
          priority === null ? exposedFrames : exposedFrames[priority]!,
        ),
      );
    case 'lldpdus':
      return sum(ports.map(({ statistics }) => statistics.statsFramesOutTotal));
  }
}

function flowMatches(expectation: Expectation, flow: FlowResult): boolean {
  const { priority, load, flow: name, device } = expectation;
  return (
    (priority === null || flow.priority === priority) &&
    (load === null || matchesGlob(load, flow.load)) &&
    (name === null || matchesGlob(name, flow.name)) &&
    (device === null || matchesGlob(device, flow.source) || matchesGlob(device, flow.destination))
  );
}

interface PortRow {
  readonly port: PortResult;
  readonly row: PortPriorityResult;
}

function portRows(expectation: Expectation, results: RunResults): PortRow[] {
  const { priority, device, port: name } = expectation;
  return results.ports
    .filter((port) => device === null || matchesGlob(device, port.device))
    .filter((port) => name === null || matchesGlob(name, port.port))
    .flatMap((port) => port.priorities.map((row) => ({ port, row })))
    .filter(({ row }) => priority === null || row.priority === priority);
}

function marginMatches(
  { priority, device, port }: Expectation,
  margin: { readonly port: string; readonly priority: number },
): boolean {
  return (
    (priority === null || margin.priority === priority) &&
    (port === null || matchesGlob(port, margin.port)) &&
    (device === null || matchesGlob(device, margin.port.slice(0, margin.port.lastIndexOf(':'))))
  );
}

/** Control frames of the ports; of one priority, those that name it. */
function controlFrames(
  expectation: Expectation,
  results: RunResults,
  rows: readonly PortRow[],
): number {
  if (expectation.priority !== null) return sum(rows.map(({ row }) => row.stopsSent));
  const ports = new Set(rows.map(({ port }) => port.port));
  return sum(results.ports.filter(({ port }) => ports.has(port)).map((port) => port.controlSent));
}

const BUFFER_REASONS = [
  'headroom-exhausted',
  'ingress-threshold',
  'egress-threshold',
  'buffer-full',
  'no-slot',
  'no-temporary-slot',
  'wred',
] as const;

const FAULT_REASONS = [
  'link-down',
  'lost-on-link',
  'fcs-error',
  'poisoned',
  'device-reset',
  'overflow-by-fault',
  'port-down',
  'unreachable',
  'not-granted',
  'link-not-ready',
] as const;

const WATCHDOG_REASONS = ['watchdog', 'overflow-by-watchdog'] as const;

function dropsOf({ drops }: PortPriorityResult, reasons: readonly string[]): number {
  return sum(reasons.map((reason) => drops[reason] ?? 0));
}

function meanLatency(flows: readonly FlowResult[]): number | null {
  const measured = flows.filter((flow) => flow.latencyMeanPs !== null);
  const frames = sum(measured.map((flow) => flow.frames));
  const total = sum(measured.map((flow) => flow.latencyMeanPs! * flow.frames));
  return frames === 0 ? null : total / frames;
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}

function greatest(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((a, b) => Math.max(a, b));
}

function textOf(expectation: Expectation): string {
  const { metric, min, max, equals } = expectation;
  const of = (['priority', 'load', 'flow', 'device', 'port'] as const)
    .flatMap((key) => (expectation[key] === null ? [] : [`${key} ${expectation[key]}`]))
    .join(', ');
  const bounds = [
    ...(equals === null ? [] : [`= ${typeof equals === 'string' ? equals : show(metric, equals)}`]),
    ...(min === null ? [] : [`>= ${show(metric, min)}`]),
    ...(max === null ? [] : [`<= ${show(metric, max)}`]),
  ];
  return `${metric}${of === '' ? '' : ` (${of})`} ${bounds.join(' and ')}`;
}

/** A value of a metric in its usual unit. */
export function show(metric: Metric, value: number | string | null): string {
  if (value === null) return 'nothing';
  if (typeof value === 'string') return value;
  switch (METRICS[metric].unit) {
    case 'time':
      return formatTime(value);
    case 'rate':
      return formatRate(value);
    case 'octets':
      return formatOctets(value);
    case 'share':
      return formatShare(value);
    case 'ratio':
      return `${value.toFixed(2)}x`;
    case 'count':
    case 'text':
      return String(value);
  }
}
