import { restoreDevice } from '../../engine/device/checkpoint.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { PartitionPlan } from '../../fabric/placement/partition-plan.js';
import type { PartitionState } from '../partition/partition.js';
import { promisedBy, RecoveryTimes } from './recovery-times.js';
import type { Failure } from '../results/results.js';
import { unrecovered } from './whole-check.js';
import { wholeEngine } from '../whole-engine.js';

/**
 * Checks the recovery of links, of a run whose parts are executed in several partitions: both ends
 * of a link are available only where all states are put into one engine.
 */
export class RecoverySnapshots {
  private times = new RecoveryTimes([]);
  /** What was due by then has been checked. */
  checkedPs = 0;
  /** Time of the next check; Infinity for never. */
  dueAt = Infinity;

  constructor(
    private fabric: Fabric,
    private readonly plans: readonly PartitionPlan[],
    private readonly isWanted: boolean,
  ) {
    this.begin(fabric, 0);
  }

  /** The run continues from a time, or with other faults from then on. */
  begin(fabric: Fabric, fromPs: number): void {
    this.fabric = fabric;
    this.checkedPs = fromPs;
    this.times = new RecoveryTimes(this.isWanted ? promisedBy(fabric) : []);
    this.dueAt = this.times.after(fromPs);
  }

  /** The next event is not before the check; what is due at the end is checked there. */
  isDue(nextPs: number): boolean {
    const endPs = this.fabric.scenario.durationPs ?? Infinity;
    return this.dueAt <= nextPs && nextPs !== Infinity && this.dueAt < endPs;
  }

  /** All parts are at a time at which recovery has to be checked. */
  check(states: readonly PartitionState[], nowPs: number): Failure | null {
    const engine = wholeEngine(this.fabric);
    this.plans.forEach(({ devices }, service) => {
      devices.forEach((device, place) => {
        restoreDevice(engine, device, states[service]!.devices[place]!);
      });
    });
    // A fault may have been injected since: then only what is due now is checked.
    const sincePs = Math.min(this.checkedPs, nowPs - 1);
    const failure = unrecovered(this.fabric, engine, nowPs, sincePs);
    this.checkedPs = Math.max(this.checkedPs, nowPs);
    this.dueAt = this.times.after(this.checkedPs);
    return failure;
  }
}
