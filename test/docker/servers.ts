/**
 * Servers of others in containers, of which each is ready when its own health check says so. Images
 * are pulled, or made of programs of this machine (base-images.mjs).
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StartedNetwork, StartedTestContainer } from 'testcontainers';
import { GenericContainer, Wait } from 'testcontainers';
import { freePort } from '../../services/cli/fleet/free-port.js';
import { ROOT } from '../kit/emulate.js';
import { goProgram } from '../kit/go-programs.js';
import { ACCESS, BUCKET, gatewayWords } from '../kit/object-storage.js';
import { PYTHON_FOLDER } from '../kit/python.js';
import { makeImages } from './engine.js';

/** A bound for what hangs, far above what a busy machine takes. */
const STARTUP_MS = 300_000;
const CLIENTS = 4222;
const ROUTES = 6222;
const MONITORING = 8222;
const STORAGE = 7070;
const OTLP = 4317;
const QUERIES = 16686;

/** The image of a name in Compose. */
function deployed(name: string): string {
  const text = readFileSync(join(ROOT, 'deploy/compose.yaml'), 'utf8');
  return new RegExp(`(?<=^ +image: )${name}:.+$`, 'm').exec(text)![0];
}

export interface Broker {
  readonly container: StartedTestContainer;
  readonly url: string;
}

/**
 * A broker with JetStream. It keeps its port when it is started again: a published one that is
 * not chosen would be another.
 */
export async function startNats(
  network?: StartedNetwork,
  name = 'nats',
  ...more: string[]
): Promise<Broker> {
  const port = await freePort();
  const store = ['--jetstream', '--store_dir', '/tmp/jetstream', '--http_port', `${MONITORING}`];
  const broker = new GenericContainer(deployed('nats'))
    .withEntrypoint(['nats-server'])
    .withCommand([...store, '--server_name', name, ...more])
    .withExposedPorts({ container: CLIENTS, host: port }, MONITORING)
    .withStartupTimeout(STARTUP_MS)
    .withWaitStrategy(Wait.forHttp('/healthz', MONITORING));
  if (network !== undefined) broker.withNetwork(network).withNetworkAliases(name);
  const container = await broker.start();
  return { container, url: `nats://${container.getHost()}:${port}` };
}

/** Three brokers that know each other; each is ready when it is a member of the cluster. */
export function startNatsCluster(network: StartedNetwork): Promise<Broker[]> {
  const names = ['nats-0', 'nats-1', 'nats-2'];
  const routes = names.map((name) => `nats://${name}:${ROUTES}`).join(',');
  // Clients know the published addresses, and reach no others everywhere.
  const cluster = ['--cluster_name', 'selvage', '--cluster', `nats://0.0.0.0:${ROUTES}`];
  const words = [...cluster, '--routes', routes, '--no_advertise'];
  return Promise.all(names.map((name) => startNats(network, name, ...words)));
}

/** Why there can be no storage server, or false. */
export const noStorage = goProgram('versitygw') === undefined ? 'no versitygw' : false;

export interface Storage {
  readonly container: StartedTestContainer;
  /** Its address and credentials, for processes. */
  readonly env: Readonly<Record<string, string>>;
}

/** S3-compatible storage with an empty bucket. */
export async function startStorage(): Promise<Storage> {
  const image = 'versity/versitygw:v1.8.0';
  makeImages(`${image}=${goProgram('versitygw')!}`);
  const words = gatewayWords(`:${STORAGE}`, '/data', '/metadata');
  const container = await new GenericContainer(image)
    .withEntrypoint(['versitygw'])
    .withCommand(['--health', '/health', ...words])
    .withTmpFs({ '/data': '', '/metadata': '' })
    .withExposedPorts(STORAGE)
    .withStartupTimeout(STARTUP_MS)
    .withWaitStrategy(Wait.forHttp('/health', STORAGE))
    .start();
  await container.exec(['mkdir', `/data/${BUCKET}`]);
  const url = `http://${container.getHost()}:${container.getMappedPort(STORAGE)}`;
  return { container, env: { ...ACCESS, AWS_ENDPOINT_URL: url } };
}

/** A collector in a network, which hands on over gRPC what it takes. */
export async function startCollector(network: StartedNetwork, target: string): Promise<Broker> {
  const image = 'selvage-test/collector:host';
  makeImages(`${image}=${join(PYTHON_FOLDER, 'rotel/rotel-agent')}`);
  const container = await new GenericContainer(image)
    .withCommand([
      ...['start', '--otlp-grpc-endpoint', `0.0.0.0:${OTLP}`, '--batch-timeout', '50ms'],
      ...['--exporter', 'otlp', '--otlp-exporter-endpoint', target],
      ...['--otlp-exporter-retry-initial-backoff', '200ms'],
    ])
    .withNetwork(network)
    .withExtraHosts([{ host: 'tests', ipAddress: 'host-gateway' }])
    .withExposedPorts(OTLP)
    .withStartupTimeout(STARTUP_MS)
    .withWaitStrategy(Wait.forListeningPorts())
    .start();
  const url = `grpc://${container.getHost()}:${container.getMappedPort(OTLP)}`;
  return { container, url };
}

/** Where test/needs.mjs builds it, in the long suite. */
const JAEGER = goProgram('all-in-one');
/** Why there can be no trace store, or false. */
export const noJaeger =
  JAEGER === undefined ? 'no Jaeger, which needs Go: it is in the long suite' : false;

export interface TraceStore {
  readonly container: StartedTestContainer;
  /** Where it answers queries. */
  readonly url: string;
  /** Where others of its network send spans. */
  readonly target: string;
}

export async function startJaeger(network: StartedNetwork): Promise<TraceStore> {
  const image = deployed('jaegertracing/all-in-one');
  makeImages(`${image}=${JAEGER!}`);
  const container = await new GenericContainer(image)
    .withNetwork(network)
    .withNetworkAliases('traces')
    .withExposedPorts(QUERIES)
    .withStartupTimeout(STARTUP_MS)
    .withWaitStrategy(Wait.forHttp('/api/services', QUERIES))
    .start();
  const url = `http://${container.getHost()}:${container.getMappedPort(QUERIES)}`;
  return { container, url, target: `http://traces:${OTLP}` };
}
