import { UNKNOWN } from '../engine/kernel/kinds.js';
import type {
  Arbiter as EngineArbiter,
  ArbiterKind,
  ArbiterPlace,
  Heads,
} from '../engine/contract/arbiter.js';
import { RandomStream } from '../engine/kernel/random.js';
import { TRAFFIC_CLASSES } from '../engine/units/ethernet.js';
import { OCTET_BITS_PS } from '../engine/units/rates.js';
import type { Arbiter, Numbers, Turn } from './api.js';
import { failureOf, fieldsOf, type NamedPlugin, thrownBy } from './views.js';

/** The arbiter of a plugin, as ports are given it. */
export function arbiterKind(plugin: Arbiter, file: string): ArbiterKind {
  return {
    name: plugin.name,
    create: (place) => new PluginArbiter(plugin, file, place),
  };
}

/** Runs the arbiter of a plugin for one port. */
class PluginArbiter implements EngineArbiter {
  static readonly kinds = UNKNOWN;

  /** The fields of the port, and those of its classes one after another. */
  private readonly state: Float64Array;
  private readonly random: RandomStream;
  readonly #plugin: Arbiter;
  readonly #named: NamedPlugin;
  readonly #place: ArbiterPlace;
  readonly #turn: Turn;
  /** What is shown. */
  #eligible = 0;
  #port = 0;
  #heads: Heads | null = null;

  constructor(plugin: Arbiter, file: string, place: ArbiterPlace) {
    const { port, seed } = place;
    const ofClass = Object.values(plugin.classes ?? {});
    const classes = new Array<readonly number[]>(TRAFFIC_CLASSES).fill(ofClass).flat();
    this.state = Float64Array.from([...Object.values(plugin.state), ...classes]);
    this.random = new RandomStream(seed, `${port.name}/${plugin.name}`);
    this.#plugin = plugin;
    this.#named = { name: plugin.name, file };
    this.#place = place;
    this.#turn = this.makeTurn();
  }

  pick(eligible: number, heads: Heads, port: number): number {
    this.#eligible = eligible;
    this.#heads = heads;
    this.#port = port;
    let answer: unknown;
    try {
      answer = this.#plugin.serves(this.#turn);
    } catch (error) {
      throw this.failure(thrownBy(this.#named, error));
    }
    if (isClass(answer) && (eligible & (1 << answer)) !== 0) return answer;
    const allowed = CLASSES.filter((tc) => (eligible & (1 << tc)) !== 0);
    throw this.failure(`serves returned ${String(answer)}; eligible: ${allowed.join(', ')}`);
  }

  /** Any other class may be served before one, as far as is known. */
  outranking(trafficClass: number): number {
    return 0xff & ~(1 << trafficClass);
  }

  private failure(reason: string): Error {
    const { clock, port } = this.#place;
    return failureOf(this.#named, clock.now, port.name, reason);
  }

  private makeTurn(): Turn {
    const { settings, clock, port } = this.#place;
    const { random, state } = this;
    const { state: fields, classes = {} } = this.#plugin;
    const ownEnd = Object.keys(fields).length;
    const stride = Object.keys(classes).length;
    const table = (): Float64Array => state;
    const waiting = (trafficClass: number): Heads => {
      if (isClass(trafficClass)) return this.#heads!;
      throw new RangeError(`no traffic class ${String(trafficClass)}: they are 0 to 7`);
    };
    const isEligible = (trafficClass: number): boolean => {
      waiting(trafficClass);
      return (this.#eligible & (1 << trafficClass)) !== 0;
    };
    return Object.freeze({
      settings: settings as Numbers,
      state: fieldsOf(fields, table, () => 0),
      classes: Object.freeze(
        CLASSES.map((tc) => fieldsOf(classes, table, () => ownEnd + tc * stride)),
      ),
      lineBps: OCTET_BITS_PS / port.octetPs,

      get now(): number {
        return clock.now;
      },

      isEligible,
      headBytes: (trafficClass: number) => {
        if (isEligible(trafficClass)) return this.#heads!.headWireOctets(this.#port, trafficClass);
        throw new RangeError(`traffic class ${trafficClass} is not eligible: ask isEligible first`);
      },
      queueBytes: (trafficClass: number) =>
        waiting(trafficClass).queuedOctets(this.#port, trafficClass),
      random: () => random.uniform(),
    });
  }
}

const CLASSES = [0, 1, 2, 3, 4, 5, 6, 7];

function isClass(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < TRAFFIC_CLASSES;
}
