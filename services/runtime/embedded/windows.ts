import type { Engine } from '../../engine/device/engine.js';

/**
 * Runs actors of one process in windows of virtual time: with m the least next-event time and L the
 * least lookahead, every actor executes [m, m + L) alone, since no event of a link partner in the
 * window can affect it before its end.
 */
export class Windows {
  /** When the latest event so far was executed. */
  latestPs = 0;
  /** By actor: time of its next event. */
  private readonly horizon: Float64Array;
  private backwards = true;

  /** Only the first `actors` devices run; behind them are proxy devices. */
  constructor(
    private readonly engine: Engine,
    private readonly lookaheadPs: number,
    actors = engine.devices.length,
  ) {
    this.horizon = engine.shared.horizon.subarray(0, actors);
  }

  /** Time of the earliest event that has not been executed; Infinity when all is done. */
  nextTime(): number {
    const { horizon } = this;
    let least = Infinity;
    for (let i = 0; i < horizon.length; i++) if (horizon[i]! < least) least = horizon[i]!;
    return least;
  }

  /** Executes every event before `until`, in windows no longer than `lookaheadPs`. */
  run(until: number): void {
    for (let m = this.nextTime(); m < until; m = this.nextTime()) {
      this.window(Math.min(m + this.lookaheadPs, until));
    }
  }

  /**
   * The same, but in the last window only some actors execute anything. The rest is left to `run`:
   * actors of one window may be executed in any order.
   */
  runFirst(until: number, actors: Int32Array): void {
    for (let m = this.nextTime(); m < until; m = this.nextTime()) {
      if (m + this.lookaheadPs < until) {
        this.window(m + this.lookaheadPs);
        continue;
      }
      const last = actors.length - 1;
      for (let i = 0; i <= last; i++) this.actor(actors[this.backwards ? last - i : i]!, until);
      return;
    }
  }

  /**
   * One window; `bound` must not exceed the earliest event plus the lookahead. Every other one is
   * executed backwards, and so begins with actors that the processor's caches still hold.
   */
  window(bound: number): void {
    const last = this.horizon.length - 1;
    this.backwards = !this.backwards;
    for (let i = 0; i <= last; i++) this.actor(this.backwards ? last - i : i, bound);
  }

  /** One actor's share of a window. */
  protected execute(d: number, bound: number): void {
    this.engine.run(d, bound);
  }

  private actor(d: number, bound: number): void {
    const { engine } = this;
    if (this.horizon[d]! >= bound) return;
    this.execute(d, bound);
    if (engine.clock.now > this.latestPs) this.latestPs = engine.clock.now;
  }
}
