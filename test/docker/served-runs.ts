/**
 * Runs whose broker, storage, collector and trace store are servers of others, in containers that
 * are killed while the run goes on; and a run of which every process is a container.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import type { StartedNetwork, StartedTestContainer } from 'testcontainers';
import { GenericContainer, getContainerRuntimeClient, Network, Wait } from 'testcontainers';
import type { selvage } from '#contracts';
import { S3Bucket } from '../../services/runtime/object-storage/s3-bucket.js';
import { s3AddressFrom } from '../../services/runtime/object-storage/s3-address.js';
import { fabricOf, ROOT, run } from '../kit/emulate.js';
import { fleetFor, runFleet } from '../kit/fleet.js';
import { BUCKET } from '../kit/object-storage.js';
import { grpcReceiver } from '../kit/otlp-receiver.js';
import { skipWithout } from '../kit/python.js';
import { checkTrees } from '../kit/span-trees.js';
import { noJaeger, noStorage } from './servers.js';
import {
  startCollector,
  startJaeger,
  startNats,
  startNatsCluster,
  startStorage,
} from './servers.js';

const EXAMPLE = 'leaf-spine-all-to-all.yaml';
/** Long enough for a server to be killed and to come again. */
const set = ['load.0.bytes=128KB'];
const CHECKPOINT_SECONDS = 0.2;
const PATIENCE_MS = 60_000;
const RUN = 'served';
const KEY = '0123456789abcdef0123456789abcdef';
const NATS_URL = 'nats://broker:4222';
const HEALTH_PORT = 7401;
const HEALTH_EVERY_MS = 500;
const HEALTH_TRIES = 600;
const STARTUP_MS = 300_000;

/** `image` has the program of this checkout; `folder` is for files of the tests. */
export function testServedRuns(image: string, folder: string): void {
  describe('with servers of others', () => {
    const expected = run(fabricOf(`examples/${EXAMPLE}`, ...set));
    let network: StartedNetwork;
    const started: StartedTestContainer[] = [];
    const own = <T extends { container: StartedTestContainer }>(server: T): T => {
      started.push(server.container);
      return server;
    };

    before(async () => {
      network = await new Network().start();
    });
    after(async () => {
      for (const container of started) await container.stop().catch(() => undefined);
      await network.stop();
    });

    /** Runs in services of this machine; `strike` happens when a checkpoint is kept. */
    async function runWith(
      servers: readonly string[],
      checkpoints: string,
      strike: () => Promise<unknown>,
    ): Promise<void> {
      const options = { set, checkpoints, checkpointSeconds: CHECKPOINT_SECONDS };
      const broker = { servers: [...servers] };
      let struck: Promise<unknown> = Promise.resolve();
      const { results } = await runFleet(
        { ...fleetFor(EXAMPLE, 2, ['--services=2'], options), broker },
        ({ client }) => {
          const isKept = (status: selvage.v1.RunStatus): boolean => status.checkpointPs > 0;
          struck = client.follow(() => undefined, isKept, PATIENCE_MS).then(strike);
          struck.catch(() => undefined);
        },
      );
      await struck;
      assert.deepEqual(results, expected);
    }

    it('NATS keeps checkpoints in JetStream, and is killed and started again', async () => {
      const { container, url } = own(await startNats());
      await runWith([url], 'jetstream', () => container.restart({ timeout: 0 }));
    });

    it('of three brokers of NATS one is killed for good', async () => {
      const brokers = (await startNatsCluster(network)).map(own);
      const urls = brokers.map(({ url }) => url);
      await runWith(urls, 'jetstream', () => brokers[0]!.container.stop({ timeout: 0 }));
    });

    it('S3-compatible storage keeps checkpoints', { skip: noStorage }, async () => {
      const [broker, storage] = await Promise.all([startNats(), startStorage()]);
      own(broker);
      own(storage);
      Object.assign(process.env, storage.env);
      await runWith([broker.url], `s3://${BUCKET}/nightly`, () => broker.container.restart());
      const bucket = new S3Bucket(s3AddressFrom(`s3://${BUCKET}`, storage.env));
      // What a run has kept is removed when it is over.
      assert.deepEqual(await bucket.list(''), []);
    });

    const noCollector = skipWithout('rotel/rotel-agent');
    it('a collector hands on whole trees of spans', { skip: noCollector }, async () => {
      const receiver = await grpcReceiver('0.0.0.0');
      const target = `http://tests:${new URL(receiver.url).port}`;
      const { container, url } = own(await startCollector(network, target));
      try {
        runTraced(folder, url);
        // It hands on what it still has before it ends.
        await container.stop({ timeout: PATIENCE_MS });
      } finally {
        receiver.close();
      }
      checkTrees(receiver.spans);
    });

    const noStore = noCollector === false ? noJaeger : noCollector;
    it('Jaeger finds, by flow, what a collector hands on', { skip: noStore }, async () => {
      const traces = own(await startJaeger(network));
      const { container, url } = own(await startCollector(network, traces.target));
      runTraced(folder, url, '--otlp-epoch', 'now');
      await container.stop({ timeout: PATIENCE_MS });
      const services = await asked<string>(`${traces.url}/api/services`);
      const serviceOf = (device: string): string | undefined =>
        services.find((service) => service.startsWith(`${device}@victim-behind-pfc-`));
      for (const device of ['h4', 'leaf1', 'leaf2', 'h6']) assert.ok(serviceOf(device));
      const query = new URLSearchParams({
        ...{ service: serviceOf('h4')!, lookback: '1h', limit: '200' },
        tags: JSON.stringify({ 'selvage.flow': 'victim/h4->h6' }),
      });
      const found = await asked<JaegerTrace>(`${traces.url}/api/traces?${query.toString()}`);
      assert.ok(found.length > 0);
      for (const { spans } of found) {
        const ids = new Set(spans.map(({ spanID }) => spanID));
        const above = spans.flatMap(({ references }) => references).filter(isParent);
        assert.ok(above.every(({ spanID }) => ids.has(spanID)));
      }
    });

    it('coordinator and services are containers, and the digest is the same', async () => {
      own(await startNats(network, 'broker'));
      const environment = {
        ...{ SELVAGE_RUN: RUN, SELVAGE_KEY: KEY, SELVAGE_COORDINATOR: 'coordinator:7400' },
        ...{ SELVAGE_NATS_URL: NATS_URL, SELVAGE_INSECURE: '1' },
        SELVAGE_HEALTH_PORT: `${HEALTH_PORT}`,
      };
      const process = (...words: string[]): GenericContainer =>
        new GenericContainer(image)
          .withCommand(words)
          .withEnvironment(environment)
          .withNetwork(network)
          .withHealthCheck({
            test: ['CMD', 'node', '/selvage/dist/programs/selvage.js', 'healthy'],
            interval: HEALTH_EVERY_MS,
            retries: HEALTH_TRIES,
          })
          .withStartupTimeout(STARTUP_MS)
          .withWaitStrategy(Wait.forHealthCheck());
      const coordinator = await process(
        ...['coordinate', `/selvage/examples/${EXAMPLE}`, '--services=2', '--exit-zero'],
        ...[`--nats=${NATS_URL}`, '--out=/work/run', ...set.map((change) => `--set=${change}`)],
      )
        .withNetworkAliases('coordinator')
        .start();
      started.push(coordinator);
      // A service ends with the run, which may be before it could be asked for its health.
      const ofRun = (number: number): Promise<StartedTestContainer> =>
        process('service', `--number=${number}`).withWaitStrategy(Wait.forOneShotStartup()).start();
      started.push(...(await Promise.all([0, 1].map(ofRun))));
      const client = await getContainerRuntimeClient();
      const { StatusCode } = (await client.container.getById(coordinator.getId()).wait()) as {
        StatusCode: number;
      };
      assert.equal(StatusCode, 0);
      const archive = await coordinator.copyArchiveFromContainer('/work/run/digest');
      assert.ok((await text(archive)).includes(expected.digest));
    });
  });
}

interface JaegerReference {
  readonly refType: string;
  readonly spanID: string;
}

interface JaegerTrace {
  readonly spans: readonly {
    readonly spanID: string;
    readonly references: readonly JaegerReference[];
  }[];
}

/** Not a link, which may be to another trace. */
function isParent({ refType }: JaegerReference): boolean {
  return refType === 'CHILD_OF';
}

async function asked<T>(url: string): Promise<T[]> {
  const reply = await fetch(url);
  return ((await reply.json()) as { data: T[] }).data;
}

/** Sends spans of frames and episodes there. */
function runTraced(folder: string, url: string, ...more: readonly string[]): void {
  const shown = ['duration=60us', 'observe.traces.share=5%', 'observe.episodes=true', 'expect=[]'];
  const words = [
    ...[join(ROOT, 'dist/programs/selvage.js'), 'run', 'examples/victim-behind-pfc.yaml'],
    ...[...shown.flatMap((change) => ['--set', change]), '--quiet', '--no-parquet'],
    ...['--out', join(folder, 'traced'), '--otlp', url, ...more],
  ];
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: ROOT, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
}
