/** Services of several threads: shared memory inside, messages between. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { RandomStream } from '../../services/engine/kernel/random.js';
import { placeInServices } from '../../services/fabric/placement/parts.js';
import { Cluster, KIND } from '../../services/hunt/worlds/services-in-memory.js';
import { fabricOf, run } from '../kit/emulate.js';
import { fleetFor, Killer, runFleet } from '../kit/fleet.js';
import { assertGolden, RECORD } from '../kit/golden.js';
import { isLong, skipUnlessLong } from '../kit/long-suite.js';

const skip = isInstalled() ? false : 'no nats-server on the PATH';
/** What changes places and what is sent again; `fault-matrix` has services of two threads, too. */
const LONGER = ['incast-pfc', 'failover', 'link-retry', 'nic-two-ports'];
const PLACED = ['--services=2', '--threads=2'];

describe('services of threads, over messages that are lost', () => {
  for (const name of ['incast-credit.yaml', 'leaf-spine-all-to-all.yaml']) {
    it(`give the results of one process when a service is lost, too: ${name}`, () => {
      const fabric = fabricOf(`examples/${name}`, 'load.0.bytes=32KB');
      const random = new RandomStream(8, name);
      const unkindness = { ...KIND, lose: 0.1, reorder: 0.3 };
      const placement = placeInServices(fabric, 3);
      const cluster = new Cluster(fabric, placement, random, { unkindness, threads: 2 });
      try {
        cluster.run(7e6);
        cluster.recover(null);
        cluster.run(9e6);
        const saved = cluster.save();
        cluster.run(14e6);
        cluster.recover(saved);
        cluster.run();
        assert.deepEqual(cluster.results(), run(fabric));
      } finally {
        cluster.close();
      }
    });
  }
});

describe('processes of two threads each', { skip, timeout: 540_000 }, () => {
  for (const name of ['credit-tenants', ...(isLong ? LONGER : [])]) {
    it(`give the results of one process: ${name}`, async () => {
      const example = `${name}.yaml`;
      assertGolden(example, await runFleet(fleetFor(example, 2, PLACED, { set: RECORD })));
    });
  }

  const last = { skip: skipUnlessLong };
  it('give them when services are killed, from checkpoints in JetStream', last, async () => {
    const example = 'leaf-spine-all-to-all.yaml';
    const set = ['load.0.bytes=128KB'];
    const killer = new Killer('service', 2, 900);
    const more = { set, checkpoints: 'jetstream' };
    const { results } = await runFleet(fleetFor(example, 2, PLACED, more), killer.attack);
    assert.deepEqual(results, run(fabricOf(`examples/${example}`, ...set)));
    assert.ok(killer.killed >= 1);
  });
});
