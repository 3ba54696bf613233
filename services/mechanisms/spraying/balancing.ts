import { UNKNOWN } from '../../engine/kernel/kinds.js';
import type { OutsidePlace } from '../../engine/contract/outside.js';
import { RandomStream } from '../../engine/kernel/random.js';
import { Balancer } from '../balancing-slice.js';
import type { SprayingSettings } from './settings.js';

/**
 * Each frame takes another port than the one before. Two flows at line rate that enter a switch
 * with two uplinks alternate; in a fixed round each would have one uplink for itself, as by hash.
 */
export class Spraying extends Balancer<SprayingSettings> {
  static readonly kinds = UNKNOWN;

  /** By group: how many of its ports this round has had, and where its order begins. */
  private turns = new Int32Array(0);
  private starts = new Int32Array(0);
  /** Positions of ports, those of the round first, one group behind the other. */
  private orders = new Int32Array(0);
  private readonly random: RandomStream;

  constructor(place: OutsidePlace) {
    super(place);
    this.random = new RandomStream(place.seed, `${place.name}/spraying`);
  }

  protected begin(sizes: Int32Array): void {
    let next = 0;
    this.starts = sizes.map((size) => (next += size) - size);
    this.turns = new Int32Array(sizes.length);
    this.orders = Int32Array.from([...sizes].flatMap((size) => [...new Array(size).keys()]));
  }

  protected spread(group: number, _ports: Uint16Array, _start: number, size: number): number {
    const { order } = this.settings;
    if (order === 'random') return this.random.below(size);
    const turn = this.turns[group];
    this.turns[group] = turn + 1 === size ? 0 : turn + 1;
    return order === 'fixed' ? turn : this.drawn(this.starts[group], turn, size);
  }

  /** Fisher and Yates, a step a frame: one of the ports that the round has not had. */
  private drawn(start: number, turn: number, size: number): number {
    const { orders } = this;
    const at = start + turn + this.random.below(size - turn);
    const position = orders[at];
    orders[at] = orders[start + turn];
    orders[start + turn] = position;
    return position;
  }
}
