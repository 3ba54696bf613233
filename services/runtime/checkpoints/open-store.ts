import { join } from 'node:path';
import type { NatsConnection } from '@nats-io/transport-node';
import type { RunIdentity } from '../service/settings.js';
import { DirectoryCheckpointStorage } from './directory-checkpoint-storage.js';
import { CheckpointStore } from './store.js';

/** The store that a run was told to use: a folder, or the broker's JetStream. */
export async function openStore(
  { run, checkpoints }: RunIdentity,
  connect: () => Promise<NatsConnection>,
): Promise<CheckpointStore> {
  if (checkpoints !== 'jetstream') {
    return new CheckpointStore(new DirectoryCheckpointStorage(join(checkpoints, run)));
  }
  const { JetStreamCheckpointStorage } = await import('./jetstream-checkpoint-storage.js');
  return new CheckpointStore(await JetStreamCheckpointStorage.open(await connect(), run));
}
