import type { V1Job } from '@kubernetes/client-node';
import type { Cluster } from './cluster.js';
import { owned } from './create.js';
import type { FoundRun } from './found-run.js';
import { COORDINATOR, isOfRole, nameIn, SERVICE } from './labels.js';
import type { Manifest } from './manifests.js';
import type { StartOptions } from './start-gate.js';
import { RunWatch } from './run-watch.js';
import { suspended, StartGate } from './start-gate.js';

/** Services of a run in other numbers than before. */
interface Scaling {
  /** The Job of the services. */
  readonly services: Manifest;
  /** Options of the coordinator, by their names. */
  readonly numbers: Readonly<Record<string, string>>;
}

/** Of the ConfigMap from which a coordinator takes numbers that are not those of its arguments. */
const SCALED = 'scaled';

/**
 * Continues a run with other services from its last checkpoint, which the coordinator writes as it
 * ends. Everything stays suspended until there is room for all; the command may be repeated.
 */
export async function scale(
  cluster: Cluster,
  { run, main }: FoundRun,
  { services, numbers }: Scaling,
  options: StartOptions,
): Promise<void> {
  const { note, stopped } = options;
  const coordinator = withHeader(main);
  note('the coordinator writes a checkpoint');
  await cluster.patch(coordinator, { spec: { suspend: true } });
  const watch = await RunWatch.open(cluster);
  try {
    while (watch.pods.some((pod) => isOfRole(pod, COORDINATOR))) await watch.changed(stopped);
    await cluster.remove(services);
    while ([...watch.pods, ...watch.jobs].some((one) => isOfRole(one, SERVICE))) {
      await watch.changed(stopped);
    }
  } finally {
    watch.close();
  }
  const { namespace, labels } = services.metadata;
  const metadata = { name: nameIn(run, SCALED), namespace, ...(labels && { labels }) };
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: numbers } as Manifest;
  await cluster.remove(map);
  for (const object of [map, suspended(services)]) await cluster.create(owned(object, main));
  await new StartGate(cluster, [coordinator, services], options).open();
}

/** Lists of the API leave the header of their objects out. */
function withHeader(job: V1Job): Manifest {
  const { metadata, spec } = job;
  return { apiVersion: 'batch/v1', kind: 'Job', metadata, spec } as unknown as Manifest;
}
