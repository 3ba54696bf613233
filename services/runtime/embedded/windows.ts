/**
 * Runs the actors of one process up to a bound, cluster by cluster. A cluster is executed up to a
 * time before which nothing takes effect in it from outside. Its two sides take turns: with `a` the
 * earliest event of one side and `b` of the other, the one may be executed up to the less of `b`
 * and the lookahead from there, and `a` and the lookahead around. Then the other side is, and so
 * on. It relies on members of one side having no links with each other: they are executed one after
 * the other. It would break if a device caused an effect earlier than the lookahead of its link.
 */

import type { Engine } from '../../engine/device/engine.js';
import type { Cluster } from '../../fabric/assembly/clusters.js';

/** Of the whole fabric, in a window: a last turn is shorter than others. */
const TURNS = 4;
/** Virtual time of a window of devices without links. */
const LONE_PS = 1e6;

export class Windows {
  /** When the latest event so far was executed. */
  latestPs = 0;
  /** As long as several turns: what is lost at its end does not count. */
  readonly spanPs: number;
  /** By actor: time of its next event. */
  private readonly horizon: Float64Array;
  private readonly whole: Turns;
  /** Members of the fabric with a device that others wait for. */
  private readonly first: Members;
  /** Members of the fabric may be executed alone for so long. */
  private readonly leastPs: number;

  /** `cluster` has all actors; `border`: those that others wait for. */
  constructor(
    private readonly engine: Engine,
    cluster: Cluster,
    border: readonly number[] = [],
  ) {
    this.horizon = engine.shared.horizon;
    this.whole = new Turns(this, this.horizon, cluster, true);
    this.first = this.whole.membersWith(new Set(border));
    this.leastPs = Math.min(cluster.therePs, cluster.backPs);
    this.spanPs = spanOf(cluster);
  }

  /** Time of the earliest event that has not been executed; Infinity when all is done. */
  nextTime(): number {
    return this.whole.nextTime();
  }

  /** Executes every event before `until`. */
  run(until: number): void {
    this.whole.run(until);
  }

  /**
   * The same, but of the last window only what others wait for. The rest is left to `run`: members
   * may be executed in any order.
   */
  runFirst(until: number): void {
    this.whole.run(until - this.leastPs);
    this.first.run(until);
  }

  /** Reads what an actor's events before `bound` need. */
  prefetch(d: number, bound: number): void {
    this.engine.prefetch(d, bound);
  }

  /** Executes an actor's events before `bound`. */
  actor(d: number, bound: number): void {
    const { engine } = this;
    this.execute(d, bound);
    if (engine.clock.now > this.latestPs) this.latestPs = engine.clock.now;
  }

  /** One actor's share of a window. */
  protected execute(d: number, bound: number): void {
    this.engine.run(d, bound);
  }
}

/** Islands that never wait for each other are as long in step as one of them. */
function spanOf({ near, far, aroundPs }: Cluster): number {
  if (aroundPs !== Infinity) return TURNS * aroundPs;
  const islands = [...near.clusters, ...far.clusters];
  return islands.reduce((longest, island) => Math.max(longest, spanOf(island)), LONE_PS);
}

/** A cluster, and how far it is. */
class Turns {
  private readonly near: Members;
  private readonly far: Members;
  private readonly therePs: number;
  private readonly backPs: number;
  private readonly aroundPs: number;

  /** Its devices stay in the processor's caches from turn to turn: none has clusters in it. */
  private readonly isSmall: boolean;

  constructor(
    private readonly windows: Windows,
    private readonly horizon: Float64Array,
    { near, far, therePs, backPs, aroundPs }: Cluster,
    isWhole = false,
  ) {
    this.isSmall = !isWhole && near.clusters.length + far.clusters.length === 0;
    const members = ({ devices, clusters }: Cluster['near']): Members => {
      const turns = clusters.map((cluster) => new Turns(windows, horizon, cluster));
      return new Members(windows, horizon, devices, turns, !this.isSmall);
    };
    this.near = members(near);
    this.far = members(far);
    this.therePs = therePs;
    this.backPs = backPs;
    this.aroundPs = aroundPs;
  }

  get devices(): number[] {
    return [...this.near.all, ...this.far.all];
  }

  nextTime(): number {
    return Math.min(this.near.nextTime(), this.far.nextTime());
  }

  run(bound: number): void {
    const { near, far, therePs, backPs, aroundPs } = this;
    if (this.isSmall) {
      near.prefetch(bound);
      far.prefetch(bound);
    }
    for (;;) {
      let nearPs = near.nextTime();
      let farPs = far.nextTime();
      if (!(nearPs < bound || farPs < bound)) return;
      near.run(Math.min(bound, farPs + backPs, nearPs + aroundPs));
      nearPs = near.nextTime();
      farPs = far.nextTime();
      far.run(Math.min(bound, nearPs + therePs, farPs + aroundPs));
    }
  }

  /** Its members that have one of these devices. */
  membersWith(devices: ReadonlySet<number>): Members {
    const [near, far] = [this.near.with(devices), this.far.with(devices)];
    const alone = [...near.devices, ...far.devices];
    const clusters = [...near.clusters, ...far.clusters];
    return new Members(this.windows, this.horizon, alone, clusters, true);
  }
}

/** Members of a cluster that cannot affect each other for now. */
class Members {
  readonly devices: Int32Array;
  /** With those of its clusters. */
  readonly all: Int32Array;
  private backwards = false;

  constructor(
    private readonly windows: Windows,
    private readonly horizon: Float64Array,
    devices: Iterable<number>,
    readonly clusters: readonly Turns[],
    /** Each device by itself, just before it is executed. */
    private readonly prefetches: boolean,
  ) {
    this.devices = Int32Array.from(devices);
    this.all = Int32Array.from([...this.devices, ...clusters.flatMap((one) => one.devices)]);
  }

  nextTime(): number {
    const { all, horizon } = this;
    let least = Infinity;
    for (let i = 0; i < all.length; i++) {
      const time = horizon[all[i]!]!;
      if (time < least) least = time;
    }
    return least;
  }

  /**
   * Every other time they are executed backwards, and so begin with actors that the processor's
   * caches still hold.
   */
  run(bound: number): void {
    this.backwards = !this.backwards;
    if (this.backwards) {
      this.runDevices(bound);
      for (let i = this.clusters.length - 1; i >= 0; i--) this.clusters[i]!.run(bound);
    } else {
      for (let i = 0; i < this.clusters.length; i++) this.clusters[i]!.run(bound);
      this.runDevices(bound);
    }
  }

  with(wanted: ReadonlySet<number>): { devices: number[]; clusters: Turns[] } {
    return {
      devices: [...this.devices].filter((device) => wanted.has(device)),
      clusters: this.clusters.filter(({ devices }) => devices.some((d) => wanted.has(d))),
    };
  }

  prefetch(bound: number): void {
    const { devices, horizon, windows } = this;
    for (let i = 0; i < devices.length; i++) {
      const d = devices[i]!;
      if (horizon[d]! < bound) windows.prefetch(d, bound);
    }
  }

  private runDevices(bound: number): void {
    const { devices, horizon, windows, backwards, prefetches } = this;
    const last = devices.length - 1;
    for (let i = 0; i <= last; i++) {
      const d = devices[backwards ? last - i : i]!;
      if (horizon[d]! >= bound) continue;
      if (prefetches) windows.prefetch(d, bound);
      windows.actor(d, bound);
    }
  }
}
