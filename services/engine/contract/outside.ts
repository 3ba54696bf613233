/**
 * Decisions of a switch that a part from outside takes: whether a frame is marked, and which of
 * several equal ports it leaves by. The engine asks, and keeps the state of the part with that of
 * the switch; what `create` returns is saved like any other object of it.
 */

import type { Clock } from '../kernel/clock.js';
import type { SwitchSpec } from './spec.js';
import type { PortRow, Priority, TrafficClass } from '../units/indices.js';

/** Named by a scenario, and made once for each switch that uses it. */
export interface OutsideKind<Part> {
  readonly name: string;
  create(place: OutsidePlace): Part;
}

export interface OutsidePlace extends Pick<SwitchSpec, 'name' | 'seed' | 'ports'> {
  /** Number in the service of its first port. */
  readonly firstPort: PortRow;
  /** As the scenario has them: plain data. */
  readonly settings: object;
  readonly carrier: OutsideCarrier;
}

/** What such a part may ask its switch. Ports are those of the service. */
interface OutsideCarrier {
  readonly clock: Clock;
  /** Octets of shared buffer that are free in the switch that a port belongs to. */
  freeOctets(port: PortRow): number;
  queueOctets(port: PortRow, trafficClass: TrafficClass): number;
  /** The queue of a port that frames of a priority join. */
  classOf(port: PortRow, priority: Priority): TrafficClass;
  /** Priorities that may not start a frame at a port now, one bit each. */
  blockedPriorities(port: PortRow): number;
}

/** The part that a specification names, for a switch. */
export function outsidePart<Part>(
  kinds: readonly OutsideKind<Part>[],
  place: Omit<OutsidePlace, 'settings' | 'carrier'>,
  { name, settings }: { readonly name: string; readonly settings: object },
  carrier: OutsideCarrier,
): Part {
  const kind = kinds.find((own) => own.name === name);
  if (kind === undefined) throw new Error(`nothing from outside is called ${name}`);
  const { seed, ports, firstPort } = place;
  return kind.create({ name: place.name, seed, ports, firstPort, settings, carrier });
}

/** Decides for each frame of a queue. */
export interface QueueMarking {
  /**
   * A frame of so many octets joins a queue, or leaves it, which has `queueOctets` with it. True:
   * it is marked, if it can be.
   */
  marks(
    port: PortRow,
    trafficClass: TrafficClass,
    octets: number,
    queueOctets: number,
    isCapable: boolean,
  ): boolean;
}

/** In place of a position: the one that the hash of the flow gives. */
export const BY_HASH = -1;

/** Chooses among ports that lead to a destination at equal cost. */
export interface LoadBalancing {
  /**
   * By group: how many equal ports it has from now on. A group that has as many as before, as after
   * a run was restored, keeps what is remembered of it; another one begins anew.
   */
  regroup(sizes: Int32Array): void;
  /**
   * Position in its group of a frame's port: the group is `size` of `ports` from `start`; or
   * `BY_HASH`.
   */
  choose(
    group: number,
    ports: Uint16Array,
    start: number,
    size: number,
    frame: BalancedFrame,
  ): number;
}

/** What is known of a frame that is forwarded. One object shows one after another. */
export interface BalancedFrame {
  hash: number;
  octets: number;
  priority: Priority;
}
