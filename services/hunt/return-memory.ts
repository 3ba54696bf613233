import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Of engines that are gone, before it is worth a collection of garbage. */
const ENGINES_OCTETS = 512e6;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/**
 * Gives memory of engines back that are no longer used. V8 does not count their blocks when it
 * decides to collect garbage, so that a run does not pay for it; but where one engine follows the
 * other, hundreds of them wait for the heap around them to fill.
 */
export function returnMemory(): void {
  if (process.memoryUsage().arrayBuffers > ENGINES_OCTETS) collect();
}
