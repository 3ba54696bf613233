import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './emulate.js';
import { isLong } from './long-suite.js';

/**
 * What crosses partitions in ways of its own: a mechanism's messages, faults, discovery, groups,
 * plugins. `virtual-time.test` has all examples in services in memory.
 */
const REPRESENTATIVES = [
  'chaos',
  'credit-tenants',
  'discovery-cee-host',
  'discovery-credit-change',
  'failover',
  'forged-cnp',
  'incast-aim',
  'incast-cbfc',
  'incast-ci',
  'incast-dcqcn',
  'incast-hpcc',
  'incast-pfc',
  'incast-qcn',
  'mixed-methods',
  'mvtx2802-multicast',
  'nic-groups',
  'ring-all-reduce',
  'sfc-proxy',
  'storm-watchdog',
  'victim-behind-sfc',
];

/** Examples that are run in threads and in processes; the long suite runs all. */
export const crossingExamples = readdirSync(join(ROOT, 'examples'))
  .filter((name) => name.endsWith('.yaml'))
  .filter((name) => isLong || REPRESENTATIVES.includes(name.replace(/\.yaml$/, '')));
