import { PrometheusExporter } from '../../packages/opentelemetry.js';
import { showRun } from './instruments.js';
import type { RunFigures } from './port-figures.js';

/** Serves a run's metrics on loopback for Prometheus; the function returned ends that. */
export async function serveMetrics(
  port: number,
  scenario: string,
  look: () => Promise<RunFigures>,
): Promise<() => Promise<void>> {
  const exporter = new PrometheusExporter({ host: '127.0.0.1', port, preventServerStart: true });
  await exporter.startServer();
  const provider = showRun({ 'selvage.scenario': scenario }, [exporter], look);
  return () => provider.shutdown();
}
