/** User priority to traffic class (7.7.2.2, 7.7.3.1), as RTTUP2TC and RTRUP2TC pack it. */

import { assert } from '../kernel/assert.js';

export function packClasses(classOf: readonly number[]): number {
  assert(classOf.length === 8 && Math.max(...classOf) < 8, 'nic.class-of-3-bits');
  return classOf.reduce((word, tc, up) => word | (tc << (3 * up)), 0);
}

export function unpackClasses(word: number): number[] {
  return Array.from({ length: 8 }, (_, up) => (word >>> (3 * up)) & 7);
}
