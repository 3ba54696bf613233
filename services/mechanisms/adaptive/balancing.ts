import { UNKNOWN } from '../../engine/kernel/kinds.js';
import type { BalancedFrame, OutsidePlace } from '../../engine/contract/outside.js';
import { RandomStream } from '../../engine/kernel/random.js';
import { Balancer } from '../balancing-slice.js';
import type { AdaptiveSettings } from './settings.js';

/** More bands than any queue has. */
const HELD = 2 ** 60;
const NONE = -1;

/**
 * Each frame takes the port that has least before it. Ports are compared by the time in which they
 * send what they have, so a slower link gets fewer frames. Equal ones are as likely as each other.
 */
export class Adaptive extends Balancer<AdaptiveSettings> {
  static readonly kinds = UNKNOWN;

  /** By group: position of the port of the frame before. */
  private last = new Int32Array(0);
  private readonly random: RandomStream;
  readonly #bandPs: number;

  constructor(place: OutsidePlace) {
    super(place);
    this.random = new RandomStream(place.seed, `${place.name}/adaptive`);
    this.#bandPs = this.settings.band * Math.min(...place.ports.map(({ octetPs }) => octetPs));
  }

  protected begin(sizes: Int32Array): void {
    this.last = new Int32Array(sizes.length).fill(NONE);
  }

  protected spread(
    group: number,
    ports: Uint16Array,
    start: number,
    size: number,
    frame: BalancedFrame,
  ): number {
    const { candidates, remember } = this.settings;
    const isAll = candidates === 'all' || candidates >= size;
    const count = isAll ? size : candidates;
    let best = remember ? this.last[group] : NONE;
    let least = best === NONE ? Infinity : this.cost(ports[start + best], frame);
    let equals = 1;
    for (let i = 0; i < count; i++) {
      const position = isAll ? i : this.random.below(size);
      const cost = this.cost(ports[start + position], frame);
      if (cost > least) continue;
      equals = cost < least ? 1 : equals + 1;
      // Of n that are equal, each is the one with a chance of 1 in n.
      if (equals === 1 || this.random.below(equals) === 0) best = position;
      least = cost;
    }
    this.last[group] = best;
    return best;
  }

  private cost(port: number, frame: BalancedFrame): number {
    const { carrier, firstPort } = this.place;
    const { by } = this.settings;
    const isHeld =
      by !== 'queue' && (carrier.blockedPriorities(firstPort + port) & (1 << frame.priority)) !== 0;
    const held = isHeld ? HELD : 0;
    return by === 'pause' ? held : held + Math.floor(this.drainPs(port, frame) / this.#bandPs);
  }
}
