import { encodeSnapshot, packState, packStates } from '../runtime/checkpoints/snapshots.js';
import type { CheckpointStore } from '../runtime/checkpoints/store.js';
import type { WholeState } from '../runtime/whole-state.js';
import { partOf } from '../runtime/whole-state.js';
import { packManifest } from './manifest.js';
import type { Slot } from './slot.js';

/** Of the state from which a run continues. */
export const FIRST_CHECKPOINT = 'c0';

/** Stores a saved state where services look for a checkpoint. */
export async function keepAsCheckpoint(
  whole: WholeState,
  slots: readonly Slot[],
  run: string,
  store: CheckpointStore,
): Promise<void> {
  const stateHashes: Uint8Array[] = [];
  for (const [service, { plan, hash: planHash }] of slots.entries()) {
    const origin = { run, epoch: 0, boundPs: whole.boundPs, service, planHash };
    const states = plan.parts.map((part) => packState(partOf(whole, part)));
    const { octets, hash } = encodeSnapshot(origin, packStates(states));
    await store.putSnapshot(FIRST_CHECKPOINT, service, octets);
    stateHashes.push(hash);
  }
  const { boundPs, framesSeen } = whole;
  const checkpoint = { name: FIRST_CHECKPOINT, epoch: 0, boundPs, framesSeen, stateHashes };
  const manifest = packManifest(checkpoint, run);
  await store.commit({ name: FIRST_CHECKPOINT, manifest }, null);
}
