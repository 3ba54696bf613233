import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { join } from 'node:path';
import { buildFabric } from '../../../services/fabric/assembly/fabric.js';
import { planPartitions } from '../../../services/fabric/placement/partition-plan.js';
import { placeInServices } from '../../../services/fabric/placement/parts.js';
import { loadScenario } from '../../../services/fabric/scenario/load-scenario.js';
import { LiveThreads } from '../../../services/live/live-threads.js';
import { SnapshotCache } from '../../../services/runtime/run-snapshot.js';
import { LiveFaults } from '../../../services/runtime/live-faults.js';
import type { PortSample } from '../../../services/runtime/port-sample.js';
import { ThreadsRun } from '../../../services/runtime/threads/run-threads.js';
import { ROOT, run } from '../../kit/emulate.js';

const THREADS = 3;
const STEP_PS = 20e6;

describe('a run in threads that is looked at', { timeout: 120_000 }, () => {
  it('is the same run, paused and stepped; its samples have its time', async (test) => {
    const path = join(ROOT, 'examples/incast-pfc.yaml');
    const loaded = loadScenario(path, { set: ['observe.episodes=true'] });
    const fabric = buildFabric(loaded);
    const plans = planPartitions(fabric, placeInServices(fabric, THREADS));
    const live = new LiveFaults(loaded, fabric);
    const threads = new ThreadsRun(fabric, plans, { check: false, from: null, live });
    const snapshots = new SnapshotCache(
      () => threads.controller.snapshot(),
      () => threads.progress().virtualPs,
    );
    const looked = new LiveThreads(threads, snapshots);
    test.after(() => {
      threads.controller.stop();
    });
    const samples: PortSample[] = [];
    let told: () => void = () => undefined;
    looked.listen({
      sampled: (sample) => {
        samples.push(sample);
        told();
      },
      changed: () => {
        told();
      },
      publish: () => undefined,
    });
    const until = async (isSo: () => boolean): Promise<void> => {
      while (!isSo()) await new Promise<void>((resolve) => (told = resolve));
    };
    const standing = (): Promise<void> => until(() => looked.status.state === 'paused');
    looked.watched(true);
    await looked.order({ action: 'pause', stepPs: 0 });
    const ended = threads.run();
    await standing();
    assert.equal(looked.status.virtualPs, 0);
    for (let steps = 1; steps <= 3; steps++) {
      const before = looked.status.virtualPs;
      await looked.order({ action: 'step', stepPs: STEP_PS });
      await standing();
      const steppedPs = looked.status.virtualPs - before;
      assert.ok(steppedPs >= STEP_PS && steppedPs < STEP_PS + 2 * fabric.lookaheadPs);
    }
    await until(() => (samples.at(-1)?.timePs ?? 0) >= 3 * STEP_PS);
    const { columns, timePs } = samples.at(-1)!;
    const busiestOctets = Math.max(...columns.wireOctets);
    assert.ok(busiestOctets * 8e12 > 0.9 * timePs * 100e9);
    const trees = await looked.trees();
    assert.equal(trees!.trees[0]!.root.name, 's1:p1');
    const { ports } = (await threads.controller.snapshot()).results;
    const sentOctets = ports.flatMap(({ priorities }) => priorities.map((row) => row.txOctets));
    assert.ok(Math.max(...sentOctets) * 8e12 > 0.9 * timePs * 100e9);
    await looked.order({ action: 'resume', stepPs: 0 });
    const { results } = await ended;
    looked.watched(false);
    assert.equal(results.digest, run(fabric).digest);
  });
});
