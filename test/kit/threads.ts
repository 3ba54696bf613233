import { planPartitions } from '../../services/fabric/placement/partition-plan.js';
import { placeInServices } from '../../services/fabric/placement/parts.js';
import { ThreadsRun } from '../../services/runtime/threads/run-threads.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';

/** A run of a fabric in so many threads, with every check on unless it is not wanted. */
export function inThreads(fabric: Fabric, threads: number, check = true): ThreadsRun {
  const plans = planPartitions(fabric, placeInServices(fabric, threads));
  return new ThreadsRun(fabric, plans, { check, from: null });
}
