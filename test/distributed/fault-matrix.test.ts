/** What may fail, where checkpoints may lie, and when: each with the results of one process. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { selvage } from '#contracts';
import type { Fleet, FleetOptions } from '../../services/cli/fleet/fleet.js';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { DirectoryCheckpointStorage } from '../../services/runtime/checkpoints/directory-checkpoint-storage.js';
import { fabricOf, run } from '../kit/emulate.js';
import { BrokerCluster, fleetFor, runFleet } from '../kit/fleet.js';
import { isLong } from '../kit/long-suite.js';

const { Phase } = selvage.v1.RunStatus;
const { Action } = selvage.v1.SteerRequest;
type Status = selvage.v1.RunStatus;

const EXAMPLE = 'leaf-spine-all-to-all.yaml';
const set = ['load.0.bytes=48KB'];
const PATIENCE_MS = 120_000;
/** Longer than a service may be silent. */
const STOP_MS = 45_000;

const STORES = ['jetstream', 'folder'] as const;
type Store = (typeof STORES)[number];
const MOMENTS = ['start', 'run', 'checkpoint', 'end'] as const;
type Moment = (typeof MOMENTS)[number];

/** What fails, in a fleet of a test. */
interface Stage {
  readonly fleet: Fleet;
  readonly cluster: BrokerCluster | null;
  /** Where a folder of checkpoints is. */
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
    const ballast = join(folder, 'ballast');
    spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=4k', 'count=100000']);
    // Until a checkpoint was tried in vain.
    await fleet.client.steer(Action.ACTION_CHECKPOINT);
    const { rounds } = await until(fleet, () => true);
    await until(fleet, (status) => status.rounds > rounds + 5 || isOver(status));
    rmSync(ballast, { force: true });
  },
} satisfies Record<string, (stage: Stage) => void | Promise<void>>;
type Fault = keyof typeof FAULTS;

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

/** A folder on a file system of its own, which can be full without harm. */
function smallDisk(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder]);
  assert.equal(mounted.status, 0, 'tmpfs');
  return {
    folder,
    remove: () => {
      spawnSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Whether this machine lets a test mount a file system. */
function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-disk-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
  if (status === 0) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return status === 0;
}

function skipOf(fault: Fault, store: Store): string | false {
  if (!isInstalled()) return 'no nats-server on the PATH';
  if (fault !== 'disk full') return false;
  if (store === 'jetstream') return 'the store of a broker of its own has no limit';
  return noMount;
}

/** The suite of every change has one of each kind; the long one has all. */
function isRepresentative(fault: Fault, store: Store, moment: Moment): boolean {
  const few: readonly (readonly [Fault, Store, Moment])[] = [
    ['broker', 'jetstream', 'start'],
    ['one of three brokers', 'jetstream', 'checkpoint'],
    ['service', 'folder', 'checkpoint'],
    ['coordinator', 'jetstream', 'end'],
    ['all at once', 'jetstream', 'run'],
    ['all at once', 'folder', 'checkpoint'],
    ['disk full', 'folder', 'checkpoint'],
  ];
  return few.some(([f, s, m]) => f === fault && s === store && m === moment);
}

const noMount = canMount() ? false : 'mount is not permitted';
it('a claim that found the disk full is made when there is room', { skip: noMount }, async () => {
  const { folder, remove } = smallDisk();
  try {
    const storage = new DirectoryCheckpointStorage(join(folder, 'run'));
    assert.ok(await storage.claim('epoch-1', 'a'));
    const ballast = join(folder, 'ballast');
    spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=4k', 'count=100000']);
    await assert.rejects(storage.claim('epoch-2', 'a'), /ENOSPC/);
    rmSync(ballast);
    assert.ok(await storage.claim('epoch-2', 'a'));
    assert.equal(await storage.claim('epoch-2', 'b'), false);
    assert.deepEqual((await storage.claims()).sort(), ['epoch-1', 'epoch-2']);
  } finally {
    remove();
  }
});

describe('a run in services', { timeout: isLong ? 3_600_000 : 540_000 }, () => {
  const expected = run(fabricOf(`examples/${EXAMPLE}`, ...set));

  for (const fault of Object.keys(FAULTS) as Fault[]) {
    for (const store of STORES) {
      for (const moment of MOMENTS) {
        if (!isLong && !isRepresentative(fault, store, moment)) continue;
        const skip = skipOf(fault, store);
        it(`bears ${fault} at its ${moment}, checkpoints in ${store}`, { skip }, async () => {
          const disk = fault === 'disk full' ? smallDisk() : null;
          const folder = disk?.folder ?? mkdtempSync(join(tmpdir(), 'selvage-test-'));
          const checkpoints = store === 'folder' ? join(folder, 'checkpoints') : store;
          if (store === 'folder') mkdirSync(checkpoints);
          const cluster = fault === 'one of three brokers' ? await BrokerCluster.start() : null;
          const more: Partial<FleetOptions> = {
            ...{ set, checkpoints, checkpointSeconds: 0.2, patienceSeconds: PATIENCE_MS / 1000 },
            ...(cluster !== null && { broker: { servers: cluster.servers } }),
          };
          let struck = Promise.resolve(false);
          try {
            const options = fleetFor(EXAMPLE, 2, ['--services=2', '--threads=2'], more);
            const { results } = await runFleet(options, (fleet) => {
              struck = strike({ fleet, cluster, folder }, fault, moment);
              struck.catch(() => undefined);
            });
            assert.deepEqual(results, expected);
            assert.ok((await struck) || moment === 'end', 'the run was over too early');
          } finally {
            await struck.catch(() => undefined);
            cluster?.stop();
            disk?.remove();
            rmSync(folder, { recursive: true, force: true });
          }
        });
      }
    }
  }
});
