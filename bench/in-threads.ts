import { planPartitions } from '../services/fabric/placement/partition-plan.js';
import { placeInServices } from '../services/fabric/placement/parts.js';
import { ThreadsRun } from '../services/runtime/threads/run-threads.js';
import { fabricOf } from './fabrics.js';

const POLL_MS = 2;

/** Milliseconds of a run in threads: its windows, and all else from start to results. */
export interface ThreadsTime {
  readonly windowsMs: number;
  readonly aroundMs: number;
}

/** Threads report their progress every 256 windows, which gives the time that all of them took. */
export async function inThreads(text: string, threads: number): Promise<ThreadsTime> {
  const fabric = fabricOf(text);
  const plans = planPartitions(fabric, placeInServices(fabric, threads));
  const run = new ThreadsRun(fabric, plans, { check: false, from: null });
  const start = performance.now();
  let beganAt = 0;
  let lastAt = 0;
  let lastPs = 0;
  const poll = setInterval(() => {
    const { virtualPs, frameHops } = run.progress();
    if (beganAt === 0 && frameHops > 0) beganAt = performance.now();
    if (virtualPs === lastPs) return;
    lastAt = performance.now();
    lastPs = virtualPs;
  }, POLL_MS);
  const { results } = await run.run();
  clearInterval(poll);
  const windowsMs = ((lastAt - beganAt) * results.virtualPs) / lastPs;
  return { windowsMs, aroundMs: performance.now() - start - windowsMs };
}
