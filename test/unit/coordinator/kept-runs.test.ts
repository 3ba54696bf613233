/** What a coordinator finds in the store of a run: of its own, of another layout, of another run. */

import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { keepAsCheckpoint, startFrom } from '../../../services/coordinator/first-checkpoint.js';
import type { Layout } from '../../../services/coordinator/manifest.js';
import { unpackManifest } from '../../../services/coordinator/manifest.js';
import { originOf } from '../../../services/coordinator/origin.js';
import { repartition } from '../../../services/coordinator/repartition.js';
import { placementOf } from '../../../services/fabric/placement/placement-of.js';
import type { ServicePlan } from '../../../services/fabric/placement/service-plan.js';
import { planServices } from '../../../services/fabric/placement/service-plan.js';
import { CheckpointStore } from '../../../services/runtime/checkpoints/store.js';
import { Session } from '../../../services/runtime/session.js';
import type { WholeState } from '../../../services/runtime/whole-state.js';
import { SILENT_LOG } from '../../kit/coordinator-script.js';
import { fabricOf } from '../../kit/emulate.js';
import { MemoryStorage } from '../../kit/memory-storage.js';

const run = 'r';
const OCTETS = Uint8Array.of(1);

describe('the store of a run', () => {
  const origin = { version: '1', check: false, document: { duration: '1ms' } };

  it('loses everything but claims when a run of another origin has its name', async () => {
    for (const change of [{ version: '2' }, { check: true }, { document: {} }]) {
      const store = new CheckpointStore(new MemoryStorage());
      assert.equal(await store.adopt(originOf(origin)), false);
      await store.beginEpoch(3);
      await store.putSteps(OCTETS);
      await store.putSnapshot('c1', 0, OCTETS);
      await store.commit({ name: 'c1', manifest: OCTETS }, null);
      await store.putOutcome(OCTETS);
      // Whatever is removed meanwhile, the origin is not.
      await store.commit({ name: 'c1', manifest: OCTETS }, null);
      assert.equal(await store.adopt(originOf(origin)), false);
      assert.equal((await store.manifests()).length, 1);
      assert.equal(await store.adopt(originOf({ ...origin, ...change })), true);
      assert.deepEqual(
        [await store.manifests(), await store.steps(), await store.outcome()],
        [[], null, null],
      );
      assert.equal(await store.lastEpoch(), 3);
    }
  });

  it('returns the outcome to a run of the same origin only', async () => {
    const store = new CheckpointStore(new MemoryStorage());
    await store.adopt(originOf(origin));
    await store.putOutcome(OCTETS);
    await store.keepOutcome();
    assert.equal(await store.adopt(originOf(origin)), false);
    assert.deepEqual(await store.outcome(), OCTETS);
    assert.equal(await store.adopt(originOf({ ...origin, document: null })), true);
    assert.equal(await store.outcome(), null);
  });
});

describe('a checkpoint of another number of services', () => {
  const fabric = fabricOf('examples/pair-line-rate.yaml', 'duration=10us');
  const plansIn = (layout: Layout): ServicePlan[] =>
    planServices(fabric, { placement: placementOf(fabric, layout), threads: 1, jams: false });
  const layoutOf = (services: number): Layout => ({
    services,
    devicesPerService: null,
    threads: 1,
  });
  const two = { run, layout: layoutOf(2), plans: plansIn(layoutOf(2)) };
  const one = { run, layout: layoutOf(1), plans: plansIn(layoutOf(1)) };
  const wholeAt = (timePs: number): WholeState => {
    const session = new Session(fabric, { check: false });
    session.runTo(timePs);
    return session.save();
  };

  let storage: MemoryStorage;
  let store: CheckpointStore;
  let warnings: string[];
  const placeAnew = (): Promise<void> =>
    repartition(one, plansIn, store, { ...SILENT_LOG, warn: (event) => warnings.push(event) });
  const lastName = async (): Promise<string> => {
    const [last] = await store.manifests();
    return unpackManifest(last!, run).checkpoint.name;
  };
  const cut = (name: string): void => {
    storage.files.set(name, storage.files.get(name)!.subarray(9));
  };
  beforeEach(async () => {
    storage = new MemoryStorage();
    store = new CheckpointStore(storage);
    warnings = [];
    await keepAsCheckpoint(wholeAt(2e6), { name: 'c1-1', epoch: 1 }, two, store);
    const before = new Map(storage.files);
    await keepAsCheckpoint(wholeAt(4e6), { name: 'c1-2', epoch: 1 }, two, store);
    for (const [name, octets] of before) {
      storage.files.set(name === 'manifest' ? 'manifest-earlier' : name, octets);
    }
  });

  it('is stored again for those that there are now', async () => {
    await placeAnew();
    assert.equal(await lastName(), 'c1-2r');
    assert.deepEqual(warnings, []);
  });

  it('that is damaged is left for the one before it, and that for the beginning', async () => {
    cut('c1-2.1');
    await placeAnew();
    assert.equal(await lastName(), 'c1-1r');
    assert.match(warnings.join(), /^checkpoint c1-2 is unusable: a snapshot /);
  });

  it('is left for the beginning where none is sound', async () => {
    cut('c1-1.0');
    cut('c1-2.0');
    await placeAnew();
    assert.equal(await lastName(), 'c1-2');
    assert.equal(warnings.length, 2);
  });

  it('cannot be left where the run continues another', async () => {
    await store.clear();
    await startFrom(wholeAt(2e6), two, store);
    cut('c0.0');
    await assert.rejects(placeAnew(), /a snapshot /);
  });
});
