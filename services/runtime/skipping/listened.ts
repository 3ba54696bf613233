import type { Probe } from '../../engine/contract/probe.js';
import { NullProbe, pointsOf } from '../../engine/contract/probe.js';
import type { Engine } from '../../engine/device/engine.js';
import { COUNTS_TIME, QUEUED } from '../../engine/frame/trace-mask.js';

/**
 * Whether a recorder was called, or counted by itself, in a span of time. Where it was not, and the
 * fabric repeats what it did, it will not be called either: its records stay as they are.
 */
export class Listened {
  private calls = 0;

  constructor(
    private readonly engine: Engine,
    recorder: Probe,
  ) {
    const probe = new NullProbe();
    const count = (): void => {
      this.calls++;
    };
    for (const point of pointsOf(recorder)) Object.assign(probe, { [point]: count });
    engine.listen(probe, engine.devices.keys(), false);
  }

  /** It stays as it is while the recorder is not called, and passes over no frame. */
  get count(): number {
    return this.calls + this.engine.shared.queueWatch.passedOver();
  }

  /** Frames of a port are counted for it, without a call. */
  isCounting(): boolean {
    return this.engine.shared.traceMask.wanted[QUEUED]!.some((mask) => (mask & COUNTS_TIME) !== 0);
  }
}
