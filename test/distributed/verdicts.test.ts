/** The verdict of a run, and its exit code, wherever its devices are executed. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { EXIT } from '../../services/cli/exit.js';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { RandomStream } from '../../services/engine/kernel/random.js';
import { placeInServices } from '../../services/fabric/placement/parts.js';
import { placeEachAlone } from '../../services/fabric/placement/placement.js';
import { Cluster } from '../../services/hunt/worlds/services-in-memory.js';
import type { RunResults, RunStatus } from '../../services/runtime/results/results.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf, ROOT } from '../kit/emulate.js';
import { isLong } from '../kit/long-suite.js';
import { inThreads } from '../kit/threads.js';

interface Case {
  readonly status: RunStatus;
  readonly exit: number;
  readonly example: string;
  /** Where commands run it. */
  readonly homes: readonly (keyof typeof HOMES)[];
  readonly set: readonly string[];
}

const HOMES = {
  threads: { words: ['--threads', '2'], skip: false },
  'services over NATS': {
    words: ['--processes', '--services', '2'],
    skip: isInstalled() ? false : 'no nats-server on the PATH',
  },
} as const;
const NOT_LOOKED_AT = ['observe={}', 'expect=[]'];
const CASES: Readonly<Record<string, Case>> = {
  'a cyclic buffer dependency that holds at the end': {
    status: 'deadlocked',
    exit: EXIT.STALLED,
    example: 'ring-deadlock',
    homes: ['threads', 'services over NATS'],
    set: NOT_LOOKED_AT,
  },
  'a cyclic buffer dependency that is expected': {
    status: 'deadlocked',
    exit: EXIT.COMPLETE,
    example: 'ring-deadlock',
    homes: ['services over NATS'],
    set: ['observe={}', 'expect=[{ metric: deadlocks, min: 1 }]'],
  },
  'a cyclic buffer dependency that would have lasted for ever': {
    status: 'deadlocked',
    exit: EXIT.STALLED,
    example: 'ring-deadlock',
    homes: ['threads'],
    set: [...NOT_LOOKED_AT, 'duration=250ms', 'load.0.bytes=1MB'],
  },
  'credit that is lost for ever': {
    status: 'stalled',
    exit: EXIT.STALLED,
    example: 'credit-loss-naive',
    homes: ['services over NATS'],
    set: NOT_LOOKED_AT,
  },
  'flows that are merely not finished': {
    status: 'complete',
    exit: EXIT.COMPLETE,
    example: 'incast-pfc',
    homes: ['threads'],
    set: [...NOT_LOOKED_AT, 'duration=100us'],
  },
};

const folder = mkdtempSync(join(tmpdir(), 'selvage-verdicts-'));
after(() => {
  rmSync(folder, { recursive: true });
});

for (const [what, { status, exit, example, homes, set }] of Object.entries(CASES)) {
  describe(`the verdict on ${what}`, () => {
    const fabric = fabricOf(`examples/${example}.yaml`, ...set);
    const session = new Session(fabric, { check: false });
    while (session.advance(1000) === 'running');
    const alone = session.results('complete');

    it(`is ${status}, and which flows stall, in one process`, () => {
      assert.equal(alone.status, status);
      assert.equal(alone.stalls.length > 0, status !== 'complete');
    });

    it('is the same in services in memory', () => {
      for (const placement of [placeEachAlone(fabric.topology), placeInServices(fabric, 2)]) {
        const cluster = new Cluster(fabric, placement, new RandomStream(1, what));
        cluster.run();
        assert.deepEqual(cluster.results(false), alone);
      }
    });

    it('is the same in threads', async () => {
      assert.deepEqual((await inThreads(fabric, 2, false).run()).results, alone);
    });

    for (const home of isLong ? (Object.keys(HOMES) as (keyof typeof HOMES)[]) : homes) {
      const { words, skip } = HOMES[home];
      it(`comes with exit code ${exit} in ${home}`, { skip }, () => {
        const args = [
          join(ROOT, 'dist/programs/selvage.js'),
          ...['run', join(ROOT, `examples/${example}.yaml`), '--json', '--no-parquet'],
          ...['--out', join(folder, `${example}-${home}-${exit}`), ...words],
          ...set.flatMap((each) => ['--set', each]),
        ];
        const said = spawnSync(process.execPath, args, { encoding: 'utf8' });
        assert.equal(said.status, exit, said.stderr);
        const { digest, stalls, standingDeadlocks, ...rest } = JSON.parse(
          said.stdout,
        ) as RunResults;
        assert.equal(rest.status, status);
        assert.deepEqual(
          { digest, stalls, standingDeadlocks },
          {
            digest: alone.digest,
            stalls: alone.stalls,
            standingDeadlocks: alone.standingDeadlocks,
          },
        );
      });
    }
  });
}
