import type { ServicePlan } from '../fabric/placement/service-plan.js';
import {
  encodeSnapshot,
  packState,
  packStates,
  planHashOf,
} from '../runtime/checkpoints/snapshots.js';
import type { CheckpointStore } from '../runtime/checkpoints/store.js';
import type { WholeState } from '../runtime/whole-state.js';
import { partOf } from '../runtime/whole-state.js';
import type { Layout } from './manifest.js';
import { packManifest } from './manifest.js';

/** A run, and its services as this coordinator places them. */
export interface PlacedRun {
  readonly run: string;
  readonly layout: Layout;
  readonly plans: readonly ServicePlan[];
}

/** Of the state from which a run continues; no epoch of the run has written it. */
const FIRST_CHECKPOINT = { name: 'c0', epoch: 0 };

/** Stores a saved state as a checkpoint, unless the run has one. */
export async function startFrom(
  whole: WholeState,
  placed: PlacedRun,
  store: CheckpointStore,
): Promise<void> {
  if ((await store.manifests()).length > 0) return;
  await keepAsCheckpoint(whole, FIRST_CHECKPOINT, placed, store);
}

/** Stores a state where services look for a checkpoint. */
export async function keepAsCheckpoint(
  whole: WholeState,
  { name, epoch }: { readonly name: string; readonly epoch: number },
  { run, layout, plans }: PlacedRun,
  store: CheckpointStore,
): Promise<void> {
  const { boundPs, framesSeen } = whole;
  const stateHashes: Uint8Array[] = [];
  for (const [service, plan] of plans.entries()) {
    const origin = { run, epoch, boundPs, service, planHash: planHashOf(plan) };
    const states = plan.parts.map((part) => packState(partOf(whole, part)));
    const { octets, hash } = encodeSnapshot(origin, packStates(states));
    await store.putSnapshot(name, service, octets);
    stateHashes.push(hash);
  }
  const checkpoint = { name, epoch, boundPs, framesSeen, stateHashes };
  await store.commit({ name, manifest: packManifest(checkpoint, run, layout) }, null);
}
