import { selvage } from '#contracts';
import type { PackedOutcome } from '../runtime/checkpoints/packed-outcome.js';
import { sameOctets, sha256 } from '../runtime/checkpoints/snapshots.js';
import type { CheckpointStore } from '../runtime/checkpoints/store.js';
import { PROTOCOL } from '../runtime/partition/messages.js';

/** Origin that a stored outcome must have to be returned again. */
export interface RunOrigin {
  readonly run: string;
  readonly version: string;
  readonly check: boolean;
  /** Plain values of the scenario. */
  readonly document: unknown;
}

/**
 * The outcome of a run that has ended, in the store: a coordinator that is started again after its
 * services have left waits for none, and returns the same results.
 */
export class EndedRun {
  private readonly origin: Uint8Array;

  constructor(
    private readonly store: CheckpointStore,
    private readonly of: RunOrigin,
  ) {
    this.origin = sha256(Buffer.from(JSON.stringify([of.document, of.check])));
  }

  async put(outcome: PackedOutcome): Promise<void> {
    const { run, version } = this.of;
    const mark = { protocol: PROTOCOL, run, version, origin: this.origin, ...outcome };
    await this.store.putOutcome(selvage.v1.Outcome.encode(mark).finish());
  }

  /** Null: it has not ended. An outcome of another scenario under this name is removed. */
  async recall(): Promise<PackedOutcome | null> {
    const octets = await this.store.outcome();
    if (octets === null) return null;
    const mark = decoded(octets);
    const { run, version } = this.of;
    const isOurs =
      mark?.protocol === PROTOCOL &&
      mark.run === run &&
      mark.version === version &&
      sameOctets(mark.origin, this.origin);
    if (isOurs) return mark;
    await this.store.forgetOutcome();
    return null;
  }
}

function decoded(octets: Uint8Array): selvage.v1.Outcome | null {
  try {
    return selvage.v1.Outcome.decode(octets);
  } catch {
    return null;
  }
}
