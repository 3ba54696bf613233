// Tests by path: one is meant if its path begins with one of these.

/** The fast tier, `npm run test:fast`: what is to be run after every change. */
export const FAST = [
  // Rules of the house but for the linter, which `npm run lint` runs.
  'tidy/house',
  'tidy/documents',
  'tidy/commands',
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

/** What takes longest, measured, the longest first: started first, they do not end alone. */
export const LONGEST = [
  'docker/',
  'distributed/processes',
  'distributed/threads',
  'property/worlds',
  'distributed/virtual-time',
  'validation/rate-control',
  'scenario/determinism',
];

/** Tests that start no other program, and do not measure their own: many files share a process. */
export const TOGETHER = ['unit/', 'validation/', 'property/'];
