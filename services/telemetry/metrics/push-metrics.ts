import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import { MetricReader } from '@opentelemetry/sdk-metrics';
import type { OtlpEndpoint } from '../otlp/endpoint.js';
import { showRun } from './instruments.js';
import type { RunMetrics } from './run-metrics.js';

const PATIENCE_MS = 3000;

/** Reads on request. */
class OnceReader extends MetricReader {
  protected onForceFlush(): Promise<void> {
    return Promise.resolve();
  }
  protected onShutdown(): Promise<void> {
    return Promise.resolve();
  }
}

/** Sends a run's metrics once; null if they were accepted, else why they were not. */
export async function pushMetrics(
  { protocol, url }: OtlpEndpoint,
  identity: Readonly<Record<string, string>>,
  metrics: RunMetrics,
): Promise<string | null> {
  const settings = { url, timeoutMillis: PATIENCE_MS };
  const { OTLPMetricExporter: Exporter } = await (protocol === 'grpc'
    ? import('@opentelemetry/exporter-metrics-otlp-grpc')
    : import('@opentelemetry/exporter-metrics-otlp-http'));
  // The exporters have types of their own that equal those of the SDK.
  const exporter = new Exporter(settings) as unknown as PushMetricExporter;
  const reader = new OnceReader();
  showRun(identity, [reader], () => metrics);
  try {
    const { resourceMetrics } = await reader.collect();
    return await new Promise((resolve) => {
      const late = setTimeout(() => {
        resolve(`no answer in ${PATIENCE_MS / 1000} s`);
      }, PATIENCE_MS + 500);
      exporter.export(resourceMetrics, ({ error }) => {
        clearTimeout(late);
        resolve(error === undefined ? null : error.message);
      });
    });
  } catch (error) {
    return (error as Error).message;
  } finally {
    exporter.shutdown().catch(() => undefined);
  }
}
