import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './emulate.js';
import { isLong } from './long-suite.js';

/**
 * What crosses between processes in ways of its own: all faults, credit, discovery, a plugin that
 * each service loads, multicast, shares of an 82599, and islands of all of that. `virtual-time.test` has all
 * examples in services in memory, with what these encode.
 */
const IN_PROCESSES = [
  'chaos',
  'credit-tenants',
  'discovery-credit-change',
  'four-documents',
  'incast-aim',
  'mvtx2802-multicast',
  'nic-groups',
];

/**
 * Threads take turns at the same memory: the messages of each mechanism, too, and methods that
 * differ by link. `failover.test` has what moves routes.
 */
const IN_THREADS = [
  ...IN_PROCESSES,
  'incast-cbfc',
  'incast-ci',
  'incast-hpcc',
  'incast-qcn',
  'mixed-methods',
  'sfc-proxy',
];

/** Examples that are run in processes; the long suite runs all. */
export const examplesInProcesses = examplesOf(IN_PROCESSES);
/** Those that are run in threads. */
export const examplesInThreads = examplesOf(IN_THREADS);

function examplesOf(representatives: readonly string[]): readonly string[] {
  return readdirSync(join(ROOT, 'examples'))
    .filter((name) => name.endsWith('.yaml'))
    .filter((name) => isLong || representatives.includes(name.replace(/\.yaml$/, '')));
}
