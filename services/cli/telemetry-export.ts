import type { RunResults } from '../runtime/results/results.js';
import { readVersion } from '../runtime/version.js';
import type { Congestion } from '../telemetry/congestion/congestion.js';
import { rootsOf } from '../telemetry/congestion/congestion-trees.js';
import type { OtlpEndpoint } from '../telemetry/otlp/endpoint.js';
import { otlpEndpoint } from '../telemetry/otlp/endpoint.js';
import { planEpisodes } from '../telemetry/otlp/plan-episodes.js';
import { planFrames } from '../telemetry/otlp/plan-frames.js';
import type { FrameTrace } from '../telemetry/traces/frame-trace.js';
import { InputError } from './exit.js';

/** More than that is for tables, not for traces. */
const MOST_SPANS = 50_000;

/** Where each kind of signal goes. */
export interface Collector {
  readonly traces: OtlpEndpoint;
  readonly metrics: OtlpEndpoint;
}

export function collectorFrom(text: string | undefined): Collector | null {
  if (text === undefined) return null;
  const [traces, metrics] = [otlpEndpoint(text, 'traces'), otlpEndpoint(text, 'metrics')];
  if (traces !== null && metrics !== null) return { traces, metrics };
  throw new InputError(
    `--otlp ${text}: not a collector such as grpc://host:4317 or http://host:4318`,
  );
}

/** Sends what was seen; a collector that is not there is told of, and changes nothing. */
export async function exportTelemetry(
  { traces: endpoint, metrics }: Collector,
  results: RunResults,
  wallSeconds: number,
  congestion: Congestion | null,
  traces: Iterable<FrameTrace> | null,
): Promise<void> {
  const { scenario, digest, virtualPs, frameHops, ports, credits } = results;
  const { sendSpans } = await import('../telemetry/otlp/send-spans.js');
  const episodes = congestion?.episodes ?? [];
  const roots = rootsOf(episodes);
  const frames = planFrames(digest, traces ?? [], roots);
  const all = [...frames, ...planEpisodes(digest, episodes, roots, virtualPs)];
  const origin = { scenario, digest, version: readVersion() };
  const { sent, lost, reason } = await sendSpans(endpoint, origin, all.slice(0, MOST_SPANS));
  const left = Math.max(0, all.length - MOST_SPANS);
  const { pushMetrics } = await import('../telemetry/metrics/push-metrics.js');
  const identity = { 'selvage.scenario': scenario, 'selvage.digest': digest };
  const figures = { virtualPs, share: 1, frameHops, wallSeconds, ports, credits };
  // Who did not take the spans is not asked again.
  const refusal = reason ?? (await pushMetrics(metrics, identity, figures));
  const lines = [
    sent > 0 ? `${sent} spans were sent to ${endpoint.url}` : '',
    left > 0 ? `${left} spans beyond ${MOST_SPANS} were not sent` : '',
    lost > 0 ? `${lost} spans were not taken by ${endpoint.url}: ${reason ?? 'unknown'}` : '',
    refusal === null
      ? `figures of ${ports.length} ports were sent`
      : `figures were not taken: ${refusal}`,
    all.length === 0 ? 'there are no spans to send: see observe.traces and observe.episodes' : '',
  ];
  for (const line of lines) if (line !== '') process.stderr.write(`${line}\n`);
}
