import { didYouMean } from '../settings/errors.js';
import { METRICS } from '../fabric/scenario/metrics.js';
import type { Expectation } from '../fabric/scenario/scenario.js';
import { matchesGlob } from '../fabric/scenario/selector.js';
import type { Censored, ChosenRows, Metric } from '../mechanisms/metric.js';
import type { RunResults } from '../runtime/results/results.js';
import { formatOctets, formatRate, formatShare, formatTime } from './format.js';

export interface ExpectationResult {
  readonly text: string;
  readonly metric: string;
  /** The measured value, in base units; null where there is none. */
  readonly actual: number | string | null;
  readonly ok: boolean;
  /** Why it cannot hold, beside the measured value; null if it can. */
  readonly reason: string | null;
}

export function evaluateExpectations(
  expectations: readonly Expectation[],
  results: RunResults,
): ExpectationResult[] {
  return expectations.map((expectation) => evaluate(expectation, results));
}

function evaluate(expectation: Expectation, results: RunResults): ExpectationResult {
  const { metric } = expectation;
  const text = textOf(expectation);
  const none = { text, metric, actual: null };
  const stray = strayFilter(expectation, results);
  if (stray !== null) return { ...none, ok: false, reason: stray };
  const found = (METRICS[metric] as Metric<RunResults>).measure(results, rowsOf(expectation));
  if (found === null) return { ...none, ok: false, reason: 'there is nothing to measure' };
  if (typeof found === 'object') return { ...none, ...censored(expectation, found) };
  return { text, metric, actual: found, ok: holds(expectation, found), reason: null };
}

/** Of what is known to be longer than something, a lower bound may hold. */
function censored(
  { metric, min, max, equals }: Expectation,
  { atLeast, unfinished, total }: Censored,
): Pick<ExpectationResult, 'ok' | 'reason'> {
  const ok = equals === null && max === null && atLeast >= (min ?? 0);
  const reason = `is > ${show(metric, atLeast)}: ${unfinished} of ${total} flows did not finish`;
  return { ok, reason };
}

/** What its filters leave. */
function rowsOf({ priority, load, flow, device, port }: Expectation): ChosenRows {
  const passes = (filter: string | null, name: string): boolean =>
    filter === null || matchesGlob(filter, name);
  const isOf = (own: number): boolean => priority === null || own === priority;
  return {
    device: (name) => passes(device, name),
    port: (name) => passes(port, name),
    priority: isOf,
    isOfPriority: priority !== null,
    job: (name) => passes(load, name),
    flow: (own) =>
      isOf(own.priority) &&
      passes(load, own.load) &&
      passes(flow, own.name) &&
      (passes(device, own.source) || passes(device, own.destination)),
  };
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
export function show(metric: string, value: number | string | null): string {
  if (value === null) return 'nothing';
  if (typeof value === 'string') return value;
  switch (METRICS[metric]!.unit) {
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
