import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT, InputError } from '../exit.js';
import { Cluster, ClusterError, ClusterRefusal } from '../kubernetes/cluster.js';
import type { Manifest } from '../kubernetes/manifests.js';
import { KUSTOMIZATION, manifestsOf } from '../kubernetes/manifests.js';
import { runInCluster } from '../kubernetes/run-in-cluster.js';
import type { RenderedRun, RenderOptions } from './k8s.js';
import { renderScenario, writeRendered } from './k8s.js';

export interface ClusterRunOptions extends RenderOptions {
  readonly namespace: string;
  readonly keep?: boolean;
}

const KUSTOMIZED_OCTETS = 1 << 26;

/** Applies a run to the cluster at hand, follows it, fetches its results and clears it away. */
export async function runInClusterCommand(
  file: string,
  options: ClusterRunOptions,
): Promise<number> {
  const { namespace, out } = options;
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(namespace)) {
    throw new InputError(`--namespace ${namespace}: up to 63 of a-z, 0-9 and - name a namespace`);
  }
  const rendered = renderScenario(file, options);
  const manifests = manifestsWith(rendered, options.cluster === true);
  for (const { kind, metadata } of manifests) {
    if (kind === 'Namespace') metadata.name = namespace;
    else metadata.namespace = namespace;
  }
  makeFolder(out);
  const stop = new AbortController();
  const onSignal = (): void => {
    stop.abort();
  };
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const tell = (words: string): void => {
    process.stderr.write(`${words}\n`);
  };
  const { image } = rendered;
  const keep = options.keep === true;
  const request = { manifests, image, out, keep, tell, stopped: stop.signal };
  try {
    return await runInCluster(Cluster.of(namespace), request);
  } catch (error) {
    if (error instanceof ClusterRefusal) throw new InputError(error.message);
    if (!(error instanceof ClusterError)) throw error;
    tell(error.message);
    return stop.signal.aborted ? EXIT.INTERRUPTED : EXIT.RUN_FAILED;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

/** Patches for three brokers are put in by Kustomize, which kubectl carries. */
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

function makeFolder(out: string): void {
  try {
    mkdirSync(out, { recursive: true });
  } catch (error) {
    throw new InputError(`--out ${out} cannot be made: ${(error as Error).message}`);
  }
}
