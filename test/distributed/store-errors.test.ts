import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { NatsConnection } from '@nats-io/transport-node';
import { freePort } from '../../services/cli/fleet/free-port.js';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { JetStreamCheckpointStorage } from '../../services/runtime/checkpoints/jetstream-checkpoint-storage.js';
import { repeatFor } from '../../services/runtime/checkpoints/repeat.js';
import { awaitBroker } from '../../services/runtime/links/broker.js';
import { startBroker } from '../kit/brokers.js';

const skip = isInstalled() ? false : 'no nats-server on the PATH';
const PATIENCE_MS = 20_000;

describe('a broker that keeps no checkpoints', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
  const servers: ChildProcess[] = [];
  const connections: NatsConnection[] = [];
  after(async () => {
    await Promise.all(connections.map((connection) => connection.close()));
    for (const server of servers) server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  async function storageAt(...args: string[]): Promise<JetStreamCheckpointStorage> {
    const port = await freePort();
    const words = ['-a', '127.0.0.1', '-p', `${port}`, ...args];
    servers.push(spawn('nats-server', words, { stdio: 'ignore' }));
    const options = { servers: [`nats://127.0.0.1:${port}`] };
    connections.push(await awaitBroker(options, 'test', PATIENCE_MS));
    return new JetStreamCheckpointStorage(connections.at(-1)!, 'r');
  }

  const opened = (storage: JetStreamCheckpointStorage, patienceMs: number): Promise<void> =>
    repeatFor(patienceMs, "the broker's JetStream gives no answer", () => storage.open());

  it('has none, and the run does not wait for it', async () => {
    const storage = await storageAt();
    await assert.rejects(opened(storage, PATIENCE_MS), /^Error: the broker has no JetStream/);
  });

  it('denies permission, and the run does not wait for it', async () => {
    const file = join(folder, 'denied.conf');
    writeFileSync(
      file,
      `jetstream: { store_dir: ${join(folder, 'denied')} }
       authorization: { users: [ { user: a, password: b,
         permissions: { publish: { deny: ["$JS.API.>"] } } } ] }
       no_auth_user: a\n`,
    );
    const storage = await storageAt('-c', file);
    await assert.rejects(
      opened(storage, PATIENCE_MS),
      /^Error: the broker gives this user no rights/,
    );
  });

  it('has lost an answer with the connection, and gets the request again at once', async () => {
    const port = await freePort();
    const store = ['-js', '-sd', join(folder, 'restarted')];
    const broker = await startBroker(port, store);
    const options = { servers: [`nats://127.0.0.1:${port}`] };
    connections.push(await awaitBroker(options, 'test', PATIENCE_MS));
    const storage = new JetStreamCheckpointStorage(connections.at(-1)!, 'r');
    await opened(storage, PATIENCE_MS);
    broker.kill('SIGSTOP');
    // Before the loss is noticed: a rejection that nobody waits for yet would fail the test.
    const lost = assert.rejects(storage.names(), /the connection to the broker was lost/);
    broker.kill('SIGKILL');
    await once(broker, 'exit');
    servers.push(await startBroker(port, store));
    await lost;
    await repeatFor(PATIENCE_MS, 'no answer', () => storage.names());
  });

  it('does not answer, and is waited for as long as patience lasts', async () => {
    const storage = await storageAt('-js', '-sd', join(folder, 'silent'));
    await opened(storage, PATIENCE_MS);
    await storage.put('a', Uint8Array.of(1));
    servers.at(-1)!.kill('SIGSTOP');
    // A signal takes its time: what is put before it does is answered.
    const putAgain = async (): Promise<never> => {
      for (;;) await repeatFor(100, 'no answer', () => storage.put('a', Uint8Array.of(2)));
    };
    await assert.rejects(putAgain(), /no answer for 0.1 s/);
    servers.at(-1)!.kill('SIGCONT');
    await repeatFor(PATIENCE_MS, 'no answer', () => storage.put('a', Uint8Array.of(3)));
    assert.deepEqual(Uint8Array.from((await storage.get('a'))!), Uint8Array.of(3));
  });
});
