import { parentPort, workerData } from 'node:worker_threads';
import { makeWorld } from './world.js';
import { whatIsWrong, wrongInThreads } from './world-trial.js';

/** Input of a worker; it receives the number of the next world each time. */
interface WorldTask {
  readonly seed: number;
  /** With the second oracle. */
  readonly deep: boolean;
}

const { seed, deep } = workerData as WorldTask;

/** Starting threads takes longer than running a world: only one in so many has them. */
const WORLDS_PER_THREADS = 25;

parentPort!.on('message', (world: number) => {
  const { fabric } = makeWorld(seed, world);
  const reason = whatIsWrong(fabric, world, deep);
  const isSample = reason === null && world % WORLDS_PER_THREADS === 0;
  void (isSample ? wrongInThreads(fabric, world) : Promise.resolve(reason)).then((wrong) => {
    parentPort!.postMessage({ world, reason: wrong });
  });
});
