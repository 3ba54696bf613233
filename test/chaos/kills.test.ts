/** Two hundred kills of any process, in runs with every place for checkpoints. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { freePort } from '../../services/cli/fleet/free-port.js';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { startBroker } from '../kit/brokers.js';
import { fabricOf, run } from '../kit/emulate.js';
import { fleetFor, Killer, runFleet } from '../kit/fleet.js';
import { skipUnlessLong } from '../kit/long-suite.js';
import { BUCKET, MemoryBucket } from '../kit/object-storage.js';
import { Stranger } from '../kit/stranger.js';

const EXAMPLE = 'leaf-spine-all-to-all.yaml';
/** Short runs, so that some are killed at their end, and long ones. */
const LOADS = ['load.0.bytes=48KB', 'load.0.bytes=240KB'];
const PLACES = [null, 'jetstream', `s3://${BUCKET}`];
const KILLS = 200;
const KILLS_OF_A_RUN = 20;
const KILLS_IN_A_FLOOD = 4;
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

  it('change nothing while a stranger replays, forges and floods', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
    const port = await freePort();
    const broker = await startBroker(port, ['-js', '-sd', folder]);
    const servers = [`nats://127.0.0.1:${port}`];
    const stranger = await Stranger.at(servers);
    const set = [LOADS[1]!];
    const more = { set, broker: { servers }, checkpoints: 'jetstream', checkpointSeconds: 0.2 };
    const expected = run(fabricOf(`examples/${EXAMPLE}`, ...set));
    try {
      for (const victims of ['service', 'coordinator', '']) {
        const options = fleetFor(EXAMPLE, 3, ['--services=3'], { ...more, patienceSeconds: 120 });
        const killer = new Killer(victims, KILLS_IN_A_FLOOD, MEAN_PAUSE_MS);
        const { results } = await runFleet(options, (fleet) => {
          stranger.flood(fleet.identity.run, 3);
          killer.attack(fleet);
        });
        assert.deepEqual(results, expected, victims);
        assert.ok(killer.killed > 0, `${victims}: the run was over before anything was killed`);
      }
    } finally {
      await stranger.leave();
      broker.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
