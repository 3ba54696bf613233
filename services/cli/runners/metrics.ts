import type { RunMetrics } from '../../telemetry/metrics/run-metrics.js';
import type { MetricsAddress } from '../../telemetry/metrics/serve-metrics.js';
import type { SnapshotCache } from '../../runtime/run-snapshot.js';
import { InputError } from '../exit.js';

/** What a run says of itself while it goes on. */
type Snapshotted = Omit<RunMetrics, 'wallSeconds' | 'waits'>;

/** Progress of a run in several places, and recent counters of its ports. */
export async function metricsOf(
  snapshots: SnapshotCache,
  progress: () => Pick<RunMetrics, 'virtualPs' | 'share' | 'frameHops'>,
): Promise<Snapshotted> {
  const snapshot = await snapshots.now();
  const { virtualPs, share, frameHops } = progress();
  const results = snapshot?.results ?? null;
  const { ports = [], flows = [] } = results ?? {};
  return { virtualPs, share, frameHops, ports, flows, mechanisms: results ?? {} };
}

/** Metrics for Prometheus during the run; a port that is in use is invalid input. */
export async function openMetrics(
  address: MetricsAddress | null,
  scenario: string,
  snapshot: () => Snapshotted | Promise<Snapshotted>,
): Promise<() => Promise<void>> {
  if (address === null) return () => Promise.resolve();
  const { serveMetrics } = await import('../../telemetry/metrics/serve-metrics.js');
  const startedAt = performance.now();
  const now = async (): Promise<RunMetrics> => {
    const wallSeconds = (performance.now() - startedAt) / 1000;
    return { ...(await snapshot()), wallSeconds, waits: [] };
  };
  try {
    return await serveMetrics(address, scenario, now);
  } catch (error) {
    throw new InputError(`--metrics ${address.port}: ${(error as Error).message}`);
  }
}
