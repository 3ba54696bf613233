/** User priority to traffic class (7.7.2.2, 7.7.3.1), as RTTUP2TC and RTRUP2TC pack it. */

export function packClasses(classOf: readonly number[]): number {
  return classOf.reduce((word, tc, up) => word | (tc << (3 * up)), 0);
}

export function unpackClasses(word: number): number[] {
  return Array.from({ length: 8 }, (_, up) => (word >>> (3 * up)) & 7);
}

/** Classes with a stopped priority (a bit each in both): one is enough to stall a buffer. */
export function stalledClasses(classOf: ArrayLike<number>, stopped: number): number {
  let stalled = 0;
  for (let up = 0; up < 8; up++) if ((stopped & (1 << up)) !== 0) stalled |= 1 << classOf[up];
  return stalled;
}
