import type { z } from 'zod';
import { integer, list, quantity } from '../settings/parts.js';
import { size } from '../settings/quantities.js';
import type {
  BalancedFrame,
  LoadBalancing,
  OutsideKind,
  OutsidePlace,
} from '../engine/contract/outside.js';
import { BY_HASH } from '../engine/contract/outside.js';

/** How switches choose among equal routes: from its keys in the scenario to what a switch does. */
export interface BalancingSlice extends OutsideKind<LoadBalancing> {
  /** It chooses for each frame, so frames of one flow overtake each other. */
  readonly reorders: boolean;
  /** Its keys, under its name in `ecmp`: ranges, defaults and their help. */
  readonly settings: z.ZodType<object>;
  readonly help: string;
  /** How `selvage duel` names it behind a flow control, with a transport that accepts any order. */
  readonly variant?: string;
  /** What else `selvage explain` finds it by, in lower case and with blanks for hyphens. */
  readonly alsoCalled: readonly string[];
  /** Text of `selvage explain`. */
  readonly topic: string;
}

/** Keys of every load balancing. */
export const balancingKeys = {
  priorities: list(integer(0, 7), 'priorities 0 to 7')
    .describe('Priorities that it spreads; all others go by hash of the flow. Default: all.')
    .exactOptional(),
  hashBelow: quantity(size)
    .describe('Frames shorter than this (acknowledgements, say) go by hash of the flow.')
    .prefault('0B'),
};

interface BalancingSettings {
  readonly priorities?: readonly number[];
  readonly hashBelow: number;
}

/** Whether frames of a priority are spread by a balancing with these settings. */
export function spreads({ priorities }: Partial<BalancingSettings>, priority: number): boolean {
  return priorities?.includes(priority) ?? true;
}

/** What all have: frames that they leave to the hash of the flow, and when they begin anew. */
export abstract class Balancer<Settings extends BalancingSettings> implements LoadBalancing {
  readonly #place: OutsidePlace;
  /** One bit each. */
  readonly #priorities: number;
  /** By group: how many ports it has. */
  private sizes = new Int32Array(0);

  constructor(place: OutsidePlace) {
    this.#place = place;
    const { priorities = [0, 1, 2, 3, 4, 5, 6, 7] } = this.settings;
    this.#priorities = priorities.reduce((mask, priority) => mask | (1 << priority), 0);
  }

  /** Positions in groups of other sizes name other ports: nothing is kept of them. */
  regroup(sizes: Int32Array): void {
    const isSame = sizes.every((size, group) => size === this.sizes[group]);
    if (isSame && sizes.length === this.sizes.length) return;
    this.sizes = sizes.slice();
    this.begin(this.sizes);
  }

  choose(
    group: number,
    ports: Uint16Array,
    start: number,
    size: number,
    frame: BalancedFrame,
  ): number {
    const { octets, priority } = frame;
    const isLeft = octets < this.settings.hashBelow || (this.#priorities & (1 << priority)) === 0;
    return isLeft ? BY_HASH : this.spread(group, ports, start, size, frame);
  }

  protected abstract begin(sizes: Int32Array): void;

  protected abstract spread(
    group: number,
    ports: Uint16Array,
    start: number,
    size: number,
    frame: BalancedFrame,
  ): number;

  /** The time in which the queue that a frame joins at a port, and the frame, leave it. */
  protected drainPs(port: number, { priority, octets }: BalancedFrame): number {
    const { carrier, firstPort, ports } = this.#place;
    const row = firstPort + port;
    const queue = carrier.queueOctets(row, carrier.classOf(row, priority));
    return (queue + octets) * ports[port].octetPs;
  }

  protected get settings(): Settings {
    return this.#place.settings as Settings;
  }

  protected get place(): OutsidePlace {
    return this.#place;
  }
}
