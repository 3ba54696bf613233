import { UNKNOWN } from '../engine/kernel/kinds.js';
import type { OutsideKind, OutsidePlace, QueueMarking } from '../engine/contract/outside.js';
import { RandomStream } from '../engine/kernel/random.js';
import type { PortRow, TrafficClass } from '../engine/units/indices.js';
import { TRAFFIC_CLASSES } from '../engine/units/ethernet.js';
import { OCTET_BITS_PS } from '../engine/units/rates.js';
import type { Marking, Numbers, Queue } from './api.js';
import { failureOf, fieldsOf, type NamedPlugin, thrownBy } from './views.js';

/** The marking of a plugin, as switches are given it. */
export function markingKind(plugin: Marking, file: string): OutsideKind<QueueMarking> {
  return {
    name: plugin.name,
    create: (at) => new PluginMarking(plugin, file, at),
  };
}

/** Runs the marking of a plugin for all queues of one switch. */
class PluginMarking implements QueueMarking {
  static readonly kinds = UNKNOWN;

  /** By port of the switch, then class: the declared fields. */
  private readonly state: Float64Array;
  private readonly random: RandomStream;
  readonly #plugin: Marking;
  readonly #named: NamedPlugin;
  readonly #at: OutsidePlace;
  readonly #queue: Queue;
  readonly #fields: number;
  /** What is shown. */
  readonly #shown = { port: 0, at: 0, bytes: 0, queueBytes: 0, capable: false };

  constructor(plugin: Marking, file: string, at: OutsidePlace) {
    const initial = Object.values(plugin.state);
    const queues = at.ports.length * TRAFFIC_CLASSES;
    this.state = new Float64Array(queues * initial.length);
    for (let q = 0; q < queues; q++) this.state.set(initial, q * initial.length);
    this.random = new RandomStream(at.seed, `${at.name}/${plugin.name}`);
    this.#plugin = plugin;
    this.#named = { name: plugin.name, file };
    this.#at = at;
    this.#fields = initial.length;
    this.#queue = this.makeQueue();
  }

  marks(
    port: PortRow,
    trafficClass: TrafficClass,
    octets: number,
    queueOctets: number,
    isCapable: boolean,
  ): boolean {
    const shown = this.#shown;
    shown.port = port - this.#at.firstPort;
    shown.at = (shown.port * TRAFFIC_CLASSES + trafficClass) * this.#fields;
    shown.bytes = octets;
    shown.queueBytes = queueOctets;
    shown.capable = isCapable;
    let answer: unknown;
    try {
      answer = this.#plugin.marks(this.#queue);
    } catch (error) {
      throw this.failure(thrownBy(this.#named, error));
    }
    if (typeof answer === 'boolean') return answer;
    throw this.failure(`marks returned ${String(answer)}; write true or false`);
  }

  private failure(reason: string): Error {
    const { ports, carrier } = this.#at;
    return failureOf(this.#named, carrier.clock.now, ports[this.#shown.port]!.name, reason);
  }

  private makeQueue(): Queue {
    const at = this.#at;
    const shown = this.#shown;
    const { random, state } = this;
    const { settings } = at;
    return Object.freeze({
      settings: settings as Numbers,
      state: fieldsOf(
        this.#plugin.state,
        () => state,
        () => shown.at,
      ),

      get now(): number {
        return at.carrier.clock.now;
      },

      get bytes(): number {
        return shown.queueBytes;
      },

      get frameBytes(): number {
        return shown.bytes;
      },

      get capable(): boolean {
        return shown.capable;
      },

      get lineBps(): number {
        return OCTET_BITS_PS / at.ports[shown.port]!.octetPs;
      },

      get freeBytes(): number {
        return at.carrier.freeOctets(at.firstPort);
      },

      random: () => random.uniform(),
    });
  }
}
