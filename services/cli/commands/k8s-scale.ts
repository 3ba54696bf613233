import { EXIT } from '../exit.js';
import { ClusterError } from '../kubernetes/cluster.js';
import type { FoundRun, RunName } from '../kubernetes/found-run.js';
import { AGAIN, hasPoints, inRun, stateOf } from '../kubernetes/found-run.js';
import { jobEnd } from '../kubernetes/job-end.js';
import { manifestsOf, moveTo } from '../kubernetes/manifests.js';
import { runSource } from '../kubernetes/run-source.js';
import { scale } from '../kubernetes/scale.js';
import type { RenderOptions } from './k8s.js';
import { renderScenario, valuesOf } from './k8s.js';
import { HOLD_SECONDS, startSeconds } from './k8s-run.js';

export interface ScaleOptions extends RunName, Pick<RenderOptions, 'threads' | 'values' | 'cpu'> {
  readonly services: string;
  readonly startWithin?: string;
}

/** Continues a run in the cluster with another number of services, or of their threads. */
export async function scaleCommand(options: ScaleOptions): Promise<number> {
  const values = valuesOf(options);
  const withinMs = 1000 * startSeconds(options, values);
  return inRun(options, async (cluster, found, following) => {
    const { run } = found;
    requireProgress(found);
    const named = { ...options, set: [], run, image: imageOf(found) };
    const { files, services } = renderScenario(await runSource(cluster, run), named, values);
    const [job] = manifestsOf(files.get('services.yaml')!);
    moveTo(cluster.namespace, job!);
    const numbers = { services: options.services, threads: options.threads ?? '1' };
    await scale(
      cluster,
      found,
      { services: job!, numbers },
      {
        ...following,
        ...{ withinMs, holdMs: 1000 * (values.hold ?? HOLD_SECONDS) },
        isQueued: values.queue !== undefined,
      },
    );
    following.note(`run ${run} goes on in ${services} services`);
    return EXIT.COMPLETE;
  });
}

function requireProgress(found: FoundRun): void {
  const { run, main } = found;
  if (hasPoints(found)) throw new ClusterError(`run ${run} is a sweep or a hunt: ${AGAIN}`);
  if (jobEnd(main) !== null) throw new ClusterError(`run ${run} has ended: ${stateOf(found)}`);
}

/** Of the services; where a scaling was interrupted there are none, and it is the coordinator's. */
function imageOf({ services, main }: FoundRun): string {
  return (services ?? main).spec!.template.spec!.containers[0]!.image!;
}
