import { join } from 'node:path';
import type { NatsConnection } from '@nats-io/transport-node';
import { isS3, s3AddressFrom } from '../object-storage/s3-address.js';
import type { RunIdentity } from '../service/settings.js';
import { DirectoryCheckpointStorage } from './directory-checkpoint-storage.js';
import { repeatFor } from './repeat.js';
import { SignedStorage } from './signed-storage.js';
import type { CheckpointStorage } from './store.js';
import { CheckpointStore } from './store.js';

/** The store of a run: a folder, a bucket, or the broker's JetStream; objects are signed. */
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
  if (isS3(checkpoints)) return openBucket(checkpoints, run, patienceMs);
  if (checkpoints !== 'jetstream') return new DirectoryCheckpointStorage(join(checkpoints, run));
  const { JetStreamCheckpointStorage } = await import('./jetstream-checkpoint-storage.js');
  const storage = new JetStreamCheckpointStorage(await connect(), run);
  await repeatFor(patienceMs, "the broker's JetStream gives no answer", () => storage.open());
  return storage;
}

async function openBucket(
  place: string,
  run: string,
  patienceMs: number,
): Promise<CheckpointStorage> {
  const { S3CheckpointStorage } = await import('./s3-checkpoint-storage.js');
  const { S3Bucket } = await import('../object-storage/s3-bucket.js');
  const bucket = new S3Bucket(s3AddressFrom(place, process.env));
  const storage = new S3CheckpointStorage(bucket, run);
  await repeatFor(patienceMs, `${place} gives no answer`, () => storage.open());
  return storage;
}

function warn(name: string): void {
  process.stderr.write(
    `the store: ${name} is damaged, or not signed with the key of this run: not used\n`,
  );
}
