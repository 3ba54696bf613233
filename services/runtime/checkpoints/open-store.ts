import { join } from 'node:path';
import type { NatsConnection } from '@nats-io/transport-node';
import type { RunIdentity } from '../service/settings.js';
import { DirectoryCheckpointStorage } from './directory-checkpoint-storage.js';
import { repeatFor } from './repeat.js';
import { SignedStorage } from './signed-storage.js';
import type { CheckpointStorage } from './store.js';
import { CheckpointStore } from './store.js';

/** The store of a run: a folder, or the broker's JetStream; in both, objects are signed. */
export async function openStore(
  identity: RunIdentity,
  connect: () => Promise<NatsConnection>,
): Promise<CheckpointStore> {
  const storage = await openStorage(identity, connect);
  const signed = new SignedStorage(storage, identity.keys.store, warn);
  return new CheckpointStore(signed, identity.patienceMs);
}

async function openStorage(
  { run, checkpoints, patienceMs }: RunIdentity,
  connect: () => Promise<NatsConnection>,
): Promise<CheckpointStorage> {
  if (checkpoints !== 'jetstream') return new DirectoryCheckpointStorage(join(checkpoints, run));
  const { JetStreamCheckpointStorage } = await import('./jetstream-checkpoint-storage.js');
  const storage = new JetStreamCheckpointStorage(await connect(), run);
  await repeatFor(patienceMs, "the broker's JetStream gives no answer", () => storage.open());
  return storage;
}

function warn(name: string): void {
  process.stderr.write(`the store: ${name} is not signed with the key of this run: not used\n`);
}
