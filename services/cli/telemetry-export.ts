import type { Fabric } from '../fabric/assembly/fabric.js';
import type { RunOperation } from '../telemetry/run-operation.js';
import type { RunResults } from '../runtime/results/results.js';
import { readVersion } from '../runtime/version.js';
import type { Congestion } from '../telemetry/congestion/congestion.js';
import { rootsOf } from '../telemetry/congestion/congestion-trees.js';
import type { OtlpEndpoint } from '../telemetry/otlp/endpoint.js';
import { otlpEndpoint } from '../telemetry/otlp/endpoint.js';
import { queueWaits } from '../telemetry/metrics/queue-waits.js';
import { planEventTraces } from '../telemetry/otlp/plan-event-traces.js';
import type { TimedEvent } from '../telemetry/events/event-table.js';
import { planFaults } from '../telemetry/otlp/plan-faults.js';
import { planDeadlocks, planEpisodes } from '../telemetry/otlp/plan-episodes.js';
import type { RuntimeMetrics } from '../telemetry/metrics/run-metrics.js';
import { planOperations, wallClockFrom } from '../telemetry/otlp/plan-operations.js';
import { planFrames } from '../telemetry/otlp/plan-frames.js';
import { clockUpTo, fixedClock } from '../telemetry/otlp/span-clock.js';
import type { FrameTrace } from '../telemetry/traces/frame-trace.js';
import { InputError } from './exit.js';

/** More spans than that are better read from tables. */
const MOST_SPANS = 50_000;

/** The longest that a picosecond is shown: as a microsecond. */
const MOST_SCALE = 1_000_000;

/** Where each kind of signal goes, and how its times are shown. */
interface Collector {
  readonly traces: OtlpEndpoint;
  readonly metrics: OtlpEndpoint;
  readonly epoch: 'fixed' | 'now';
  readonly scale: number;
}

/** What `selvage run` says of a collector. */
export interface OtlpOptions {
  readonly otlp?: string;
  readonly otlpEpoch?: string;
  readonly otlpScale?: string;
}

export function collectorFrom({ otlp: text, otlpEpoch, otlpScale }: OtlpOptions): Collector | null {
  const clock = { epoch: epochFrom(otlpEpoch), scale: scaleFrom(otlpScale) };
  if (text === undefined) {
    if (otlpEpoch === undefined && otlpScale === undefined) return null;
    throw new InputError('--otlp-epoch and --otlp-scale need a collector: --otlp grpc://host:4317');
  }
  const [traces, metrics] = [otlpEndpoint(text, 'traces'), otlpEndpoint(text, 'metrics')];
  if (traces !== null && metrics !== null) return { traces, metrics, ...clock };
  throw new InputError(
    `--otlp ${text}: not a collector such as grpc://host:4317 or http://host:4318`,
  );
}

function epochFrom(text = 'now'): Collector['epoch'] {
  if (text === 'fixed' || text === 'now') return text;
  throw new InputError(`--otlp-epoch ${text}: not fixed (2000-01-01) or now`);
}

/** Viewers show microseconds: a nanosecond is one, unless another scale is asked for. */
function scaleFrom(text = '1000'): number {
  const scale = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (scale >= 1 && scale <= MOST_SCALE) return scale;
  throw new InputError(`--otlp-scale ${text}: not a whole number from 1 to ${MOST_SCALE}`);
}

/** Viewers of traces take no metrics, which is no trouble of the run. */
const TAKES_NONE = /UNIMPLEMENTED|not found|unknown service/i;

function metricsText(refusal: string | null, url: string, ports: number): string {
  if (refusal === null) return `metrics of ${ports} ports were sent`;
  if (TAKES_NONE.test(refusal)) return `${url} takes no metrics: none were sent`;
  return `metrics were not accepted: ${refusal}`;
}

/** What is shown as spans beside congestion. */
interface Shown {
  readonly fabric: Fabric;
  readonly traces: Iterable<FrameTrace> | null;
  readonly events: readonly TimedEvent[] | null;
  /** Of a run in services. */
  readonly operations: readonly RunOperation[];
  readonly runtime?: RuntimeMetrics;
}

/** Exports spans and metrics; an unreachable collector is reported, and changes nothing. */
export async function exportTelemetry(
  { traces: endpoint, metrics, epoch, scale }: Collector,
  results: RunResults,
  wallSeconds: number,
  congestion: Congestion | null,
  { fabric, traces, events, operations, runtime }: Shown,
): Promise<void> {
  const { scenario, digest, virtualPs, frameHops, ports, flows } = results;
  const { sendSpans } = await import('../telemetry/otlp/send-spans.js');
  const episodes = congestion?.episodes ?? [];
  const roots = rootsOf(episodes);
  const frames = planFrames(digest, traces ?? [], roots);
  const blamed = { episodes, roots, nowPs: virtualPs };
  const all = [
    ...planDeadlocks(digest, congestion?.deadlocks ?? [], blamed),
    ...planFaults(digest, fabric, blamed),
    ...frames,
    ...planEpisodes(digest, episodes, roots, virtualPs),
    ...planEventTraces(digest, events ?? [], virtualPs),
  ];
  const clock = epoch === 'now' ? clockUpTo(Date.now(), virtualPs, scale) : fixedClock(scale);
  const run = `${scenario}-${digest.slice(0, 8)}`;
  const origin = { scenario, digest, version: readVersion(), run, clock };
  const { sent, lost, reason } = await sendSpans(endpoint, origin, all.slice(0, MOST_SPANS));
  if (reason === null && operations.length > 0) {
    const wall = wallClockFrom(operations[0]!.startMs);
    await sendSpans(endpoint, { ...origin, clock: wall }, planOperations(run, operations));
  }
  const left = Math.max(0, all.length - MOST_SPANS);
  const { pushMetrics } = await import('../telemetry/metrics/push-metrics.js');
  const identity = { 'selvage.scenario': scenario, 'selvage.digest': digest };
  const waits = queueWaits(traces ?? []);
  const counts = { ports, flows, mechanisms: results, waits };
  const whole = { virtualPs, share: 1, frameHops, wallSeconds, ...counts };
  const measured = { ...whole, ...(runtime && { runtime }) };
  // A collector that did not take the spans gets no metrics.
  const refusal = reason ?? (await pushMetrics(metrics, identity, measured));
  const lines = [
    sent > 0 ? `${sent} spans were sent to ${endpoint.url}` : '',
    left > 0 ? `${left} spans beyond ${MOST_SPANS} were not sent` : '',
    lost > 0 ? `${lost} spans were not accepted by ${endpoint.url}: ${reason ?? 'unknown'}` : '',
    metricsText(refusal, metrics.url, ports.length),
    all.length === 0 ? 'there are no spans to send: see observe.traces and observe.episodes' : '',
  ];
  for (const line of lines) if (line !== '') process.stderr.write(`${line}\n`);
}
