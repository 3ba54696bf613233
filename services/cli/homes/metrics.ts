import type { RunFigures } from '../../telemetry/metrics/port-figures.js';
import type { SnapshotCache } from '../../runtime/run-snapshot.js';
import { InputError } from '../exit.js';

/** What a run says of itself while it goes on. */
type Told = Omit<RunFigures, 'wallSeconds'>;

/** How far a run in several places is now, and what its ports had counted a little while ago. */
export async function figuresOf(
  snapshots: SnapshotCache,
  progress: () => Pick<RunFigures, 'virtualPs' | 'share' | 'frameHops'>,
): Promise<Told> {
  const snapshot = await snapshots.now();
  const { virtualPs, share, frameHops } = progress();
  const { ports, credits } = snapshot?.results ?? { ports: [], credits: [] };
  return { virtualPs, share, frameHops, ports, credits };
}

/** Figures for Prometheus while the run goes on; a port that is taken is bad input. */
export async function openMetrics(
  port: number | null,
  scenario: string,
  look: () => Told | Promise<Told>,
): Promise<() => Promise<void>> {
  if (port === null) return () => Promise.resolve();
  const { serveMetrics } = await import('../../telemetry/metrics/serve-metrics.js');
  const startedAt = performance.now();
  const now = async (): Promise<RunFigures> => {
    return { ...(await look()), wallSeconds: (performance.now() - startedAt) / 1000 };
  };
  try {
    return await serveMetrics(port, scenario, now);
  } catch (error) {
    throw new InputError(`--metrics ${port}: ${(error as Error).message}`);
  }
}
