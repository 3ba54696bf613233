import { join } from 'node:path';
import type { NatsConnection } from '@nats-io/transport-node';
import type { RunIdentity } from '../service/settings.js';
import { DirectoryShelf } from './directory-shelf.js';
import { CheckpointStore } from './store.js';

/** The store that a run was told to use: a folder, or the broker's JetStream. */
export async function openStore(
  { run, checkpoints }: RunIdentity,
  connect: () => Promise<NatsConnection>,
): Promise<CheckpointStore> {
  if (checkpoints !== 'jetstream') {
    return new CheckpointStore(new DirectoryShelf(join(checkpoints, run)));
  }
  const { JetStreamShelf } = await import('./jetstream-shelf.js');
  return new CheckpointStore(await JetStreamShelf.open(await connect(), run));
}
