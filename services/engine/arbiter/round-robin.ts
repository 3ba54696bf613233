import { SHAPE } from '../kernel/kinds.js';
import type { Arbiter } from '../contract/arbiter.js';
import { assert } from '../kernel/assert.js';

/** A frame of each waiting class in turn, whatever its length. */
export class RoundRobinArbiter implements Arbiter {
  static readonly kinds = SHAPE;

  private last = 7;

  pick(eligible: number): number {
    this.last = nextInTurn(eligible, this.last);
    return this.last;
  }

  outranking(): number {
    return 0;
  }
}

/** The first class after `last`, cyclically, whose bit is set. */
export function nextInTurn(eligible: number, last: number): number {
  assert(eligible !== 0 && last >= 0 && last < 8, 'arbiter.turn-of-8');
  const above = eligible & (-2 << last);
  const candidates = above !== 0 ? above : eligible;
  return 31 - Math.clz32(candidates & -candidates);
}
