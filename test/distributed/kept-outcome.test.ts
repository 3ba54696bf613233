import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { jetstreamManager } from '@nats-io/jetstream';
import { millis } from '@nats-io/transport-node';
import { freePort } from '../../services/cli/fleet/free-port.js';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { JetStreamCheckpointStorage } from '../../services/runtime/checkpoints/jetstream-checkpoint-storage.js';
import { CheckpointStore } from '../../services/runtime/checkpoints/store.js';
import { awaitBroker } from '../../services/runtime/links/broker.js';
import { startBroker } from '../kit/brokers.js';

const skip = isInstalled() ? false : 'no nats-server on the PATH';
const WEEK_MS = 7 * 24 * 3600 * 1000;
const OUTCOME = Uint8Array.of(1, 2, 3);

describe('the outcome of a run that a broker keeps', { skip, timeout: 60_000 }, () => {
  it('goes by itself, after a week', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
    const port = await freePort();
    const broker = await startBroker(port, ['-js', '-sd', folder]);
    const servers = [`nats://127.0.0.1:${port}`];
    const connection = await awaitBroker({ servers }, 'test', 20_000);
    try {
      const store = new CheckpointStore(new JetStreamCheckpointStorage(connection, 'r'));
      await store.beginEpoch(1);
      await store.putOutcome(OUTCOME);
      await store.keepOutcome();
      const { streams } = await jetstreamManager(connection);
      for (const name of ['OBJ_selvage-r', 'KV_selvage-r']) {
        assert.equal(millis((await streams.info(name)).config.max_age), WEEK_MS);
      }
      assert.deepEqual([...(await store.outcome())!], [...OUTCOME]);
    } finally {
      await connection.close();
      broker.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
