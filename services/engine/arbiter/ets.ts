import { SHAPE } from '../kernel/kinds.js';
import { classesAbove, type Arbiter, type Heads } from '../contract/arbiter.js';
import { DwrrArbiter, quantaOf } from './dwrr.js';
import { assert } from '../kernel/assert.js';

/**
 * Enhanced transmission selection (802.1Q clause 37): strict classes first, highest first; the
 * bandwidth-share classes divide what is left by their percentages, and what one of them does not
 * use is left to the others.
 */
export class EtsArbiter implements Arbiter {
  static readonly kinds = { strictClasses: SHAPE };

  private readonly sharing: DwrrArbiter;
  private strictClasses = 0;

  constructor(shares: readonly (number | null)[]) {
    this.sharing = new DwrrArbiter([]);
    this.share(shares);
  }

  /** Sets other shares from now on; null marks a strict class. */
  share(shares: readonly (number | null)[]): void {
    this.sharing.weigh(quantaOf(shares.map((share) => share ?? 0)));
    assert(shares.length <= 8, 'ets.shares-of-8-classes');
    this.strictClasses = shares.reduce<number>(
      (mask, share, tc) => (share === null ? mask | (1 << tc) : mask),
      0,
    );
  }

  pick(eligible: number, heads: Heads, port: number): number {
    const strict = eligible & this.strictClasses;
    return strict !== 0 ? 31 - Math.clz32(strict) : this.sharing.pick(eligible, heads, port);
  }

  outranking(trafficClass: number): number {
    const { strictClasses } = this;
    if ((strictClasses & (1 << trafficClass)) !== 0) {
      return strictClasses & classesAbove(trafficClass);
    }
    return strictClasses | this.sharing.outranking(trafficClass);
  }
}
