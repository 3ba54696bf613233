import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InputError } from '../exit.js';
import type { ClusterPlace } from '../kubernetes/cluster.js';
import { nodesOf } from '../kubernetes/default-placement.js';
import { inCluster, makeFolder, requireNamespace } from '../kubernetes/in-cluster.js';
import type { Manifest } from '../kubernetes/manifests.js';
import { KUSTOMIZATION, manifestsOf, moveTo } from '../kubernetes/manifests.js';
import { mayMakeRoles } from '../kubernetes/preflight.js';
import { runInCluster } from '../kubernetes/run-in-cluster.js';
import type { Values } from '../kubernetes/values.js';
import type { RenderedRun, RenderOptions } from './k8s.js';
import { prepareRun, writeRendered } from './k8s.js';

export interface ClusterRunOptions extends ClusterPlace, RenderOptions {
  readonly keep?: boolean;
  readonly detach?: boolean;
  /** Seconds within which every pod must run. */
  readonly startWithin?: string;
}

const START_SECONDS = 300;
export const HOLD_SECONDS = 30;
const WEEK_SECONDS = 604_800;
/** One for each broker of --cluster. */
const BROKER_NODES = 3;

const KUSTOMIZED_OCTETS = 1 << 26;

/** Creates a run in the cluster at hand, follows it, fetches its results and deletes it. */
export async function runInClusterCommand(
  file: string,
  options: ClusterRunOptions,
): Promise<number> {
  const { out } = options;
  requireNamespace(options);
  const { needsNodes, values, render } = prepareRun(file, options);
  const { retain = WEEK_SECONDS, hold = HOLD_SECONDS } = values;
  const withinMs = 1000 * startSeconds(options, values);
  makeFolder(out);
  return inCluster(options, async (cluster, following) => {
    const nodes = needsNodes ? await nodesOf(cluster, values) : null;
    // A client that stays deletes everything.
    const finish = options.detach === true && (await mayMakeRoles(cluster));
    const rendered = render(nodes, finish);
    const { run } = rendered;
    const manifests = manifestsWith(rendered, options.cluster === true);
    for (const manifest of manifests) moveTo(cluster.namespace, manifest);
    return runInCluster(cluster, {
      ...following,
      ...{ manifests, run, out },
      keep: options.keep === true,
      detach: options.detach === true,
      nodes: options.cluster === true ? BROKER_NODES : 1,
      withinMs,
      holdMs: 1000 * hold,
      isQueued: values.queue !== undefined,
      retainSeconds: retain,
    });
  });
}

export function startSeconds(
  { startWithin }: Pick<ClusterRunOptions, 'startWithin'>,
  values: Values,
): number {
  if (startWithin === undefined) return values.startWithin ?? START_SECONDS;
  if (/^[1-9]\d{0,6}$/.test(startWithin)) return Number(startWithin);
  throw new InputError(`--start-within ${startWithin}: not a number of seconds of 1 or more`);
}

/** Patches for three brokers are applied by Kustomize, which is part of kubectl. */
function manifestsWith({ files }: RenderedRun, cluster: boolean): Manifest[] {
  if (!cluster) {
    const paths = [...files.keys()].filter((path) => path !== KUSTOMIZATION);
    return paths.flatMap((path) => manifestsOf(files.get(path)!));
  }
  const folder = mkdtempSync(join(tmpdir(), 'selvage-rendered-'));
  try {
    writeRendered(folder, files);
    const options = { encoding: 'utf8', maxBuffer: KUSTOMIZED_OCTETS } as const;
    const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], options);
    if (status !== 0) throw new InputError(`--cluster needs kubectl on the PATH: ${stderr}`);
    return manifestsOf(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
