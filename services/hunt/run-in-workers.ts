import { Worker } from 'node:worker_threads';

/** Numbers of the runs: `count` of them, from `from` on. */
interface RunNumbers {
  readonly from: number;
  readonly count: number;
}

/** Runs allocate much that is needed for one run only: a larger nursery costs a fifth less time. */
const LIMITS = { maxYoungGenerationSizeMb: 192 };

/**
 * Runs numbers in worker threads, each of which gets one after the other and replies to each. Which
 * thread runs which number is not determined.
 */
export async function runInWorkers(
  program: string,
  workerData: unknown,
  threads: number,
  { from, count }: RunNumbers,
  replied: (reply: unknown) => void,
): Promise<void> {
  const workers = Array.from(
    { length: Math.min(threads, count) },
    () => new Worker(program, { workerData, resourceLimits: LIMITS }),
  );
  let next = from;
  const serve = (worker: Worker): Promise<void> =>
    new Promise((resolve, reject) => {
      const give = (): void => {
        if (next < from + count) worker.postMessage(next++);
        else resolve();
      };
      worker.on('message', (reply: unknown) => {
        replied(reply);
        give();
      });
      worker.once('error', reject);
      give();
    });
  try {
    await Promise.all(workers.map(serve));
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}
