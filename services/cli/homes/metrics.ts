import type { RunFigures } from '../../telemetry/metrics/port-figures.js';
import { InputError } from '../exit.js';

/** Ports in other threads and processes are asked when the run has ended. */
export const NO_PORTS = { ports: [], credits: [] };

/** What a run says of itself while it goes on. */
type Look = () => Omit<RunFigures, 'wallSeconds'>;

/** Figures for Prometheus while the run goes on; a port that is taken is bad input. */
export async function openMetrics(
  port: number | null,
  scenario: string,
  look: Look,
): Promise<() => Promise<void>> {
  if (port === null) return () => Promise.resolve();
  const { serveMetrics } = await import('../../telemetry/metrics/serve-metrics.js');
  const startedAt = performance.now();
  const now = (): RunFigures => {
    return { ...look(), wallSeconds: (performance.now() - startedAt) / 1000 };
  };
  try {
    return await serveMetrics(port, scenario, now);
  } catch (error) {
    throw new InputError(`--metrics ${port}: ${(error as Error).message}`);
  }
}
