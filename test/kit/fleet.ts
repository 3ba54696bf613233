import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selvage } from '#contracts';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { runDistributed } from '../../services/cli/fleet/distributed-run.js';
import type { FleetOptions } from '../../services/cli/fleet/fleet.js';
import type { Fleet } from '../../services/cli/fleet/fleet.js';
import { freePort } from '../../services/cli/fleet/free-port.js';
import { ProgressLine } from '../../services/cli/progress.js';
import type { MergedRun } from '../../services/runtime/merge.js';
import { RandomStream } from '../../services/engine/kernel/random.js';
import { startBroker } from './brokers.js';
import { ROOT } from './emulate.js';

export function fleetFor(
  example: string,
  services: number,
  placementArgs: readonly string[],
  more: Partial<FleetOptions> = {},
): FleetOptions {
  return {
    scenarioFile: join(ROOT, 'examples', example),
    scenarioName: example,
    set: [],
    services,
    placementArgs,
    broker: null,
    controlTls: null,
    check: true,
    checkpointSeconds: 0.3,
    checkpoints: null,
    patienceSeconds: 40,
    log: null,
    from: null,
    steps: [],
    infrastructure: [],
    elsewhere: null,
    ...more,
  };
}

export function runFleet(
  options: FleetOptions,
  launched?: (fleet: Fleet) => void,
  heard?: (status: selvage.v1.RunStatus) => void,
): Promise<MergedRun> {
  return runDistributed(options, new ProgressLine(null), launched, heard);
}

/** One of so many kills does not wait until the run has recovered from the one before. */
const HASTE = 4;

/** Kills processes whose name begins so, one at a time: a while after the run got further. */
export class Killer {
  killed = 0;
  private readonly random: RandomStream;

  constructor(
    private readonly victims: string,
    readonly times: number,
    private readonly everyMs: number,
    seed = 1,
  ) {
    this.random = new RandomStream(seed, victims);
  }

  /** Starts killing; ends by itself when the fleet is closed. */
  readonly attack = (fleet: Fleet): void => {
    void this.loop(fleet).catch(() => undefined);
  };

  private async loop(fleet: Fleet): Promise<void> {
    while (this.killed < this.times) {
      const isHasty = this.killed > 0 && this.random.below(HASTE) === 0;
      if (!isHasty) await fleet.client.follow(() => undefined, getsFurther(), Infinity);
      const pauseMs = this.everyMs * (0.5 + this.random.uniform());
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      const names = Object.keys(fleet.pids()).filter((name) => name.startsWith(this.victims));
      if (fleet.signal(names[this.random.below(names.length)]!, 'SIGKILL')) this.killed++;
    }
  }
}

/** Whether virtual time has passed since the run was under way. */
function getsFurther(): (status: selvage.v1.RunStatus) => boolean {
  let fromPs = Infinity;
  return ({ phase, virtualPs }) => {
    const isUnderWay = phase === selvage.v1.RunStatus.Phase.PHASE_RUNNING;
    fromPs = isUnderWay ? Math.min(fromPs, virtualPs) : Infinity;
    return virtualPs > fromPs;
  };
}

const BROKERS = 3;

/** Three brokers on loopback that know each other. */
export class BrokerCluster {
  private readonly children: ChildProcess[] = [];

  private constructor(
    readonly servers: string[],
    private readonly begin: (broker: number) => Promise<ChildProcess>,
    private readonly folder: string,
  ) {}

  /** So many brokers accept connections; they may still be electing a leader. */
  static async start(brokers = BROKERS): Promise<BrokerCluster> {
    const ports = [await freePort(), await freePort(), await freePort()];
    const routes = [await freePort(), await freePort(), await freePort()];
    const known = routes.map((port) => `nats://127.0.0.1:${port}`).join(',');
    const folder = mkdtempSync(join(tmpdir(), 'selvage-cluster-'));
    const begin = (i: number): Promise<ChildProcess> => {
      const cluster = ['--cluster_name', 'selvage', '--cluster', `nats://127.0.0.1:${routes[i]}`];
      const own = ['-n', `broker${i}`, '--routes', known, '-js', '-sd', `store${i}`];
      return startBroker(ports[i]!, [...cluster, ...own], folder);
    };
    const servers = ports.map((port) => `nats://127.0.0.1:${port}`);
    const cluster = new BrokerCluster(servers, begin, folder);
    await cluster.grow(brokers);
    return cluster;
  }

  /** Starts brokers up to a number of them. */
  async grow(brokers = BROKERS): Promise<void> {
    const { children, begin } = this;
    const missing = Array.from({ length: brokers - children.length }, (_, i) =>
      begin(children.length + i),
    );
    children.push(...(await Promise.all(missing)));
  }

  /** Kills the broker that leads a stream; returns how many have it. */
  async killLeader(stream: string): Promise<number> {
    const connection = await connect({ servers: this.servers, maxReconnectAttempts: -1 });
    try {
      const manager = await jetstreamManager(connection);
      const { config, cluster } = await manager.streams.info(stream);
      this.children[Number(cluster!.leader!.slice('broker'.length))]!.kill('SIGKILL');
      return config.num_replicas;
    } finally {
      await connection.close();
    }
  }

  kill(broker: number): void {
    this.children[broker]!.kill('SIGKILL');
  }

  stop(): void {
    for (const child of this.children) child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
