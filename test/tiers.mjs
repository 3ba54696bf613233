// Tests by path: one is meant if its path begins with one of these.

/** The fast tier, `npm run test:fast`, at most 45 s on two idle cores: what every change is met by. */
const FAST = [
  // Rules of the house but for the linter, which `npm run lint` runs.
  'tidy/house',
  'tidy/documents',
  'tidy/commands',
  'tidy/references',
  'scenario/readme',
  // Each part by itself.
  'unit/',
  // Each checker, with a defect that it has to find.
  'validation/negative-controls',
  // Random links and fabrics.
  'property/credit-recovery',
  'property/discovery-credit',
  'property/random-fabrics',
];

/** Of those what takes seconds of a core each, and is about tools, or of random input. */
const NOT_FAST = [
  'unit/build/',
  'unit/fabric/scenario/hostile-input',
  'unit/fabric/scenario/json-schema',
];

export function isFast(path) {
  const isOf = (starts) => starts.some((start) => path.startsWith(start));
  return isOf(FAST) && !isOf(NOT_FAST);
}

/** Tests that mostly wait: for containers, a browser, a disk, for a lost process to be missed. */
export const WAITING = [
  'browser/',
  'deploy/cluster-run',
  'deploy/points',
  'deploy/prometheus',
  'docker/',
  'distributed/broken-infrastructure',
  'distributed/fault-matrix',
  'distributed/infrastructure',
  'distributed/join',
  'distributed/late-broker',
  'distributed/object-storage',
  'distributed/secrets',
  'distributed/steering',
  'distributed/verdicts',
  'interop/lldp-daemons',
  'interop/zipkin',
  'nodes/',
  'scenario/otlp',
];

/** Tests that leave nothing behind in their process: many files share one. */
export const TOGETHER = [
  ...['browser/', 'chaos/', 'deploy/', 'fuzz/', 'golden/', 'interop/', 'property/', 'scenario/'],
  ...['tidy/', 'unit/', 'validation/'],
  'distributed/broken-assertions',
  'distributed/busy-neighbours',
  'distributed/control-requests',
  'distributed/hostile',
  'distributed/late-broker',
  'distributed/process-group',
  'distributed/reflection',
  'distributed/store-errors',
  'distributed/streams',
  'distributed/thread',
  'distributed/traces',
  'distributed/virtual-time',
  'distributed/whole-checks',
];
