import type { RouteSpec } from '../../contract/spec.js';
import type { FramePool } from '../../frame/frame-pool.js';
import { CLASS, GROUP_FLAG, HASH, TARGET, VLAN } from '../../frame/frame-pool.js';
import type { Forwarding } from './forwarding.js';
import { NOWHERE, SEVERAL } from './forwarding.js';

/** Makes switches on one path choose independently of each other. */
export function saltOf(switchIndex: number): number {
  return Math.imul(switchIndex + 1, 0x9e3779b1);
}

/** Which of `size` equal ways a flow takes at a switch. */
export function chooseEqual(hash: number, salt: number, size: number): number {
  let h = hash ^ salt;
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h ^= h >>> 15;
  return ((h >>> 8) * size) >>> 24;
}

/** Forwards along computed shortest paths; equal costs are split by flow, or frame by frame. */
export class Router implements Forwarding {
  readonly copies: Uint16Array;
  copyCount = 0;
  private readonly setOfHost: Int16Array | Int32Array;
  private readonly setStart: Int32Array;
  private readonly setSize: Int32Array;
  private readonly setPorts: Uint16Array;
  private readonly sprayTurn: Int32Array;
  private readonly groupPorts: readonly (readonly number[])[];

  static readonly wiring = [
    'pool',
    'setOfHost',
    'setStart',
    'setSize',
    'setPorts',
    'groupPorts',
    'copies',
  ];

  /** `salt`: see `saltOf`. */
  constructor(
    private readonly pool: FramePool,
    routes: RouteSpec,
    private readonly spray: boolean,
    private readonly salt: number,
    ports: number,
  ) {
    this.copies = new Uint16Array(ports);
    this.setOfHost = routes.setOfHost;
    this.setSize = Int32Array.from(routes.sets, (set) => set.length);
    this.setStart = new Int32Array(routes.sets.length);
    let total = 0;
    this.setSize.forEach((size, i) => {
      this.setStart[i] = total;
      total += size;
    });
    this.setPorts = Uint16Array.from(routes.sets.flatMap((set) => [...set]));
    this.sprayTurn = new Int32Array(routes.sets.length);
    this.groupPorts = routes.groupPorts;
  }

  egress(port: number, frame: number): number {
    const { words } = this.pool;
    if ((words[frame + CLASS] & GROUP_FLAG) !== 0) return this.tree(port, words[frame + TARGET]);
    const set = this.setOfHost[words[frame + TARGET]];
    if (set < 0) return NOWHERE;
    const size = this.setSize[set];
    const start = this.setStart[set];
    if (size === 1) return this.setPorts[start];
    return this.setPorts[start + this.choose(set, size, words[frame + HASH])];
  }

  /** Routing leaves the tags as they are. */
  rewrite(): number {
    return 0;
  }

  answerTags(frame: number): number {
    return this.pool.ends[frame + VLAN];
  }

  // Routes are computed, not learned.
  forget(): void {}
  limit(): void {}

  private choose(set: number, size: number, hash: number): number {
    if (this.spray) {
      const turn = this.sprayTurn[set];
      this.sprayTurn[set] = turn + 1 === size ? 0 : turn + 1;
      return turn;
    }
    return chooseEqual(hash, this.salt, size);
  }

  private tree(port: number, group: number): number {
    this.copyCount = 0;
    for (const out of this.groupPorts[group] ?? []) {
      if (out !== port) this.copies[this.copyCount++] = out;
    }
    return this.copyCount === 0 ? NOWHERE : SEVERAL;
  }
}
