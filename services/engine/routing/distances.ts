import type { Adjacency, DownSlots } from './adjacency.js';
import { assert } from '../kernel/assert.js';

export const UNREACHED = -1;

/** Links from one switch to every other over switches: a breadth-first search that runs often. */
export class Distances {
  /** By device; UNREACHED for hosts and for unreachable devices. */
  readonly to: Int16Array;
  /** The switches reached, nearest first: the first `reachedCount` of these. */
  readonly reached: Int32Array;
  reachedCount = 0;

  /** `down`: links that are not used; null: there are none. */
  constructor(
    private readonly adjacency: Adjacency,
    readonly down: DownSlots | null = null,
  ) {
    const devices = adjacency.firstSlot.length - 1;
    this.to = new Int16Array(devices);
    this.reached = new Int32Array(devices);
  }

  measureFrom(root: number): void {
    const { hosts, firstSlot, peer } = this.adjacency;
    const { to, reached, down } = this;
    assert(root >= hosts && root < to.length, 'distances.from-a-switch');
    to.fill(UNREACHED);
    to[root] = 0;
    reached[0] = root;
    this.reachedCount = 1;
    for (let next = 0; next < this.reachedCount; next++) {
      const device = reached[next];
      for (let slot = firstSlot[device]; slot < firstSlot[device + 1]; slot++) {
        const neighbor = peer[slot];
        if (neighbor < hosts || to[neighbor] !== UNREACHED) continue;
        if (down !== null && down[slot] !== 0) continue;
        assert(this.reachedCount < reached.length, 'distances.each-switch-once');
        to[neighbor] = to[device] + 1;
        reached[this.reachedCount++] = neighbor;
      }
    }
  }
}
