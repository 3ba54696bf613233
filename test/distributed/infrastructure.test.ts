import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { selvage } from '#contracts';
import type { Fleet } from '../../services/cli/fleet/fleet.js';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { fabricOf, run } from '../kit/emulate.js';
import { BrokerCluster, fleetFor, Killer, runFleet } from '../kit/fleet.js';
import { isLong, skipUnlessLong } from '../kit/long-suite.js';

const { PHASE_COMPLETE } = selvage.v1.RunStatus.Phase;
const EXAMPLE = 'leaf-spine-all-to-all.yaml';
const skip = isInstalled() ? false : 'no nats-server on the PATH';

/**
 * How long the load is: enough for as many faults. `fault-matrix` has one of each process.
 */
const set = [`load.0.bytes=${isLong ? '1MB' : '128KB'}`];

describe('faults of the infrastructure', { skip, timeout: 540_000 }, () => {
  const expected = run(fabricOf(`examples/${EXAMPLE}`, ...set));
  const services = isLong ? 4 : 2;
  const fleet = fleetFor(EXAMPLE, services, ['--services', `${services}`], { set });

  const repeated = { skip: skip === false ? skipUnlessLong : skip };
  it('change nothing when the broker is killed again and again', repeated, async () => {
    const killer = new Killer('broker', 20, 500);
    // Both what is under way and what is being kept.
    const more = { checkpoints: 'jetstream', checkpointSeconds: 0.05 };
    const { results } = await runFleet({ ...fleet, ...more }, killer.attack);
    assert.deepEqual(results, expected);
    assert.ok(killer.killed >= killer.times);
  });

  it('change nothing when services are killed again and again', repeated, async () => {
    const killer = new Killer('service', 20, 900);
    const { results } = await runFleet(fleet, killer.attack);
    assert.deepEqual(results, expected);
    assert.ok(killer.killed >= killer.times);
  });

  it('change nothing when the coordinator is killed again and again', repeated, async () => {
    const killer = new Killer('coordinator', 5, 900);
    const { results } = await runFleet(fleet, killer.attack);
    assert.deepEqual(results, expected);
    assert.ok(killer.killed >= killer.times);
  });

  it('change nothing when the coordinator is killed before its results are fetched', async () => {
    let fleet: Fleet | null = null;
    let killed = 0;
    let lastPs = 0;
    const { results } = await runFleet(
      { ...fleetFor(EXAMPLE, 2, ['--services=2'], { set }), checkpoints: 'jetstream' },
      (launched) => {
        fleet = launched;
      },
      ({ phase, virtualPs }) => {
        lastPs = virtualPs;
        if (phase === PHASE_COMPLETE && killed++ === 0) fleet!.signal('coordinator', 'SIGKILL');
      },
    );
    assert.deepEqual(results, expected);
    assert.equal(lastPs, expected.virtualPs);
    assert.equal(killed, 2);
  });

  it('change nothing when services are killed and checkpoints lie in JetStream', async () => {
    const killer = new Killer('service', 1, 200);
    const options = { ...fleet, checkpoints: 'jetstream' };
    const { results, operations = [] } = await runFleet(options, killer.attack);
    assert.deepEqual(results, expected);
    const kinds = new Set(operations.map(({ kind }) => kind));
    assert.deepEqual(kinds, new Set(['round', 'checkpoint', 'recovery']));
    for (const { startMs, endMs } of operations) assert.ok(startMs <= endMs);
    assert.equal(killer.killed, 1);
  });

  it('change nothing when of three brokers the one that leads the store is killed', async () => {
    const cluster = await BrokerCluster.start();
    try {
      const more = { broker: { servers: cluster.servers }, checkpoints: 'jetstream' };
      let replicas = 0;
      const { results } = await runFleet({ ...fleet, ...more }, ({ identity }) => {
        void cluster.killLeader(`OBJ_selvage-${identity.run}`).then((copies) => {
          replicas = copies;
        });
      });
      assert.deepEqual(results, expected);
      assert.equal(replicas, 3);
    } finally {
      cluster.stop();
    }
  });
});
