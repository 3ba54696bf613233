import { WaitRecorder } from '../../engine/analysis/waits/wait-recorder.js';
import type { Engine } from '../../engine/device/engine.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { Deadlock } from '../../telemetry/congestion/congestion.js';
import { findDeadlocks } from '../../telemetry/congestion/find-deadlocks.js';

/**
 * Looks for circles in who waits for whom. A scenario that says something about deadlocks among
 * its expectations knows of them; any other must not have one.
 */
export class CycleCheck {
  private readonly waits: WaitRecorder;

  constructor(
    private readonly fabric: Fabric,
    private readonly engine: Engine,
  ) {
    this.waits = new WaitRecorder(engine);
    engine.listen(this.waits, engine.devices.keys(), false);
  }

  static isWanted({ scenario }: Fabric): boolean {
    return !scenario.expect.some(({ metric }) => metric === 'deadlocks');
  }

  /** The device was given another state. */
  restored(device: number): void {
    this.waits.restore(device, null);
  }

  /** A circle that stands now. */
  look(): Deadlock | null {
    const jams = this.engine.devices.map((_, d) => {
      this.waits.forgetPast(d, () => false);
      return { jams: this.waits.standingJams(d) };
    });
    return findDeadlocks(this.fabric, jams)[0] ?? null;
  }
}
