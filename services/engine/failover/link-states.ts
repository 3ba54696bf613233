import { SHAPE } from '../kernel/kinds.js';
import type { DownSlots } from '../routing/adjacency.js';
import type { LinkState } from '../wire/link-state.js';
import { assert } from '../kernel/assert.js';

/**
 * The link states that a switch knows: the last state of each end that ever changed, and which
 * changes its routes do not include yet. Plain state, in an order that does not depend on the order
 * in which it was learned.
 */
export class LinkStates {
  static readonly kinds = SHAPE;

  /** By slot, ascending. */
  states: LinkState[] = [];
  /** By time, then slot, then sequence. */
  pending: LinkState[] = [];
  /** Ends that are down in the present routes, ascending. */
  down: number[] = [];
  /** Sequence of the last change in the routes, by position in `states`. */
  applied: number[] = [];

  get nextPs(): number {
    return this.pending[0]?.applyPs ?? Infinity;
  }

  /** False if it is known, or older than what is known. */
  learn(state: LinkState): boolean {
    const at = this.positionOf(state.slot);
    const known = this.states[at];
    if (known?.slot !== state.slot) {
      this.states.splice(at, 0, state);
      this.applied.splice(at, 0, 0);
    } else if (known.sequence >= state.sequence) return false;
    else this.states[at] = state;
    assert(this.applied.length === this.states.length, 'failover.sequence-of-each-state');
    const later = this.pending.findIndex((other) => isBefore(state, other));
    this.pending.splice(later < 0 ? this.pending.length : later, 0, state);
    return true;
  }

  /** Applies all changes that are due; true if routes change. */
  apply(nowPs: number): boolean {
    let changed = false;
    while (this.nextPs <= nowPs) {
      const { slot, sequence, down } = this.pending.shift()!;
      const at = this.positionOf(slot);
      if (this.applied[at] >= sequence) continue;
      assert(this.states[at]?.slot === slot, 'failover.applied-is-known');
      this.applied[at] = sequence;
      const place = this.down.findIndex((other) => other >= slot);
      const isDown = place >= 0 && this.down[place] === slot;
      if (isDown === down) continue;
      changed = true;
      if (down) this.down.splice(place < 0 ? this.down.length : place, 0, slot);
      else this.down.splice(place, 1);
    }
    return changed;
  }

  private positionOf(slot: number): number {
    let [low, high] = [0, this.states.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.states[middle].slot < slot) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function isBefore(a: LinkState, b: LinkState): boolean {
  if (a.applyPs !== b.applyPs) return a.applyPs < b.applyPs;
  return a.slot === b.slot ? a.sequence < b.sequence : a.slot < b.slot;
}

/** Marks both ends of every link of which an end is down. */
export function downSlots(
  slots: number,
  down: readonly number[],
  otherEnd: (slot: number) => number,
): DownSlots | null {
  if (down.length === 0) return null;
  const marks = new Uint8Array(slots);
  for (const slot of down) {
    marks[slot] = 1;
    marks[otherEnd(slot)] = 1;
  }
  return marks;
}
