import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { Deadlock } from '../../telemetry/congestion/congestion.js';
import { findDeadlocks } from '../../telemetry/congestion/find-deadlocks.js';
import type { Observers } from '../observers.js';

/**
 * Looks for circles in who waits for whom. A scenario that says something about deadlocks among
 * its expectations knows of them; any other must not have one.
 */
export class CycleCheck {
  constructor(
    private readonly fabric: Fabric,
    private readonly observers: Observers,
  ) {}

  static isWanted({ scenario }: Fabric): boolean {
    return !scenario.expect.some(
      ({ metric }) => metric === 'deadlocks' || metric === 'stalled-flows',
    );
  }

  /** A circle that stands now. */
  look(nowPs: number): Deadlock | null {
    this.observers.forgetPast(() => false);
    return findDeadlocks(this.fabric, this.observers.standingJams(), nowPs)[0] ?? null;
  }
}
