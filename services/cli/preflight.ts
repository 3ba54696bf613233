/**
 * Before a run: refuses what needs more memory than there is, goes on for more than a day, or tells
 * nothing.
 */

import { getHeapStatistics } from 'node:v8';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { LoadedScenario } from '../fabric/scenario/load-scenario.js';
import { fabricCount } from '../fabric/sizing/fabric-count.js';
import { assemblyOctets, runEstimate } from '../fabric/sizing/run-estimate.js';
import { formatCount, formatOctets } from '../report/format.js';
import type { Path } from '../settings/source-tree.js';
import { memoryOctets } from '../runtime/frame-room.js';

/** Memory of the machine or container that a run may need; the rest is for other programs. */
const SHARE_OF_MEMORY = 0.9;
/** Of the memory of a fabric, what lies in the heap of V8, which has a limit of its own. */
const SHARE_IN_HEAP = 0.65;
/** From so many on it takes more than some seconds until a run shows progress. */
const HOSTS_OF_LARGE = 4096;

const ROWS_MOST = 20e6;
const SECONDS_MOST = 86_400;
const SECONDS_OF_HOUR = 3600;

const FORCE = '--force runs it all the same';

/** Refuses a fabric that does not fit into memory, before it is built. */
export function preflightFabric(loaded: LoadedScenario): void {
  const { scenario } = loaded;
  const count = fabricCount(scenario.fabric);
  const octets = assemblyOctets(count);
  const { heap_size_limit: heap } = getHeapStatistics();
  const name =
    `${formatCount(count.hosts)} hosts, ${formatCount(count.switches)} switches and ` +
    `${formatCount(count.links)} links need about ${formatOctets(octets)}`;
  if (octets > SHARE_OF_MEMORY * memoryOctets()) {
    const message = `${name}, and there are ${formatOctets(memoryOctets())}`;
    throw loaded.errorAt(['fabric'], `${message}; take a smaller fabric, or ${FORCE}`);
  }
  if (octets * SHARE_IN_HEAP > heap) {
    const mb = Math.ceil((octets * SHARE_IN_HEAP) / 2 ** 20 / 1000) * 1000;
    const message = `${name}, more than the heap of Node, ${formatOctets(heap)}`;
    const remedy = `set NODE_OPTIONS=--max-old-space-size=${mb}, or take a smaller fabric`;
    throw loaded.errorAt(['fabric'], `${message}; ${remedy}; ${FORCE}`);
  }
}

/** What is built while nothing else can be shown; null for a fabric that is built at once. */
export function largeFabric({ scenario }: LoadedScenario): string | null {
  const count = fabricCount(scenario.fabric);
  const { hosts, switches, links } = count;
  if (hosts < HOSTS_OF_LARGE) return null;
  const size = `${formatCount(hosts)} hosts, ${formatCount(switches)} switches`;
  const memory = formatOctets(assemblyOctets(count));
  return `building ${size} and ${formatCount(links)} links: about ${memory}`;
}

/** Refuses a run whose results would tell nothing. */
export function preflightSense(loaded: LoadedScenario, { warnings }: Fabric): void {
  const refused = warnings.find(({ isRefused }) => isRefused);
  if (refused !== undefined) throw loaded.errorAt(refused.path, `${refused.message}; ${FORCE}`);
}

/** Refuses a run that would record more than memory holds, or go on for more than a day. */
export function preflightRun(loaded: LoadedScenario, fabric: Fabric): void {
  const { hops, samples, rows, recordedOctets, seconds } = runEstimate(fabric);
  const { observe } = fabric.scenario;
  const refuse = (path: Path, message: string, remedy: string): never => {
    throw loaded.errorAt(path, `${message}; ${remedy}, or ${FORCE}`);
  };
  if (rows > ROWS_MOST) {
    const message =
      `${formatCount(samples)} samples come to about ${formatCount(rows)} rows ` +
      `(${formatOctets(recordedOctets)}; at most ${formatCount(ROWS_MOST)} rows)`;
    refuse(['observe', 'series'], message, 'write a longer interval, or fewer observe.ports');
  }
  if (recordedOctets > SHARE_OF_MEMORY * memoryOctets()) {
    const key = observe.events === false ? 'series' : 'events';
    const amount = formatOctets(recordedOctets);
    const message = `about ${amount} are recorded of ${formatCount(hops)} hops`;
    const remedy = `there are ${formatOctets(memoryOctets())}: leave out observe.${key}`;
    refuse(['observe', key], message, remedy);
  }
  if (seconds > SECONDS_MOST) {
    const isSampled = samples * fabric.linkEnds.flat().length > hops * 10;
    const hours = formatCount(seconds / SECONDS_OF_HOUR);
    const message = `about ${hours} hours in one thread, of ${formatCount(hops)} hops of frames`;
    if (isSampled) refuse(['observe', 'series'], message, 'write a longer interval');
    refuse(['duration'], message, 'write a shorter duration, or less load');
  }
}
