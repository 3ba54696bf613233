import { parentPort, workerData } from 'node:worker_threads';
import { isBroken, makeWorld } from './world.js';
import { returnMemory } from '../return-memory.js';
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
  void reasonOf(world).then((reason) => {
    parentPort!.postMessage({ world, reason });
    returnMemory();
  });
});

async function reasonOf(world: number): Promise<string | null> {
  const { fabric } = makeWorld(seed, world);
  if (isBroken(fabric)) return fabric.broken;
  const reason = whatIsWrong(fabric, world, deep);
  const isOpen = fabric.scenario.durationPs === null;
  const isSample = reason === null && !isOpen && world % WORLDS_PER_THREADS === 0;
  return isSample ? wrongInThreads(fabric, world) : reason;
}
