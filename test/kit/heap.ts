import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** What is in use, and not only waiting to be collected. */
export function heapOctets(): number {
  collect();
  // Memory of buffers is given back in the background, at the latest as the next collection begins.
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
