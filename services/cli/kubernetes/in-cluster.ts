import { mkdirSync } from 'node:fs';
import { EXIT, InputError } from '../exit.js';
import type { ClusterPlace } from './cluster.js';
import { Cluster, ClusterError, ClusterRefusal } from './cluster.js';
import type { FollowOptions } from './follow.js';

/** Does something in a namespace of a cluster; errors become exit codes. */
export async function inCluster(
  place: ClusterPlace,
  act: (cluster: Cluster, following: FollowOptions) => Promise<number>,
): Promise<number> {
  requireNamespace(place);
  const stop = new AbortController();
  const onSignal = (): void => {
    stop.abort();
  };
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const note = (words: string): void => {
    process.stderr.write(`${words}\n`);
  };
  try {
    return await act(Cluster.of(place, { note }), { note, stopped: stop.signal });
  } catch (error) {
    if (error instanceof ClusterRefusal) throw new InputError(error.message);
    if (!(error instanceof ClusterError)) throw error;
    note(error.message);
    return stop.signal.aborted ? EXIT.INTERRUPTED : EXIT.RUN_FAILED;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

export function requireNamespace({ namespace }: ClusterPlace): void {
  if (namespace === undefined || /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(namespace)) return;
  throw new InputError(`--namespace ${namespace}: up to 63 of a-z, 0-9 and - name a namespace`);
}

export function makeFolder(out: string): void {
  try {
    mkdirSync(out, { recursive: true });
  } catch (error) {
    throw new InputError(`--out ${out} cannot be made: ${(error as Error).message}`);
  }
}
