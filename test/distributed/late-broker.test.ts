import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { connect } from '@nats-io/transport-node';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { JetStreamCheckpointStorage } from '../../services/runtime/checkpoints/jetstream-checkpoint-storage.js';
import { repeatFor } from '../../services/runtime/checkpoints/repeat.js';
import { BrokerCluster } from '../kit/fleet.js';

const PATIENCE_MS = 60_000;
const skip = isInstalled() ? false : 'no nats-server on the PATH';

describe('two of three brokers', { skip, timeout: 120_000 }, () => {
  let cluster: BrokerCluster;
  let connection: NatsConnection;

  before(async () => {
    cluster = await BrokerCluster.start(2);
    connection = await connect({ servers: cluster.servers.slice(0, 2) });
    // They have elected a leader.
    await repeatFor(PATIENCE_MS, 'no leader', () => jetstreamManager(connection));
  });
  after(async () => {
    await connection.close();
    cluster.stop();
  });

  const open = (storage: JetStreamCheckpointStorage): Promise<void> =>
    repeatFor(PATIENCE_MS, 'no buckets', () => storage.open());
  const replicasOf = async (run: string): Promise<number> => {
    const { streams } = await jetstreamManager(connection);
    return (await streams.info(`OBJ_selvage-${run}`)).config.num_replicas;
  };

  it('have one copy of a store where the third does not come', async () => {
    await open(new JetStreamCheckpointStorage(connection, 'few', 0));
    assert.equal(await replicasOf('few'), 1);
  });

  it('wait for the third, so that a store has three copies', async () => {
    const opened = open(new JetStreamCheckpointStorage(connection, 'late'));
    await cluster.grow();
    await opened;
    assert.equal(await replicasOf('late'), 3);
  });
});
