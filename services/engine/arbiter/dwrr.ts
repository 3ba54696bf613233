import type { Arbiter, Heads } from '../contract/arbiter.js';
import { nextInTurn } from './round-robin.js';

/**
 * Deficit weighted round robin (Shreedhar and Varghese): a class is served while its deficit
 * covers the head frame, and gains its quantum whenever its turn begins. Deficits count wire
 * octets, so shares are shares of the link and not of frames. A class that has nothing to send
 * when its turn comes starts again from zero.
 */
export class DwrrArbiter implements Arbiter {
  private readonly deficit = new Float64Array(8);
  private readonly quantum = new Float64Array(8);
  /** Whose turn it is; -1 before the first. */
  private serving = -1;
  /** Classes that were seen waiting at the last decision. */
  private waiting = 0;

  /** Quanta in wire octets by class; a class that never sends may have 0. */
  constructor(quanta: readonly number[]) {
    this.weigh(quanta);
  }

  weigh(quanta: readonly number[]): void {
    for (let tc = 0; tc < 8; tc++) this.quantum[tc] = quanta[tc] ?? 0;
  }

  pick(eligible: number, heads: Heads, port: number): number {
    const { deficit, quantum } = this;
    let gone = this.waiting & ~eligible;
    this.waiting = eligible;
    while (gone !== 0) {
      const tc = 31 - Math.clz32(gone);
      deficit[tc] = 0;
      gone &= ~(1 << tc);
    }
    let tc = this.serving;
    if (tc < 0 || (eligible & (1 << tc)) === 0) tc = this.begin(eligible, tc < 0 ? 7 : tc);
    for (;;) {
      const octets = heads.headWireOctets(port, tc);
      if (deficit[tc] >= octets) {
        deficit[tc] -= octets;
        return tc;
      }
      if (quantum[tc] <= 0) throw new Error(`class ${tc} has no share but frames to send`);
      tc = this.begin(eligible, tc);
    }
  }

  private begin(eligible: number, last: number): number {
    const tc = nextInTurn(eligible, last);
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
