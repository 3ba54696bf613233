/** What may fail, where checkpoints may lie, and when: each with the results of one process. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { selvage } from '#contracts';
import type { Fleet, FleetOptions } from '../../services/cli/fleet/fleet.js';
import { freePort } from '../../services/cli/fleet/free-port.js';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { DirectoryCheckpointStorage } from '../../services/runtime/checkpoints/directory-checkpoint-storage.js';
import { startBroker } from '../kit/brokers.js';
import type { Disk } from '../kit/disks.js';
import {
  empty,
  fill,
  imageDisk,
  noImageDisk,
  noSmallDisk,
  slowDown,
  smallDisk,
} from '../kit/disks.js';
import { fabricOf, run } from '../kit/emulate.js';
import { BrokerCluster, fleetFor, runFleet } from '../kit/fleet.js';
import { isLong } from '../kit/long-suite.js';
import { BUCKET, Gateway, noGateway } from '../kit/object-storage.js';

const { Phase } = selvage.v1.RunStatus;
const { Action } = selvage.v1.SteerRequest;
type Status = selvage.v1.RunStatus;

const EXAMPLE = 'leaf-spine-all-to-all.yaml';
const set = ['load.0.bytes=48KB'];
const PATIENCE_MS = 120_000;
/** Longer than a service may be silent. */
const STOP_MS = 45_000;

/** Longer than a checkpoint is tried. */
const LONG_MS = 20_000;

const STORES = ['jetstream', 'folder', 's3'] as const;
type Store = (typeof STORES)[number];
const MOMENTS = ['start', 'run', 'checkpoint', 'end'] as const;
type Moment = (typeof MOMENTS)[number];

/** What fails, in a fleet of a test. */
interface Stage {
  readonly fleet: Fleet;
  readonly cluster: BrokerCluster | null;
  /** Object storage, if checkpoints lie there. */
  readonly gateway: Gateway | null;
  /** Where checkpoints lie, whatever writes them. */
  readonly folder: string;
}

const kill = ({ fleet }: Stage, isVictim: (name: string) => boolean): void => {
  for (const name of Object.keys(fleet.pids())) if (isVictim(name)) fleet.signal(name, 'SIGKILL');
};

const FAULTS = {
  broker: (stage) => {
    kill(stage, (name) => name === 'broker');
  },
  'one of three brokers': ({ cluster }) => {
    cluster!.kill(0);
  },
  service: (stage) => {
    kill(stage, (name) => name === 'service 1');
  },
  coordinator: (stage) => {
    kill(stage, (name) => name === 'coordinator');
  },
  'all at once': (stage) => {
    kill(stage, () => true);
  },
  'stop of all for 45 s': async ({ fleet }) => {
    const names = Object.keys(fleet.pids());
    for (const name of names) fleet.signal(name, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, STOP_MS));
    for (const name of names) fleet.signal(name, 'SIGCONT');
  },
  'disk full': async ({ fleet, folder }) => {
    fill(folder);
    await triedOrWaitedFor(fleet);
    empty(folder);
  },
  'slow disk': async ({ fleet, folder }) => {
    const end = slowDown(folder);
    try {
      await checkpointsTried(fleet);
    } finally {
      end();
    }
  },
  'object storage': async ({ fleet, gateway }) => {
    gateway!.signal('SIGSTOP');
    await triedOrWaitedFor(fleet);
    gateway!.signal('SIGCONT');
  },
} satisfies Record<string, (stage: Stage) => void | Promise<void>>;
type Fault = keyof typeof FAULTS;

/** Until a checkpoint was tried, in vain or not. */
async function checkpointsTried(fleet: Fleet): Promise<void> {
  await fleet.client.steer(Action.ACTION_CHECKPOINT);
  const { rounds } = await until(fleet, () => true);
  await until(fleet, (status) => status.rounds > rounds + 5 || isOver(status));
}

/** A run waits for its store at the first epoch and at the end. */
async function triedOrWaitedFor(fleet: Fleet): Promise<void> {
  const waited = new Promise((resolve) => setTimeout(resolve, LONG_MS));
  await Promise.race([checkpointsTried(fleet), waited]);
}

function isOver({ phase }: Status): boolean {
  return [Phase.PHASE_COMPLETE, Phase.PHASE_FAILED, Phase.PHASE_INTERRUPTED].includes(phase);
}

function until(fleet: Fleet, holds: (status: Status) => boolean): Promise<Status> {
  return fleet.client.follow(() => undefined, holds, PATIENCE_MS);
}

const ARRIVED: Record<Moment, (status: Status) => boolean> = {
  start: () => true,
  run: ({ phase, virtualPs }) => phase === Phase.PHASE_RUNNING && virtualPs > 0,
  checkpoint: ({ checkpointPs }) => checkpointPs > 0,
  end: ({ share }) => share > 0.9,
};

/** Returns whether the run was not over before. */
async function strike(stage: Stage, fault: Fault, moment: Moment): Promise<boolean> {
  const { fleet } = stage;
  const status = await until(fleet, (now) => ARRIVED[moment](now) || isOver(now));
  if (isOver(status)) return false;
  if (moment === 'checkpoint') await fleet.client.steer(Action.ACTION_CHECKPOINT);
  await FAULTS[fault](stage);
  return true;
}

function skipOf(fault: Fault, store: Store): string | false {
  if (!isInstalled()) return 'no nats-server on the PATH';
  if (store === 's3' && noGateway !== false) return noGateway;
  if (fault === 'disk full') return noSmallDisk;
  return fault === 'slow disk' ? noImageDisk : false;
}

function diskOf(fault: Fault): Disk {
  if (fault === 'disk full') return smallDisk();
  if (fault === 'slow disk') return imageDisk();
  const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
  return {
    folder,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A broker whose store is on a disk of the test. */
async function brokerOn(
  folder: string,
): Promise<{ readonly url: string; readonly stop: () => void }> {
  const port = await freePort();
  const broker = await startBroker(port, ['-js', '-sd', join(folder, 'jetstream')]);
  const stop = (): void => {
    broker.kill('SIGKILL');
  };
  return { url: `nats://127.0.0.1:${port}`, stop };
}

function placeOf(store: Store, folder: string): string {
  if (store === 'jetstream') return store;
  return store === 's3' ? `s3://${BUCKET}/checkpoints` : join(folder, 'checkpoints');
}

/**
 * The suite of every change has one of each kind; the long one has all. JetStream of nats-server 2.9
 * answers nothing more after its disk was full: that takes minutes of patience.
 */
function isRepresentative(fault: Fault, store: Store, moment: Moment): boolean {
  const few: readonly (readonly [Fault, Store, Moment])[] = [
    ['broker', 'jetstream', 'start'],
    ['one of three brokers', 'jetstream', 'checkpoint'],
    ['service', 'folder', 'checkpoint'],
    ['coordinator', 'jetstream', 'end'],
    ['all at once', 'jetstream', 'run'],
    ['disk full', 'folder', 'checkpoint'],
    ['slow disk', 'jetstream', 'run'],
    ['object storage', 's3', 'checkpoint'],
    ['all at once', 's3', 'run'],
  ];
  return few.some(([f, s, m]) => f === fault && s === store && m === moment);
}

/** A thread has no part in most faults: services that are all killed at once have two, too. */
function threadsOf(fault: Fault): readonly string[] {
  return isLong || fault === 'all at once' ? ['--threads=2'] : [];
}

/** Without a broker or object storage of its own, nothing could fail. */
function isPossible(fault: Fault, store: Store): boolean {
  return fault !== 'object storage' || store === 's3';
}

const skip = noSmallDisk;
it('a claim that found the disk full is made when there is room', { skip }, async () => {
  const disk = smallDisk();
  const { folder } = disk;
  try {
    const storage = new DirectoryCheckpointStorage(join(folder, 'run'));
    assert.ok(await storage.claim('epoch-1', 'a'));
    fill(folder);
    await assert.rejects(storage.claim('epoch-2', 'a'), /ENOSPC/);
    empty(folder);
    assert.ok(await storage.claim('epoch-2', 'a'));
    assert.equal(await storage.claim('epoch-2', 'b'), false);
    assert.deepEqual((await storage.claims()).sort(), ['epoch-1', 'epoch-2']);
  } finally {
    disk.remove();
  }
});

describe('a run in services', { timeout: isLong ? 3_600_000 : 540_000 }, () => {
  const expected = run(fabricOf(`examples/${EXAMPLE}`, ...set));

  for (const fault of Object.keys(FAULTS) as Fault[]) {
    for (const store of STORES) {
      for (const moment of MOMENTS) {
        if (!isPossible(fault, store)) continue;
        if (!isLong && !isRepresentative(fault, store, moment)) continue;
        const skip = skipOf(fault, store);
        it(`bears ${fault} at its ${moment}, checkpoints in ${store}`, { skip }, async () => {
          const disk = diskOf(fault);
          const { folder } = disk;
          const cluster = fault === 'one of three brokers' ? await BrokerCluster.start() : null;
          const isOnDisk = store === 'jetstream' && fault.includes('disk');
          const broker = isOnDisk ? await brokerOn(folder) : null;
          const gateway = store === 's3' ? await Gateway.start(folder) : null;
          Object.assign(process.env, gateway?.env);
          const servers = cluster?.servers ?? (broker === null ? null : [broker.url]);
          const more: Partial<FleetOptions> = {
            ...{ set, checkpoints: placeOf(store, folder), checkpointSeconds: 0.2 },
            patienceSeconds: PATIENCE_MS / 1000,
            ...(servers !== null && { broker: { servers } }),
          };
          let struck = Promise.resolve(false);
          try {
            const options = fleetFor(EXAMPLE, 2, ['--services=2', ...threadsOf(fault)], more);
            const { results } = await runFleet(options, (fleet) => {
              struck = strike({ fleet, cluster, gateway, folder }, fault, moment);
              struck.catch(() => undefined);
            });
            assert.deepEqual(results, expected);
            assert.ok((await struck) || moment === 'end', 'the run was over too early');
          } finally {
            await struck.catch(() => undefined);
            cluster?.stop();
            broker?.stop();
            gateway?.stop();
            disk.remove();
          }
        });
      }
    }
  }
});
