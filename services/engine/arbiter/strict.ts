import type { Arbiter } from '../contract/arbiter.js';
import { assert } from '../kernel/assert.js';

/** The highest class that waits is served first. */
export class StrictArbiter implements Arbiter {
  pick(eligible: number): number {
    assert(eligible > 0 && eligible < 256, 'arbiter.classes-of-8');
    return 31 - Math.clz32(eligible);
  }
}
