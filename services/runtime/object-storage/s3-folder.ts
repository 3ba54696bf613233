import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { repeatFor } from '../checkpoints/repeat.js';
import { StoreError } from '../checkpoints/store-error.js';
import type { S3Bucket } from './s3-bucket.js';

// Folders in S3-compatible storage. Files may be larger than memory: they are sent and fetched in
// parts.

const PART_OCTETS = 1 << 24;

export interface FolderOptions {
  /** For storage that does not answer. */
  readonly patienceMs: number;
  /** Octets of a part; 5 MiB or more. */
  readonly partOctets?: number;
}

/** Puts the files of a folder below a prefix, where nothing else is left. */
export async function putFolder(
  bucket: S3Bucket,
  folder: string,
  { patienceMs, partOctets = PART_OCTETS }: FolderOptions,
): Promise<void> {
  const attempt = <T>(act: () => Promise<T>): Promise<T> =>
    repeatFor(patienceMs, 'the storage gives no answer', act);
  const before = await attempt(() => bucket.list(''));
  const files = filesBelow(folder);
  for (const name of files) {
    const parts = partsOf(join(folder, name), partOctets);
    if (statSync(join(folder, name)).size <= partOctets) {
      const [whole = new Uint8Array(0)] = [...parts];
      await attempt(() => bucket.put(name, whole));
      continue;
    }
    const id = await attempt(() => bucket.beginParts(name));
    const tags: string[] = [];
    for (const part of parts) {
      tags.push(await attempt(() => bucket.putPart(name, id, tags.length + 1, part)));
    }
    await attempt(() => bucket.endParts(name, id, tags));
  }
  for (const name of before) {
    if (!files.includes(name)) await attempt(() => bucket.remove(name));
  }
}

/** Writes all that lies below a prefix into a folder; returns how many files that are. */
export async function getFolder(
  bucket: S3Bucket,
  folder: string,
  { patienceMs, partOctets = PART_OCTETS }: FolderOptions,
): Promise<number> {
  const attempt = <T>(act: () => Promise<T>): Promise<T> =>
    repeatFor(patienceMs, 'the storage gives no answer', act);
  const names = await attempt(() => bucket.list(''));
  for (const name of names) {
    const target = resolve(folder, name);
    if (!target.startsWith(`${resolve(folder)}${sep}`)) {
      throw new StoreError(`${name}: not a file of a run directory`);
    }
    mkdirSync(dirname(target), { recursive: true });
    const file = openSync(target, 'w');
    try {
      for (let from = 0; ; from += partOctets) {
        const part = await attempt(() => bucket.getPart(name, from, partOctets));
        if (part !== null) writeSync(file, part);
        if (part === null || part.length < partOctets) break;
      }
    } finally {
      closeSync(file);
    }
  }
  return names.length;
}

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const own = entries.filter((entry) => entry.isFile());
  const names = own.map(({ parentPath, name }) => join(parentPath, name));
  return names
    .map((path) =>
      path
        .slice(folder.length + 1)
        .split(sep)
        .join('/'),
    )
    .sort();
}

function* partsOf(path: string, partOctets: number): Generator<Uint8Array> {
  const file = openSync(path, 'r');
  try {
    for (;;) {
      const part = new Uint8Array(partOctets);
      const length = readSync(file, part);
      if (length > 0) yield part.subarray(0, length);
      if (length < partOctets) return;
    }
  } finally {
    closeSync(file);
  }
}
