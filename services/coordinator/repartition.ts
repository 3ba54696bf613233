import { isDeepStrictEqual } from 'node:util';
import type { ServicePlan } from '../fabric/placement/service-plan.js';
import { decodeSnapshot, planHashOf } from '../runtime/checkpoints/snapshots.js';
import { DamagedCheckpoint } from '../runtime/checkpoints/store-error.js';
import type { CheckpointStore } from '../runtime/checkpoints/store.js';
import type { Log } from '../runtime/log.js';
import type { WholeState } from '../runtime/whole-state.js';
import { wholeOf } from '../runtime/whole-state.js';
import type { PlacedRun } from './first-checkpoint.js';
import { keepAsCheckpoint } from './first-checkpoint.js';
import type { Checkpoint, Layout } from './manifest.js';
import { unpackManifest } from './manifest.js';

/**
 * Stores the last checkpoint of a run again, for the services of this coordinator, if another
 * number of them has written it. States are by device, so any placement continues the run. One that
 * is damaged is left for the one before it, or for the beginning.
 */
export async function repartition(
  placed: PlacedRun,
  plansIn: (layout: Layout) => readonly ServicePlan[],
  store: CheckpointStore,
  log: Log,
): Promise<void> {
  const { run } = placed;
  for (const manifest of await store.manifests()) {
    const { checkpoint, layout } = unpackManifest(manifest, run);
    if (isDeepStrictEqual(layout, placed.layout)) return;
    const { name, epoch } = checkpoint;
    try {
      const whole = await wholeIn(checkpoint, run, plansIn(layout), store);
      // The snapshots of the last one stay until the new one is whole.
      await keepAsCheckpoint(whole, { name: `${name}r`, epoch }, placed, store);
      return;
    } catch (error) {
      // Without the state from which it continues, the run would be another one.
      if (!(error instanceof DamagedCheckpoint) || epoch === 0) throw error;
      log.warn(`checkpoint ${name} is unusable: ${error.message}`);
    }
  }
}

async function wholeIn(
  { name, epoch, boundPs, framesSeen, stateHashes }: Checkpoint,
  run: string,
  plans: readonly ServicePlan[],
  store: CheckpointStore,
): Promise<WholeState> {
  const states = await Promise.all(
    plans.map(async (plan, service) => {
      const stateHash = stateHashes[service] ?? new Uint8Array(0);
      const wanted = { run, epoch, boundPs, service, planHash: planHashOf(plan), stateHash };
      return decodeSnapshot(await store.getSnapshot(name, service), wanted);
    }),
  );
  const parts = plans.flatMap((plan) => plan.parts);
  const rows = states.flat().flatMap((state) => state.rows);
  return wholeOf(parts, states.flat(), rows, { boundPs, framesSeen });
}
