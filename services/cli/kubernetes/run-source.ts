import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadedFabric } from '../load-fabric.js';
import { loadFabric } from '../load-fabric.js';
import type { Cluster } from './cluster.js';
import { ClusterError } from './cluster.js';
import { filesInCluster, SCENARIO } from './scenario-files.js';

/** The scenario of a run as its pods have it. */
export async function runSource(cluster: Cluster, run: string): Promise<LoadedFabric> {
  const files = await filesInCluster(cluster, run);
  if (files === null) throw new ClusterError(`run ${run} has no ConfigMap of its scenario`);
  const folder = mkdtempSync(join(tmpdir(), 'selvage-scenario-'));
  try {
    for (const [name, text] of files) writeFileSync(join(folder, name), text);
    return loadFabric(join(folder, SCENARIO), []);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
