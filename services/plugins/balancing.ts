import { UNKNOWN } from '../engine/kernel/kinds.js';
import type {
  BalancedFrame,
  LoadBalancing,
  OutsideKind,
  OutsidePlace,
} from '../engine/contract/outside.js';
import { RandomStream } from '../engine/kernel/random.js';
import { OCTET_BITS_PS } from '../engine/units/rates.js';
import type { Balancing, Numbers, Choice } from './api.js';
import { failureOf, fieldsOf, type NamedPlugin, thrownBy } from './views.js';

/** The load balancing of a plugin, as switches are given it. */
export function balancingKind(plugin: Balancing, file: string): OutsideKind<LoadBalancing> {
  return {
    name: plugin.name,
    create: (at) => new PluginBalancing(plugin, file, at),
  };
}

/** Runs the load balancing of a plugin for one switch. */
class PluginBalancing implements LoadBalancing {
  static readonly kinds = UNKNOWN;

  /** By group of equal ports: how many it has, and the declared fields. */
  private sizes = new Int32Array(0);
  private groups = new Float64Array(0);
  /** By slot of flows: the declared fields. */
  private readonly flows: Float64Array;
  private readonly random: RandomStream;
  readonly #plugin: Balancing;
  readonly #named: NamedPlugin;
  readonly #at: OutsidePlace;
  readonly #choice: Choice;
  readonly #initial: readonly number[];
  readonly #slots: number;
  /** What is shown. */
  readonly #shown = {
    group: 0,
    ports: new Uint16Array(0) as Uint16Array,
    start: 0,
    size: 0,
    frame: { hash: 0, octets: 0, priority: 0 },
  };

  constructor(plugin: Balancing, file: string, at: OutsidePlace) {
    this.#plugin = plugin;
    this.#named = { name: plugin.name, file };
    this.#at = at;
    this.#initial = Object.values(plugin.state);
    this.#slots = plugin.flows?.slots ?? 1;
    const ofFlow = Object.values(plugin.flows?.state ?? {});
    this.flows = new Float64Array(this.#slots * ofFlow.length);
    for (let slot = 0; slot < this.#slots; slot++) this.flows.set(ofFlow, slot * ofFlow.length);
    this.random = new RandomStream(at.seed, `${at.name}/${plugin.name}`);
    this.#choice = this.makeChoice(ofFlow.length);
  }

  regroup(sizes: Int32Array): void {
    const stride = this.#initial.length;
    const groups = new Float64Array(sizes.length * stride);
    sizes.forEach((size, group) => {
      const at = group * stride;
      // What is remembered names ports by their position: of another number it is void.
      const isKept = this.sizes[group] === size;
      groups.set(isKept ? this.groups.subarray(at, at + stride) : this.#initial, at);
    });
    this.sizes = sizes.slice();
    this.groups = groups;
  }

  choose(
    group: number,
    ports: Uint16Array,
    start: number,
    size: number,
    frame: BalancedFrame,
  ): number {
    const shown = this.#shown;
    shown.group = group;
    shown.ports = ports;
    shown.start = start;
    shown.size = size;
    shown.frame = frame;
    let answer: unknown;
    try {
      answer = this.#plugin.chooses(this.#choice);
    } catch (error) {
      throw this.failure(thrownBy(this.#named, error));
    }
    if (Number.isInteger(answer) && (answer as number) >= 0 && (answer as number) < size) {
      return answer as number;
    }
    throw this.failure(`chooses returned ${String(answer)}; write 0 to ${size - 1}`);
  }

  private failure(reason: string): Error {
    const { name, carrier } = this.#at;
    return failureOf(this.#named, carrier.clock.now, name, reason);
  }

  private makeChoice(fieldsOfFlow: number): Choice {
    const at = this.#at;
    const shown = this.#shown;
    const slots = this.#slots;
    const stride = this.#initial.length;
    const { random, flows } = this;
    const { carrier } = at;
    const portOf = (index: number): number => {
      if (Number.isInteger(index) && index >= 0 && index < shown.size) {
        return shown.ports[shown.start + index]!;
      }
      throw new RangeError(`no port ${String(index)}: there are ${shown.size}, from 0`);
    };
    return Object.freeze({
      settings: at.settings as Numbers,
      state: fieldsOf(
        this.#plugin.state,
        () => this.groups,
        () => shown.group * stride,
      ),
      flow: fieldsOf(
        this.#plugin.flows?.state ?? {},
        () => flows,
        () => (shown.frame.hash % slots) * fieldsOfFlow,
      ),

      get now(): number {
        return at.carrier.clock.now;
      },

      get count(): number {
        return shown.size;
      },

      get hash(): number {
        return shown.frame.hash;
      },

      get frameBytes(): number {
        return shown.frame.octets;
      },

      get priority(): number {
        return shown.frame.priority;
      },

      queueBytes: (index: number) => {
        const port = at.firstPort + portOf(index);
        return carrier.queueOctets(port, carrier.classOf(port, shown.frame.priority));
      },
      lineBps: (index: number) => OCTET_BITS_PS / at.ports[portOf(index)]!.octetPs,
      random: () => random.uniform(),
    });
  }
}
