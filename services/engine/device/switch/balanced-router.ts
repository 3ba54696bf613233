import { BY_HASH, type BalancedFrame, type LoadBalancing } from '../../contract/outside.js';
import type { RouteSpec } from '../../contract/spec.js';
import type { PortUse } from '../../failover/failover-mechanism.js';
import type { FramePool } from '../../frame/frame-pool.js';
import { CLASS, HASH, LENGTH, PRIORITY_MASK } from '../../frame/frame-pool.js';
import type { SwitchRoutes } from '../../routing/shortest-paths.js';
import type { FrameRef } from '../../units/indices.js';
import { Router } from './router.js';

/** A router whose choice among equal costs is that of a load balancing, frame by frame. */
export class BalancedRouter extends Router {
  readonly #pool: FramePool;
  readonly #shown: BalancedFrame = { hash: 0, octets: 0, priority: 0 };

  constructor(
    pool: FramePool,
    routes: RouteSpec,
    /** Name of the balancing: the state of another one is none of its own. */
    readonly kind: string,
    private readonly balancing: LoadBalancing,
    salt: number,
    ports: number,
  ) {
    super(pool, routes, salt, ports);
    this.#pool = pool;
    balancing.regroup(this.setSizes);
  }

  protected override readonly spreads = true;

  override reroute(routes: SwitchRoutes | null, uses: readonly PortUse[]): void {
    super.reroute(routes, uses);
    this.balancing.regroup(this.setSizes);
  }

  protected override choose(set: number, start: number, size: number, frame: FrameRef): number {
    const { words } = this.#pool;
    const shown = this.#shown;
    shown.hash = words[frame + HASH] >>> 0;
    shown.octets = words[frame + LENGTH];
    shown.priority = words[frame + CLASS] & PRIORITY_MASK;
    const position = this.balancing.choose(set, this.setPorts, start, size, shown);
    return position === BY_HASH ? super.choose(set, start, size, frame) : position;
  }
}
