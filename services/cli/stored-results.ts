import { mkdirSync } from 'node:fs';
import type { S3Address } from '../runtime/object-storage/s3-address.js';
import type { FolderOptions } from '../runtime/object-storage/s3-folder.js';
import { InputError } from './exit.js';
import { requireEncryptedStorage, storageOf } from './fleet/encryption.js';

// Run directories in S3-compatible storage.

const OPTIONS: FolderOptions = { patienceMs: 60_000 };

/** The place that an option names; a bad one is an error. */
export function resultsAddress(place: string, isInsecure: boolean, option: string): S3Address {
  const address = storageOf(place, process.env, option);
  if (address === null) {
    throw new InputError(`${option} ${place}: write it like s3://bucket/folder`);
  }
  if (!isInsecure) requireEncryptedStorage(address, option);
  return address;
}

/** Puts a run directory there, in place of what lies there. */
export async function keepResults(path: string, address: S3Address): Promise<void> {
  const { S3Bucket } = await import('../runtime/object-storage/s3-bucket.js');
  const { putFolder } = await import('../runtime/object-storage/s3-folder.js');
  await putFolder(new S3Bucket(address), path, OPTIONS);
}

/** Copies what lies there into a folder; returns how many files that are. */
export async function fetchResults(address: S3Address, folder: string): Promise<number> {
  const { S3Bucket } = await import('../runtime/object-storage/s3-bucket.js');
  const { getFolder } = await import('../runtime/object-storage/s3-folder.js');
  mkdirSync(folder, { recursive: true });
  return getFolder(new S3Bucket(address), folder, OPTIONS);
}
