import type { Engine } from '../../engine/device/engine.js';

/**
 * Runs actors of one process in windows of virtual time: with m the least next-event time and L
 * the least lookahead, every actor executes [m, m + L) alone, since nothing that a neighbour does
 * in the window can reach it before its end.
 */
export class Windows {
  /** When the latest event so far was executed. */
  latestPs = 0;
  /** By actor: time of its next event. */
  private readonly horizon: Float64Array;

  /** Only the first `actors` devices run; behind them are stand-ins. */
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

  /** One window; `bound` must not exceed the earliest event plus the lookahead. */
  window(bound: number): void {
    const { engine, horizon } = this;
    const { clock } = engine;
    for (let d = 0; d < horizon.length; d++) {
      if (horizon[d]! >= bound) continue;
      engine.run(d, bound);
      if (clock.now > this.latestPs) this.latestPs = clock.now;
    }
  }
}
