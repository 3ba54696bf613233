// Tests by path: one is meant if its path begins with one of these.

/** The fast tier, `npm run test:fast`: what is to be run after every change. */
export const FAST = [
  // Rules of the house but for the linter, which `npm run lint` runs.
  'tidy/house',
  'tidy/documents',
  'tidy/commands',
  'tidy/references',
  // What keeps golden fingerprints; `npm run golden` compares those of all examples.
  'golden/',
  'scenario/readme',
  // Each part by itself.
  'unit/',
  // Each checker, with a defect that it has to find.
  'validation/negative-controls',
  // Random links and fabrics.
  'property/credit-recovery',
  'property/discovery-credit',
  'property/mvtx2802-fabrics',
  'property/random-fabrics',
];

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
