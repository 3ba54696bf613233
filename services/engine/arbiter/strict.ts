import { classesAbove, type Arbiter } from '../contract/arbiter.js';

/** The highest class that waits is served first. */
export class StrictArbiter implements Arbiter {
  pick(eligible: number): number {
    return 31 - Math.clz32(eligible);
  }

  outranking(trafficClass: number): number {
    return classesAbove(trafficClass);
  }
}
