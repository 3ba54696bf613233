import { SHAPE } from '../kernel/kinds.js';
import type { Arbiter, Heads } from '../contract/arbiter.js';
import { nextInTurn } from './round-robin.js';
import { assert } from '../kernel/assert.js';

/**
 * Deficit weighted round robin (Shreedhar and Varghese): a class is served while its deficit covers
 * the head frame, and gains its quantum whenever its turn begins. Deficits count wire octets, so
 * shares are shares of the link and not of frames. A class with an empty queue at its turn starts
 * again from zero. A class without a share has what the others leave.
 */
export class DwrrArbiter implements Arbiter {
  static readonly kinds = SHAPE;

  private readonly deficit = new Float64Array(8);
  private readonly quantum = new Float64Array(8);
  /** Classes that have a share, one bit each. */
  private sharing = 0;
  /** The class being served; -1 before the first. */
  private serving = -1;
  /** Classes that were waiting at the last decision. */
  private waiting = 0;

  /** Quanta in wire octets by class. */
  constructor(quanta: readonly number[]) {
    this.weigh(quanta);
  }

  weigh(quanta: readonly number[]): void {
    this.sharing = 0;
    for (let tc = 0; tc < 8; tc++) {
      this.quantum[tc] = quanta[tc] ?? 0;
      assert(this.quantum[tc] >= 0 && this.quantum[tc] < Infinity, 'dwrr.quantum');
      if (this.quantum[tc] > 0) this.sharing |= 1 << tc;
    }
  }

  pick(eligible: number, heads: Heads, port: number): number {
    const { deficit } = this;
    let gone = this.waiting & ~eligible;
    this.waiting = eligible;
    while (gone !== 0) {
      const tc = 31 - Math.clz32(gone);
      deficit[tc] = 0;
      gone &= ~(1 << tc);
    }
    const among = eligible & this.sharing;
    let tc = this.serving;
    if (among === 0) return (this.serving = nextInTurn(eligible, tc < 0 ? 7 : tc));
    if (tc < 0 || (among & (1 << tc)) === 0) tc = this.begin(among, tc < 0 ? 7 : tc);
    for (;;) {
      const octets = heads.headWireOctets(port, tc);
      if (deficit[tc] >= octets) {
        deficit[tc] -= octets;
        return tc;
      }
      tc = this.begin(among, tc);
    }
  }

  /** Those with a share, if the class has none. */
  outranking(trafficClass: number): number {
    return (this.sharing & (1 << trafficClass)) === 0 ? this.sharing : 0;
  }

  private begin(eligible: number, last: number): number {
    const tc = nextInTurn(eligible, last);
    assert((this.sharing & (1 << tc)) !== 0, 'dwrr.class-has-a-share');
    this.serving = tc;
    this.deficit[tc] += this.quantum[tc];
    return tc;
  }
}

/** Least quantum of the smallest weight: a frame of the usual size, so that a round is short. */
const LEAST_QUANTUM_OCTETS = 1538;

/** Quanta in proportion to weights, none below one ordinary frame. */
export function quantaOf(weights: readonly number[]): number[] {
  const least = Math.min(...weights.filter((w) => w > 0));
  return weights.map((w) => (w / least) * LEAST_QUANTUM_OCTETS);
}
