import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { fabricOf, run } from '../kit/emulate.js';
import { BrokerCluster, fleetFor, Killer, runFleet } from '../kit/fleet.js';
import { isLong } from '../kit/long-suite.js';

const EXAMPLE = 'leaf-spine-all-to-all.yaml';
const skip = isInstalled() ? false : 'no nats-server on the PATH';

/** How long the load is: enough for as many faults. */
const set = [`load.0.bytes=${isLong ? '1MB' : '128KB'}`];

describe('faults of the machinery', { skip, timeout: 540_000 }, () => {
  const expected = run(fabricOf(`examples/${EXAMPLE}`, ...set));
  const fleet = fleetFor(EXAMPLE, 4, ['--services', '4'], { set });

  it('change nothing when the broker is killed and started again', async () => {
    const killer = new Killer('broker', isLong ? 20 : 3, 500);
    const { results } = await runFleet(fleet, killer.attack);
    assert.deepEqual(results, expected);
    assert.ok(killer.killed >= (isLong ? killer.times : 1));
  });

  it('change nothing when services are killed', async () => {
    const killer = new Killer('service', isLong ? 20 : 3, 900);
    const { results } = await runFleet(fleet, killer.attack);
    assert.deepEqual(results, expected);
    assert.ok(killer.killed >= (isLong ? killer.times : 1));
  });

  it('change nothing when the coordinator is killed', async () => {
    const killer = new Killer('coordinator', isLong ? 5 : 1, 900);
    const { results } = await runFleet(fleet, killer.attack);
    assert.deepEqual(results, expected);
    assert.ok(killer.killed >= (isLong ? killer.times : 1));
  });

  it('change nothing when services are killed and checkpoints lie in JetStream', async () => {
    const killer = new Killer('service', 1, 900);
    const { results } = await runFleet({ ...fleet, checkpoints: 'jetstream' }, killer.attack);
    assert.deepEqual(results, expected);
    assert.equal(killer.killed, 1);
  });

  it('change nothing when one of three brokers in a cluster is killed', async () => {
    const cluster = await BrokerCluster.start();
    try {
      const broker = { servers: cluster.servers };
      const { results } = await runFleet({ ...fleet, broker }, () => {
        setTimeout(() => {
          cluster.kill(0);
        }, 1500);
      });
      assert.deepEqual(results, expected);
    } finally {
      cluster.stop();
    }
  });
});
