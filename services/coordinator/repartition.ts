import { isDeepStrictEqual } from 'node:util';
import type { ServicePlan } from '../fabric/placement/service-plan.js';
import { decodeSnapshot, planHashOf } from '../runtime/checkpoints/snapshots.js';
import type { CheckpointStore } from '../runtime/checkpoints/store.js';
import { wholeOf } from '../runtime/whole-state.js';
import type { PlacedRun } from './first-checkpoint.js';
import { keepAsCheckpoint } from './first-checkpoint.js';
import type { Layout } from './manifest.js';
import { unpackManifest } from './manifest.js';

/**
 * Stores the last checkpoint of a run again, for the services of this coordinator, if another
 * number of them has written it. States are by device, so any placement continues the run.
 */
export async function repartition(
  placed: PlacedRun,
  plansIn: (layout: Layout) => readonly ServicePlan[],
  store: CheckpointStore,
): Promise<void> {
  const { run } = placed;
  const [last] = await store.manifests();
  if (last === undefined) return;
  const { checkpoint, layout } = unpackManifest(last, run);
  if (isDeepStrictEqual(layout, placed.layout)) return;
  const { name, epoch, boundPs, framesSeen, stateHashes } = checkpoint;
  const plans = plansIn(layout);
  const states = await Promise.all(
    plans.map(async (plan, service) => {
      const stateHash = stateHashes[service] ?? new Uint8Array(0);
      const wanted = { run, epoch, boundPs, service, planHash: planHashOf(plan), stateHash };
      return decodeSnapshot(await store.getSnapshot(name, service), wanted);
    }),
  );
  const parts = plans.flatMap((plan) => plan.parts);
  const rows = states.flat().flatMap((state) => state.rows);
  const whole = wholeOf(parts, states.flat(), rows, { boundPs, framesSeen });
  // The snapshots of the last one stay until the new one is whole.
  await keepAsCheckpoint(whole, { name: `${name}r`, epoch }, placed, store);
}
