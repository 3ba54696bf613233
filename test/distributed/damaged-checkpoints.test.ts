/** Checkpoints that are damaged where they are kept: refused by name, and older ones are used. */

import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { selvage } from '#contracts';
import type { JetStreamManager } from '@nats-io/jetstream';
import { jetstreamManager } from '@nats-io/jetstream';
import { Objm } from '@nats-io/obj';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Fleet } from '../../services/cli/fleet/fleet.js';
import { freePort } from '../../services/cli/fleet/free-port.js';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { JetStreamCheckpointStorage } from '../../services/runtime/checkpoints/jetstream-checkpoint-storage.js';
import { SignedStorage } from '../../services/runtime/checkpoints/signed-storage.js';
import { awaitBroker } from '../../services/runtime/links/broker.js';
import { startBroker } from '../kit/brokers.js';
import { fabricOf, run } from '../kit/emulate.js';
import { fleetFor, runFleet } from '../kit/fleet.js';
import { BUCKET, MemoryBucket } from '../kit/object-storage.js';

const skip = isInstalled() ? false : 'no nats-server on the PATH';
const PATIENCE_MS = 20_000;
const RUN = 'r';
const STREAM = `OBJ_selvage-${RUN}`;
/** Of four chunks in JetStream. */
const OCTETS = new Uint8Array(400_000).fill(7);

const { Phase } = selvage.v1.RunStatus;
const { Action } = selvage.v1.SteerRequest;
const EXAMPLE = 'leaf-spine-all-to-all.yaml';
const set = ['load.0.bytes=48KB'];
const STEP_PS = 20e6;

/** A broker with JetStream, and what a stranger may do there. */
class Store {
  private constructor(
    readonly url: string,
    readonly connection: NatsConnection,
    readonly manager: JetStreamManager,
    private readonly broker: ChildProcess,
    private readonly folder: string,
  ) {}

  static async start(): Promise<Store> {
    const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
    const port = await freePort();
    const broker = await startBroker(port, ['-js', '-sd', folder]);
    const url = `nats://127.0.0.1:${port}`;
    const connection = await awaitBroker({ servers: [url] }, 'stranger', PATIENCE_MS);
    return new Store(url, connection, await jetstreamManager(connection), broker, folder);
  }

  /** The subjects of an object: its chunks, and its record. */
  async subjectsOf(name: string): Promise<[string, string]> {
    const objects = await new Objm(this.connection).open(`selvage-${RUN}`);
    const { nuid } = (await objects.info(name))!;
    const token = Buffer.from(name).toString('base64');
    return [`$O.selvage-${RUN}.C.${nuid}`, `$O.selvage-${RUN}.M.${token}`];
  }

  async publish(subject: string, octets: Uint8Array | string): Promise<void> {
    this.connection.publish(subject, octets);
    await this.connection.flush();
  }

  async stop(): Promise<void> {
    await this.connection.close();
    this.broker.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Each leaves an object that is no longer what was put there. */
const DAMAGE: Record<string, (store: Store, chunks: string, record: string) => Promise<unknown>> = {
  'one chunk more': (store, chunks) => store.publish(chunks, Uint8Array.of(1)),
  'one chunk less': async ({ manager }, chunks) => {
    const { seq } = (await manager.streams.getMessage(STREAM, { last_by_subj: chunks }))!;
    await manager.streams.deleteMessage(STREAM, seq);
  },
  'another chunk in its place': async (store, chunks) => {
    await DAMAGE['one chunk less']!(store, chunks, '');
    await store.publish(chunks, Uint8Array.of(1));
  },
  'no chunks': ({ manager }, filter) => manager.streams.purge(STREAM, { filter }),
  'no record': (store, _, record) => store.publish(record, 'nothing'),
  'an empty record': (store, _, record) => store.publish(record, '{}'),
  'a record of nowhere': (store, _, record) =>
    store.publish(record, '{ "name": "a", "nuid": "..", "digest": "SHA-256=aa", "size": 5 }'),
};

describe('an object in JetStream', { skip, timeout: 120_000 }, () => {
  let store: Store;
  before(async () => {
    store = await Store.start();
  });
  after(() => store.stop());

  for (const [what, damage] of Object.entries(DAMAGE)) {
    it(`with ${what} is refused by its name, replaced and removed`, async () => {
      const refused: string[] = [];
      const storage = new SignedStorage(
        new JetStreamCheckpointStorage(store.connection, RUN),
        Uint8Array.of(1),
        (name) => refused.push(name),
      );
      await storage.clear();
      await storage.put('a', OCTETS);
      assert.equal((await storage.get('a'))?.length, OCTETS.length);
      await damage(store, ...(await store.subjectsOf('a')));
      assert.equal(await storage.get('a'), null);
      assert.deepEqual(refused, ['a']);
      await storage.put('b', OCTETS);
      assert.deepEqual((await storage.names()).sort(), ['a', 'b']);
      await storage.put('a', OCTETS);
      assert.equal((await storage.get('a'))?.length, OCTETS.length);
      await damage(store, ...(await store.subjectsOf('a')));
      await storage.remove('a');
      assert.deepEqual(await storage.names(), ['b']);
    });
  }
});

describe('a run whose last checkpoint is damaged', { skip, timeout: 300_000 }, () => {
  const expected = run(fabricOf(`examples/${EXAMPLE}`, ...set));

  /** Damages the snapshot of service 0 in the last checkpoint of a run. */
  type Harm = (run: string) => Promise<void>;

  async function survives(place: string, url: string | null, harm: Harm): Promise<void> {
    const details = new Set<string>();
    const more = { set, checkpoints: place, checkpointSeconds: 1e6, paused: true };
    const broker = url === null ? {} : { broker: { servers: [url] } };
    const options = fleetFor(EXAMPLE, 2, ['--services=2'], { ...more, ...broker });
    const strike = async (fleet: Fleet): Promise<void> => {
      const { client, identity } = fleet;
      const until = (holds: (status: selvage.v1.RunStatus) => boolean) =>
        client.follow(() => undefined, holds, PATIENCE_MS);
      for (let last = 0; last < 2 * STEP_PS;) {
        await until(({ phase }) => phase === Phase.PHASE_PAUSED);
        await client.steer(Action.ACTION_STEP, STEP_PS);
        const stepped = await until(
          ({ phase, virtualPs }) => phase === Phase.PHASE_PAUSED && virtualPs > last,
        );
        last = stepped.virtualPs;
        await client.steer(Action.ACTION_CHECKPOINT);
        await until(({ checkpointPs }) => checkpointPs === last);
      }
      await harm(identity.run);
      fleet.signal('service 1', 'SIGKILL');
      await until(({ phase }) => phase === Phase.PHASE_RECOVERING);
      await until(({ phase }) => phase === Phase.PHASE_PAUSED);
      await client.steer(Action.ACTION_RESUME);
    };
    let struck = Promise.resolve();
    const { results } = await runFleet(
      options,
      (fleet) => {
        struck = strike(fleet);
        struck.catch(() => fleet.client.steer(Action.ACTION_RESUME).catch(() => undefined));
      },
      ({ detail }) => details.add(detail),
    );
    await struck;
    assert.deepEqual(results, expected);
    const reason = /checkpoint c1-\d+ is unusable: service 0: checkpoint c1-\d+ lacks the snapshot/;
    assert.match([...details].join('\n'), reason);
  }

  it('uses the one before it, of a folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
    try {
      await survives(folder, null, (name) => {
        const last = lastOf(readdirSync(join(folder, name)));
        truncateSync(join(folder, name, last), 100);
        return Promise.resolve();
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('uses the one before it, of a bucket where another lies in its place', async () => {
    const bucket = await MemoryBucket.start();
    Object.assign(process.env, bucket.env);
    try {
      await survives(`s3://${BUCKET}`, null, () => {
        const last = lastOf([...bucket.objects.keys()]);
        const other = [...bucket.objects.keys()].find((key) => key !== last && key.endsWith('.0'));
        bucket.objects.set(last, bucket.objects.get(other!)!);
        return Promise.resolve();
      });
    } finally {
      bucket.stop();
    }
  });

  it('uses the one before it, of JetStream that has lost its chunks', async () => {
    const store = await Store.start();
    try {
      await survives('jetstream', store.url, async (name) => {
        const objects = await new Objm(store.connection).open(`selvage-${name}`);
        const all = await objects.list();
        const last = lastOf(all.map((info) => info.name));
        const { nuid } = all.find((info) => info.name === last)!;
        const filter = `$O.selvage-${name}.C.${nuid}`;
        await store.manager.streams.purge(`OBJ_selvage-${name}`, { filter });
      });
    } finally {
      await store.stop();
    }
  });
});

/** The snapshot of service 0 in the last checkpoint of the first epoch. */
function lastOf(names: readonly string[]): string {
  const roundOf = (name: string): number => Number(/c1-(\d+)\.0$/.exec(name)?.[1] ?? 0);
  return [...names].sort((a, b) => roundOf(b) - roundOf(a))[0]!;
}
