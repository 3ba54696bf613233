import type { ServicePlan } from '../../fabric/placement/service-plan.js';
import { packState } from '../checkpoints/snapshots.js';
import type { Breach } from '../checks/breach.js';
import { HoldCheck } from '../checks/hold-check.js';
import type { FaultChange } from '../live-faults.js';
import type { Actors } from '../partition/actors.js';
import type { PartitionState } from '../partition/partition.js';
import { Partition } from '../partition/partition.js';
import type { PortColumns } from '../port-sample.js';

/** Holds the partitions of a service: one in its main thread, or each in a thread of its own. */
export interface PartitionHost {
  /** An epoch begins, from the states of all partitions or from the beginning of the run. */
  begin(states: readonly PartitionState[] | null, check: boolean): Actors;
  /** Injects or ends a fault, at a time that has not been executed. */
  change(change: FaultChange): void;
  /** The counters of all ports, partition by partition. */
  portColumns(timePs: number): PortColumns;
  /** By partition: its state in octets. */
  save(): Uint8Array[];
  /** The same, of what snapshots of a run show. */
  glimpse(): Uint8Array[];
  /** A check that has failed, with its device by the position in the fabric. */
  breach(): Breach | null;
  close(): void;
}

/** One partition, in this thread. */
export class OnePartition implements PartitionHost {
  private part: Partition | null = null;
  private holdCheck: HoldCheck | null = null;

  constructor(private readonly plan: ServicePlan) {}

  begin(states: readonly PartitionState[] | null, check: boolean): Partition {
    const part = new Partition(this.plan.parts[0]!);
    if (states !== null) part.restore(states[0]!);
    this.holdCheck = check ? new HoldCheck(part.engine) : null;
    if (this.holdCheck !== null) part.engine.listen(this.holdCheck);
    this.part = part;
    return part;
  }

  change(change: FaultChange): void {
    this.part!.change(change);
  }

  portColumns(timePs: number): PortColumns {
    return this.part!.portColumns(timePs);
  }

  save(): Uint8Array[] {
    return [packState(this.part!.save())];
  }

  glimpse(): Uint8Array[] {
    return [packState(this.part!.glimpse())];
  }

  breach(): Breach | null {
    const { latestPs, plan } = this.part!;
    this.holdCheck?.lookAtBooks(latestPs, plan.specs.length);
    const breach = this.holdCheck?.breach ?? null;
    return breach && { ...breach, device: plan.devices[breach.device]! };
  }

  close(): void {
    this.part = null;
  }
}
