import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { Deadlock } from '../../telemetry/congestion/congestion.js';
import { findDeadlocks } from '../../telemetry/congestion/find-deadlocks.js';
import type { Observers } from '../observers.js';

/**
 * Searches the wait-for graph for cycles. A scenario with expectations about deadlocks may have
 * them; any other must not.
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

  /** A cycle that exists now. */
  check(nowPs: number): Deadlock | null {
    this.observers.forgetPast(() => false);
    return findDeadlocks(this.fabric, this.observers.standingJams(), nowPs)[0] ?? null;
  }
}
