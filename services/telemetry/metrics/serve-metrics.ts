import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { showRun } from './instruments.js';
import type { RunMetrics } from './run-metrics.js';

/** Where Prometheus finds the metrics of a run. */
export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

/** Serves a run's metrics for Prometheus; the function returned ends that. */
export async function serveMetrics(
  address: MetricsAddress,
  scenario: string,
  snapshot: () => Promise<RunMetrics>,
): Promise<() => Promise<void>> {
  const exporter = new PrometheusExporter({ ...address, preventServerStart: true });
  await exporter.startServer();
  const provider = showRun({ 'selvage.scenario': scenario }, [exporter], snapshot);
  return () => provider.shutdown();
}
