import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openStore } from '../../runtime/checkpoints/open-store.js';
import type { BrokerOptions } from '../../runtime/links/broker.js';
import { awaitBroker, brokerEnvironment, connectBroker } from '../../runtime/links/broker.js';
import { RunKeys } from '../../runtime/keys/run-keys.js';
import type { LogSettings } from '../../runtime/log.js';
import { logEnvironment } from '../../runtime/log.js';
import { programFile } from '../../runtime/package-files.js';
import { isS3 } from '../../runtime/object-storage/s3-address.js';
import type { RunIdentity } from '../../runtime/service/settings.js';
import { identityEnvironment } from '../../runtime/service/settings.js';
import type { TlsFiles } from '../../runtime/links/control-channel.js';
import type { InfrastructureFault } from './infrastructure.js';
import type { FaultStep } from '../../runtime/live-faults.js';
import type { WholeState } from '../../runtime/whole-state.js';
import { packWhole } from '../../runtime/whole-state.js';
import { InputError } from '../exit.js';
import { CoordinatorClient } from './coordinator-client.js';
import { freePort } from './free-port.js';
import { announce, withdraw } from './live-runs.js';
import { ownBroker } from './own-broker.js';
import { ProcessGroup } from './process-group.js';
import { appointSuccessor, type Successor } from './successor.js';

export interface FleetOptions {
  readonly scenarioFile: string;
  /** Instead of a file that the coordinator cannot read again; it has the settings, too. */
  readonly document?: unknown;
  readonly scenarioName: string;
  readonly set: readonly string[];
  readonly services: number;
  /** Arguments of the coordinator for the placement of devices. */
  readonly placementArgs: readonly string[];
  /** Null: a broker of its own. */
  readonly broker: BrokerOptions | null;
  /** Mutual TLS between coordinator, services and commands. */
  readonly controlTls: TlsFiles | null;
  readonly check: boolean;
  readonly checkpointSeconds: number;
  /** A folder, `s3://bucket/folder`, `jetstream`, or null: a temporary folder. */
  readonly checkpoints: string | null;
  readonly patienceSeconds: number;
  /** Processes log to the standard error of this one; null: they keep what they log. */
  readonly log: LogSettings | null;
  /** Where to continue; null for the beginning. */
  readonly from: WholeState | null;
  /** Faults that were injected before. */
  readonly steps: readonly FaultStep[];
  /** Nothing is executed until the run is resumed. */
  readonly paused?: boolean;
  /** Infrastructure faults of its processes. */
  readonly infrastructure: readonly InfrastructureFault[];
  /** Services that are started elsewhere, and join; null: they are started here. */
  readonly elsewhere: Rendezvous | null;
}

/** Shared settings of a coordinator and of services that others start. */
export interface Rendezvous {
  readonly run: string;
  readonly secret: string;
  /** Where the coordinator listens, for services: host:port. */
  readonly listen: string;
}

const RUN_ID_OCTETS = 4;
const SECRET_OCTETS = 32;
const BROKER_STARTS_MS = 5_000;

/** The processes of one distributed run on this machine: broker, coordinator, services. */
export class Fleet {
  readonly client: CoordinatorClient;
  /** Why the run cannot continue; set when a process ended for good. */
  failure: string | null = null;
  private readonly group: ProcessGroup;
  private readonly successor: Successor;

  private constructor(
    readonly identity: RunIdentity,
    private readonly folder: string,
    log: LogSettings | null,
    onFailure: () => void,
  ) {
    this.client = new CoordinatorClient(identity.coordinator, identity.keys.token, identity.tls);
    this.successor = appointSuccessor(folder);
    this.group = new ProcessGroup((name, words) => {
      this.failure ??= words === '' ? `${name} ended` : words;
      onFailure();
    }, log !== null);
  }

  static async launch(options: FleetOptions, onFailure: () => void): Promise<Fleet> {
    const folder = mkdtempSync(join(tmpdir(), 'selvage-run-'));
    const { run, secret, listen } = options.elsewhere ?? (await ownRendezvous());
    const identity: RunIdentity = {
      run,
      secret,
      keys: new RunKeys(run, secret),
      coordinator: listen.replace(/^0\.0\.0\.0:/, '127.0.0.1:'),
      tls: options.controlTls,
      patienceMs: options.patienceSeconds * 1000,
      checkpoints: checkpointsOf(options.checkpoints, folder),
    };
    const fleet = new Fleet(identity, folder, options.log, onFailure);
    try {
      await fleet.start(options);
    } catch (error) {
      await fleet.close();
      throw error;
    }
    return fleet;
  }

  /** Process numbers by name, for tests that kill them. */
  pids(): Record<string, number | undefined> {
    return Object.fromEntries(this.group.names.map((name) => [name, this.group.pidOf(name)]));
  }

  /** Of a process that was started here. */
  pidOf(name: string): number | undefined {
    return this.group.pidOf(name);
  }

  /** Sends a signal to a process that was started here; false: it has ended. */
  signal(name: string, signal: NodeJS.Signals): boolean {
    return this.group.signal(name, signal);
  }

  async close(): Promise<void> {
    this.client.close();
    await this.group.close();
    withdraw(this.identity.run);
    rmSync(this.folder, { recursive: true, force: true });
    this.successor.dismiss();
  }

  private async start(options: FleetOptions): Promise<void> {
    const { identity, group } = this;
    const broker = options.broker ?? (await this.startBroker());
    if (options.broker !== null && options.elsewhere === null) {
      await probe(options.broker, identity);
    }
    const env = {
      ...identityEnvironment(identity),
      ...brokerEnvironment(broker),
      ...(options.log && logEnvironment(options.log)),
      SELVAGE_PARENT: `${process.pid}`,
    };
    const args = [...this.scenarioOf(options), ...options.placementArgs];
    args.push('--listen', options.elsewhere?.listen ?? identity.coordinator);
    args.push('--checkpoint-every', `${options.checkpointSeconds}`);
    args.push('--folder', this.folder);
    if (options.paused === true) args.push('--paused');
    if (options.check) args.push('--check');
    // A coordinator with a supervisor may be started again when all is over.
    if (options.elsewhere !== null) args.push('--keep-outcome');
    if (options.from !== null) {
      const file = join(this.folder, 'from');
      writeFileSync(file, packWhole(options.from));
      args.push('--from', file);
    }
    if (options.steps.length > 0) {
      const file = join(this.folder, 'steps');
      writeFileSync(file, JSON.stringify(options.steps));
      args.push('--steps', file);
    }
    for (const { atPs } of options.infrastructure) {
      if (atPs !== null) args.push('--halt', `${atPs}`);
    }
    const command = process.execPath;
    group.start({ name: 'coordinator', command, args: [programFile('coordinator'), ...args], env });
    const startedHere = options.elsewhere === null ? options.services : 0;
    for (let service = 0; service < startedHere; service++) {
      const own = { ...env, SELVAGE_SERVICE: `${service}` };
      const name = `service ${service}`;
      group.start({ name, command, args: [programFile('service')], env: own });
    }
    const { run, coordinator, keys, tls } = identity;
    const scenario = options.scenarioName;
    announce({ run, scenario, coordinator, token: keys.token, tls, pid: process.pid });
  }

  /** A file, and settings on top of it. */
  private scenarioOf({ scenarioFile, document, set }: FleetOptions): string[] {
    if (document === undefined) {
      return [resolve(scenarioFile), ...set.flatMap((change) => ['--set', change])];
    }
    const file = join(this.folder, 'scenario.json');
    writeFileSync(file, JSON.stringify(document));
    return [file];
  }

  private async startBroker(): Promise<BrokerOptions> {
    const port = await freePort();
    this.group.start(ownBroker(port, this.folder));
    const broker = { servers: [`nats://127.0.0.1:${port}`] };
    await (await awaitBroker(broker, 'selvage', BROKER_STARTS_MS)).close();
    return broker;
  }
}

async function ownRendezvous(): Promise<Rendezvous> {
  return {
    run: randomBytes(RUN_ID_OCTETS).toString('hex'),
    secret: randomBytes(SECRET_OCTETS).toString('hex'),
    listen: `127.0.0.1:${await freePort()}`,
  };
}

function checkpointsOf(request: string | null, folder: string): string {
  if (request === 'jetstream' || (request !== null && isS3(request))) return request;
  return request === null ? join(folder, 'checkpoints') : resolve(request);
}

/** Reports at once if a named broker cannot be used. */
async function probe(broker: BrokerOptions, identity: RunIdentity): Promise<void> {
  try {
    const connection = await connectBroker(broker, 'selvage');
    try {
      await openStore(identity, () => Promise.resolve(connection));
    } finally {
      await connection.close();
    }
  } catch (error) {
    throw new InputError((error as Error).message);
  }
}
