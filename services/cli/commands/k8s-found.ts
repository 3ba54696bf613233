import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { table } from '../../report/table.js';
import { SnapshotCache } from '../../runtime/run-snapshot.js';
import { EXIT } from '../exit.js';
import type { CoordinatorClient } from '../fleet/coordinator-client.js';
import { LiveFleet } from '../fleet/live-fleet.js';
import { isOver, phaseName, showStatus } from '../fleet/phases.js';
import { clear } from '../kubernetes/clear.js';
import type { V1Job } from '@kubernetes/client-node';
import type { Cluster, ClusterPlace } from '../kubernetes/cluster.js';
import { ClusterError, ClusterRefusal, FORBIDDEN } from '../kubernetes/cluster.js';
import { collect } from '../kubernetes/collect.js';
import type { FollowOptions } from '../kubernetes/follow.js';
import { follow } from '../kubernetes/follow.js';
import type { FoundRun, RunName } from '../kubernetes/found-run.js';
import {
  AGAIN,
  hasPoints,
  inRun,
  objectsOf,
  runsAmong,
  stateOf,
  withCoordinator,
} from '../kubernetes/found-run.js';
import { inCluster, makeFolder } from '../kubernetes/in-cluster.js';
import { runSource } from '../kubernetes/run-source.js';
import { filesInCluster } from '../kubernetes/scenario-files.js';
import { lostNodesText } from '../kubernetes/lost-nodes.js';
import { whyEnded } from '../kubernetes/pod-reasons.js';
import { whyPending } from '../kubernetes/why-pending.js';
import { mergedLines, podLogs } from '../kubernetes/merged-logs.js';
import { liveAddress } from '../live-options.js';
import { LiveView } from '../live-view.js';
import { ProgressLine } from '../progress.js';
import type { InjectOptions } from './inject.js';
import { injectCommand } from './inject.js';
import type { Reach, SteerAction, SteerOptions } from './steer.js';
import { statusEntry, steerCommand } from './steer.js';

export interface FoundOptions extends RunName {
  readonly json?: boolean;
  readonly out?: string;
  readonly role?: string;
}

export interface UiOptions extends FoundOptions {
  readonly port?: string;
}

const PATIENCE_MS = 600_000;

/** Lists runs, wherever the user may list Jobs. */
export async function listCommand({ json, ...place }: FoundOptions): Promise<number> {
  return inCluster(place, async (cluster) => {
    const runs = await Promise.all(
      runsAmong(await jobsOf(cluster, place)).map(async (found) => ({
        run: found.run,
        namespace: found.namespace,
        state: stateOf(found),
        created: `${found.main.metadata?.creationTimestamp?.toISOString()}`,
        reasons: await whyEndedIn(cluster, found),
      })),
    );
    if (json === true) print(JSON.stringify(runs, null, 2));
    else if (runs.length === 0) print('no runs');
    else {
      const rows = runs.map(({ run, state, reasons, ...more }) => {
        const words = reasons.length === 0 ? state : `${state}; ${reasons.at(-1)}`;
        return [run, more.namespace, more.created, words];
      });
      print(table(['run', 'namespace', 'created', 'state'], rows));
    }
    return EXIT.COMPLETE;
  });
}

/** Why pods of a run ended, where the user may look into them. */
async function whyEndedIn(all: Cluster, { run, namespace }: FoundRun): Promise<string[]> {
  try {
    const pods = await all.in(namespace).ofRun(run).pods();
    return whyEnded({ pods, events: [] });
  } catch (error) {
    if ((error as ClusterError).code === FORBIDDEN) return [];
    throw error;
  }
}

async function jobsOf(cluster: Cluster, { namespace }: ClusterPlace): Promise<V1Job[]> {
  if (namespace !== undefined) return cluster.jobs();
  try {
    return await cluster.jobs(null);
  } catch (error) {
    if ((error as ClusterError).code !== FORBIDDEN) throw error;
  }
  try {
    return await cluster.jobs();
  } catch (error) {
    if ((error as ClusterError).code !== FORBIDDEN) throw error;
    throw new ClusterRefusal(
      `no right to list Jobs of all namespaces, or of ${cluster.namespace}, which KUBECONFIG and ` +
        'its context name: give one of yours with --namespace',
    );
  }
}

/** Follows a run to its end, with progress on a terminal. */
export async function attachToClusterCommand(options: FoundOptions): Promise<number> {
  return inRun(options, async (cluster, found, following) => {
    if (hasPoints(found)) throw new ClusterError(`run ${found.run} is a sweep or a hunt: ${AGAIN}`);
    const progress = new ProgressLine(process.stderr.isTTY ? process.stderr : null);
    const ended = new AbortController();
    const shown = withCoordinator(cluster, found, (client) =>
      Promise.race([showProgress(client, progress, following), once(ended.signal, 'abort')]),
    ).catch(() => undefined);
    try {
      return await follow(cluster, following);
    } finally {
      ended.abort();
      await shown;
      progress.clear();
    }
  });
}

async function showProgress(
  client: CoordinatorClient,
  progress: ProgressLine,
  { stopped }: FollowOptions,
): Promise<void> {
  await client.follow(
    (status) => {
      showStatus(progress, status);
    },
    (status) => isOver(status) || stopped.aborted,
    PATIENCE_MS,
  );
}

/** Prints what the coordinator reports, or what the Jobs show, and why pods do not run. */
export async function statusInClusterCommand(options: FoundOptions): Promise<number> {
  return inRun(options, async (cluster, found) => {
    const { run } = found;
    const state = stateOf(found);
    const entry = await withCoordinator(cluster, found, (client) =>
      statusEntry(client, { run, scenario: run }),
    ).catch((error: unknown) => {
      if (!(error instanceof ClusterError)) throw error;
      return { run, text: state };
    });
    const reasons = await whyNotRunning(cluster);
    if (options.json === true) print(JSON.stringify({ ...entry, state, reasons }));
    else print([`${run}  ${entry.text}`, ...reasons].join('\n  '));
    return EXIT.COMPLETE;
  });
}

async function whyNotRunning(cluster: Cluster): Promise<string[]> {
  const [pods, jobs] = [await cluster.pods(), await cluster.jobs()];
  const [claims, events] = [await cluster.claims(), await cluster.events()];
  const pending = whyPending({ pods, jobs, claims, events });
  return [...pending, ...whyEnded({ pods, events }), ...lostNodesText(pods)];
}

export async function steerInClusterCommand(
  action: SteerAction,
  options: FoundOptions & SteerOptions,
): Promise<number> {
  return reaching(options, (reach) => steerCommand(action, undefined, options, reach));
}

export async function injectInClusterCommand(
  options: FoundOptions & InjectOptions,
): Promise<number> {
  return reaching(options, (reach) => injectCommand(undefined, options, reach));
}

/** Gives commands of local runs a coordinator in the cluster. */
function reaching(
  options: FoundOptions,
  command: (reach: Reach) => Promise<number>,
): Promise<number> {
  return inRun(options, (cluster, found) =>
    command((_, act) => withCoordinator(cluster, found, (client) => act(client, found.run))),
  );
}

export async function logsCommand(options: FoundOptions): Promise<number> {
  return inRun(options, async (cluster, _, { note }) => {
    const { logs, missing } = await podLogs(cluster, options.role);
    for (const line of mergedLines(logs)) print(line);
    for (const why of missing) note(why);
    return EXIT.COMPLETE;
  });
}

/** Copies everything that a run has left so far, beside its run directory. */
export async function fetchCommand({ out = 'runs', ...options }: FoundOptions): Promise<number> {
  makeFolder(out);
  return inRun(options, async (cluster, found, following) => {
    const folder = join(out, `${found.run}.cluster`);
    mkdirSync(folder, { recursive: true });
    const files = (await filesInCluster(cluster, found.run)) ?? [];
    for (const [name, text] of files) writeFileSync(join(folder, name), text);
    writeFileSync(join(folder, 'state'), `${stateOf(found)}\n`);
    const { logs, missing } = await podLogs(cluster);
    for (const { pod, text } of logs) writeFileSync(join(folder, `${pod}.log`), text);
    for (const why of missing) following.note(why);
    following.note(`scenario, state and logs are in ${folder}`);
    if (!hasPoints(found)) await collect(cluster, out, following);
    return EXIT.COMPLETE;
  });
}

export async function deleteCommand(options: FoundOptions): Promise<number> {
  return inRun(options, async (cluster, found, { note }) => {
    const objects = await objectsOf(cluster);
    await clear(cluster, objects);
    note(`run ${found.run} is deleted`);
    return EXIT.COMPLETE;
  });
}

/** Serves the live page of a run here, until the run or the user ends it. */
export async function uiCommand(options: UiOptions): Promise<number> {
  const address = liveAddress({ ui: options.port ?? true })!;
  return inRun(options, async (cluster, found, { stopped }) => {
    const { loaded, fabric } = await runSource(cluster, found.run);
    const { document } = loaded;
    const origin = { scenario: found.run, set: [], steps: [] };
    const view = new LiveView(address, fabric, { document, origin });
    return withCoordinator(cluster, found, async (client) => {
      try {
        return await showLive(client, view, fabric, stopped);
      } finally {
        view.close();
      }
    });
  });
}

async function showLive(
  client: CoordinatorClient,
  view: LiveView,
  fabric: Fabric,
  stopped: AbortSignal,
): Promise<number> {
  let virtualPs = 0;
  const snapshots = new SnapshotCache(
    () => client.snapshot(),
    () => virtualPs,
  );
  const live = new LiveFleet(client, snapshots, fabric);
  live.listener = await view.open(
    live,
    () => live.status,
    () => live.shownFaults(),
  );
  const interrupted = new Promise<null>((resolve) => {
    stopped.addEventListener('abort', () => {
      resolve(null);
    });
  });
  const ended = client.follow(
    (status) => {
      virtualPs = status.virtualPs;
      live.onStatus(status);
    },
    isOver,
    PATIENCE_MS,
  );
  const last = await Promise.race([ended, interrupted]);
  if (last === null) return EXIT.INTERRUPTED;
  print(phaseName(last));
  return EXIT.COMPLETE;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
