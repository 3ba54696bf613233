import type { MetricsAddress } from '../../telemetry/metrics/serve-metrics.js';
import type { Measured } from '../../library/runners.js';
import type { Emulation } from '../emulation.js';
import { SnapshotCache } from '../../runtime/run-snapshot.js';
import type { CoordinatorClient } from '../fleet/coordinator-client.js';
import type { Fleet, FleetOptions } from '../fleet/fleet.js';
import type { RuntimeMetrics } from '../../telemetry/metrics/run-metrics.js';
import type { LiveView } from '../live-view.js';
import type { ProgressLine } from '../progress.js';
import { metricsOf, openMetrics } from './metrics.js';

/** In processes of its own, with the same results. */
export async function runElsewhere(
  { fabric, from, steps }: Emulation,
  options: FleetOptions,
  metricsAt: MetricsAddress | null,
  progress: ProgressLine,
  view: LiveView | null,
): Promise<Measured> {
  const { runDistributed } = await import('../fleet/distributed-run.js');
  const { runtimeMetrics } = await import('../fleet/runtime-metrics.js');
  const { LiveFleet } = await import('../fleet/live-fleet.js');
  let live: InstanceType<typeof LiveFleet> | null = null;
  let connected: CoordinatorClient | null = null;
  let latest = { virtualPs: 0, share: 0, frameHops: 0 };
  let runtime: RuntimeMetrics | undefined;
  const snapshots = new SnapshotCache(
    () => connected?.snapshot() ?? null,
    () => latest.virtualPs,
  );
  const open = async ({ client }: Fleet): Promise<void> => {
    connected = client;
    if (view === null) return;
    const run = new LiveFleet(client, snapshots, fabric);
    live = run;
    run.listener = await view.open(
      run,
      () => run.status,
      () => run.shownFaults(),
    );
  };
  const closeMetrics = await openMetrics(metricsAt, fabric.scenario.name, async () => ({
    ...(await metricsOf(snapshots, () => latest)),
    ...(runtime && { runtime }),
  }));
  try {
    const all = { ...options, from, steps };
    const { rows, ...merged } = await runDistributed(all, progress, open, (status) => {
      const { virtualPs, share, frameHops } = status;
      latest = { virtualPs, share, frameHops };
      runtime = runtimeMetrics(status);
      live?.onStatus(status);
    });
    return { ...merged, series: { rows }, ...(runtime && { runtime }) };
  } finally {
    await closeMetrics();
  }
}
