/** Two hundred kills of any process, in runs with every place for checkpoints. */

import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { fabricOf, run } from '../kit/emulate.js';
import { fleetFor, Killer, runFleet } from '../kit/fleet.js';
import { skipUnlessLong } from '../kit/long-suite.js';
import { BUCKET, MemoryBucket } from '../kit/object-storage.js';

const EXAMPLE = 'leaf-spine-all-to-all.yaml';
/** Short runs, so that some are killed at their end, and long ones. */
const LOADS = ['load.0.bytes=48KB', 'load.0.bytes=240KB'];
const PLACES = [null, 'jetstream', `s3://${BUCKET}`];
const KILLS = 200;
const KILLS_OF_A_RUN = 20;
const MEAN_PAUSE_MS = 100;

const skip = isInstalled() ? skipUnlessLong : 'no nats-server on the PATH';

describe('kills of any process', { skip, timeout: 3_600_000 }, () => {
  let killed = 0;
  let bucket: MemoryBucket | null = null;
  after(() => {
    bucket?.stop();
  });

  it('change nothing, however many', async () => {
    const expected = LOADS.map((load) => run(fabricOf(`examples/${EXAMPLE}`, load)));
    bucket = await MemoryBucket.start();
    Object.assign(process.env, bucket.env);
    for (let turn = 0; killed < KILLS; turn++) {
      const load = turn % LOADS.length;
      const set = [LOADS[load]!];
      const more = { set, checkpoints: PLACES[turn % PLACES.length]!, checkpointSeconds: 0.2 };
      const threads = 1 + (Math.floor(turn / LOADS.length) % 2);
      const options = fleetFor(EXAMPLE, 3, ['--services=3', `--threads=${threads}`], more);
      const killer = new Killer('', KILLS_OF_A_RUN, MEAN_PAUSE_MS, turn);
      const { results } = await runFleet(options, killer.attack);
      assert.deepEqual(results, expected[load], `run ${turn}`);
      assert.ok(killer.killed > 0, `run ${turn} was over before anything was killed`);
      killed += killer.killed;
    }
  });
});
