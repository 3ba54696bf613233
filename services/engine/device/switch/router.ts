import { SHAPE } from '../../kernel/kinds.js';
import type { RouteSpec } from '../../contract/spec.js';
import type { FramePool } from '../../frame/frame-pool.js';
import { CLASS, GROUP_FLAG, HASH, TARGET, VLAN } from '../../frame/frame-pool.js';
import type { PortUse } from '../../failover/failover-mechanism.js';
import type { SwitchRoutes } from '../../routing/shortest-paths.js';
import { detoursOf, nextHopsOf } from './detours.js';
import type { Forwarding } from './forwarding.js';
import { NOWHERE, SEVERAL } from './forwarding.js';
import type { FrameRef } from '../../units/indices.js';

/** Makes switches on one path choose independently of each other. */
export function saltOf(switchIndex: number): number {
  return Math.imul(switchIndex + 1, 0x9e3779b1);
}

/** Which of `size` equal-cost ports a flow takes at a switch. */
export function chooseEqual(hash: number, salt: number, size: number): number {
  let h = hash ^ salt;
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h ^= h >>> 15;
  return ((h >>> 8) * size) >>> 24;
}

/** Forwards along computed shortest paths; equal costs are split by hash of the flow. */
export class Router implements Forwarding {
  static readonly kinds = { salt: SHAPE, copyCount: SHAPE };

  readonly #pool: FramePool;
  readonly #routes: RouteSpec;
  readonly #copies: Uint16Array;
  copyCount = 0;
  #setOfHost: Int16Array | Int32Array;
  #setStart: Int32Array;
  #setSize: Int32Array;
  #setPorts: Uint16Array;
  #groupPorts: readonly (readonly number[])[];

  /** `salt`: see `saltOf`. */
  constructor(
    pool: FramePool,
    routes: RouteSpec,
    private readonly salt: number,
    ports: number,
  ) {
    this.#pool = pool;
    this.#routes = routes;
    this.#copies = new Uint16Array(ports);
    const hops = nextHopsOf(routes);
    this.#setOfHost = hops.setOfHost;
    this.#setSize = hops.setSize;
    this.#setStart = hops.setStart;
    this.#setPorts = hops.setPorts;
    this.#groupPorts = routes.groupPorts;
  }

  reroute(routes: SwitchRoutes | null, uses: readonly PortUse[]): void {
    const isWhole = routes === null && uses.every((use) => use === 'any');
    const { setOfHost, setStart, setSize, setPorts } = isWhole
      ? nextHopsOf(this.#routes)
      : detoursOf(this.#routes, routes ?? this.#routes, uses, this.spreads);
    this.#setOfHost = setOfHost;
    this.#setStart = setStart;
    this.#setSize = setSize;
    this.#setPorts = setPorts;
    this.#groupPorts = this.#routes.groupPorts.map((ports) =>
      ports.filter((port) => uses[port] === 'any'),
    );
  }

  egress(port: number, frame: FrameRef): number {
    const { words } = this.#pool;
    if ((words[frame + CLASS] & GROUP_FLAG) !== 0) return this.tree(port, words[frame + TARGET]);
    const set = this.#setOfHost[words[frame + TARGET]];
    if (set < 0) return NOWHERE;
    const size = this.#setSize[set];
    const start = this.#setStart[set];
    const choice = size === 1 ? 0 : this.choose(set, start, size, frame);
    const out = this.#setPorts[start + choice];
    return out === port && this.#routes.toBridges.includes(port) ? NOWHERE : out;
  }

  portsTo(host: number, hash: number): readonly number[] {
    const set = this.#setOfHost[host];
    if (set < 0) return [];
    const start = this.#setStart[set];
    const ports = [...this.#setPorts.subarray(start, start + this.#setSize[set])];
    return this.spreads ? ports : [ports[chooseEqual(hash, this.salt, ports.length)]];
  }

  portsOfGroup(group: number): readonly number[] {
    return this.#groupPorts[group] ?? [];
  }

  /** Routing leaves the tags as they are. */
  rewrite(): number {
    return 0;
  }

  answerTags(frame: FrameRef): number {
    return this.#pool.ends[frame + VLAN];
  }

  // Routes are computed, not learned.
  forget(): void {}
  limit(): void {}

  /** Position in its set of the port for a frame. */
  protected choose(_set: number, _start: number, size: number, frame: FrameRef): number {
    return chooseEqual(this.#pool.words[frame + HASH], this.salt, size);
  }

  private tree(port: number, group: number): number {
    this.copyCount = 0;
    for (const out of this.#groupPorts[group] ?? []) {
      if (out !== port) this.#copies[this.copyCount++] = out;
    }
    return this.copyCount === 0 ? NOWHERE : SEVERAL;
  }

  /** Frames of a flow may take any of its ports. */
  protected readonly spreads: boolean = false;

  protected get setSizes(): Int32Array {
    return this.#setSize;
  }

  protected get setPorts(): Uint16Array {
    return this.#setPorts;
  }

  get copies(): Uint16Array {
    return this.#copies;
  }
}
