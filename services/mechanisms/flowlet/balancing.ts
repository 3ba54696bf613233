import { UNKNOWN } from '../../engine/kernel/kinds.js';
import type { BalancedFrame, OutsidePlace } from '../../engine/contract/outside.js';
import { RandomStream } from '../../engine/kernel/random.js';
import { Balancer } from '../balancing-slice.js';
import type { FlowletSettings } from './settings.js';

const NONE = -1;

/** A flow keeps its port until it pauses for so long that its frames cannot overtake others. */
export class Flowlet extends Balancer<FlowletSettings> {
  static readonly kinds = UNKNOWN;

  /** By entry: when a frame of it came last, and the group and position that it took. */
  private readonly at: Float64Array;
  private readonly group: Int32Array;
  private readonly position: Int32Array;
  private readonly random: RandomStream;

  constructor(place: OutsidePlace) {
    super(place);
    const { flows } = this.settings;
    this.at = new Float64Array(flows).fill(-Infinity);
    this.group = new Int32Array(flows).fill(NONE);
    this.position = new Int32Array(flows);
    this.random = new RandomStream(place.seed, `${place.name}/flowlet`);
  }

  protected begin(): void {
    this.group.fill(NONE);
  }

  protected spread(
    group: number,
    ports: Uint16Array,
    start: number,
    size: number,
    frame: BalancedFrame,
  ): number {
    const { gap, flows } = this.settings;
    const { now } = this.place.carrier.clock;
    const entry = frame.hash % flows;
    if (this.group[entry] !== group || now - this.at[entry] > gap) {
      this.group[entry] = group;
      this.position[entry] = this.drawn(ports, start, size, frame);
    }
    this.at[entry] = now;
    return this.position[entry];
  }

  private drawn(ports: Uint16Array, start: number, size: number, frame: BalancedFrame): number {
    const first = this.random.below(size);
    if (this.settings.choose === 'random') return first;
    let best = first;
    let least = this.drainPs(ports[start + first], frame);
    for (let i = 1; i < size; i++) {
      const position = (first + i) % size;
      const drain = this.drainPs(ports[start + position], frame);
      if (drain >= least) continue;
      best = position;
      least = drain;
    }
    return best;
  }
}
