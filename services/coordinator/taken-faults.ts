import type { CheckpointStore } from '../runtime/checkpoints/store.js';
import type { TakenChange } from '../runtime/controller/partition-set.js';
import type { FaultStep, LiveFaults } from '../runtime/live-faults.js';
import { packChange } from '../runtime/live-faults.js';

/** Faults that were injected or ended during a run, as they are stored. */
export class TakenFaults {
  /** All so far, serialised: for services that begin an epoch. */
  readonly changes: Uint8Array[] = [];

  constructor(
    private readonly live: LiveFaults,
    private readonly store: CheckpointStore,
  ) {}

  /** Those that another coordinator of this run has stored. */
  async recall(): Promise<void> {
    const steps = await this.store.steps();
    if (steps === null) return;
    const taken = JSON.parse(Buffer.from(steps).toString()) as FaultStep[];
    this.changes.push(...this.live.repeat(taken).map(packChange));
  }

  /** Resolves with the changes, serialised, when the store has them. */
  async keep(taken: readonly TakenChange[]): Promise<Uint8Array[]> {
    const changes = taken.map(({ change }) => packChange(change));
    this.changes.push(...changes);
    await this.store.putSteps(Buffer.from(JSON.stringify(this.live.steps)));
    return changes;
  }
}
