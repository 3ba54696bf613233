import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder on a file system of its own, which can fail without harm. */
export interface Disk {
  readonly folder: string;
  remove(): void;
}

function ran(command: string, ...words: string[]): boolean {
  return spawnSync(command, words, { stdio: 'ignore' }).status === 0;
}

function mounted(folder: string, ...words: string[]): boolean {
  return ran('mount', ...words, folder);
}

/** In memory. */
export function smallDisk(size = '16m'): Disk {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-disk-'));
  assert.ok(mounted(folder, '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs'), 'tmpfs');
  return {
    folder,
    remove: () => {
      spawnSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Writes `ballast` until nothing else has room. */
export function fill(folder: string): void {
  spawnSync('dd', ['if=/dev/zero', `of=${join(folder, 'ballast')}`, 'bs=4k', 'count=100000']);
}

/** Gives the room back. */
export function empty(folder: string): void {
  rmSync(join(folder, 'ballast'), { force: true });
}

/** An image of ext4, which can be frozen: what writes to it then waits. */
export function imageDisk(): Disk {
  const place = mkdtempSync(join(tmpdir(), 'selvage-disk-'));
  const [image, folder] = [join(place, 'image'), join(place, 'disk')];
  assert.ok(ran('truncate', '-s', '128M', image));
  assert.ok(ran('mkfs.ext4', '-q', image) && ran('mkdir', folder));
  assert.ok(mounted(folder, '-o', 'loop', image), 'loop device');
  return {
    folder,
    remove: () => {
      spawnSync('umount', ['-l', folder]);
      rmSync(place, { recursive: true, force: true });
    },
  };
}

/** Frozen for 150 of each 200 ms; returns what ends that. */
export function slowDown(folder: string): () => void {
  const pulse = `fsfreeze -f '${folder}'; sleep 0.15; fsfreeze -u '${folder}'; sleep 0.05`;
  const child = spawn('sh', ['-c', `while :; do ${pulse}; done`], { stdio: 'ignore' });
  return () => {
    child.kill('SIGKILL');
    spawnSync('fsfreeze', ['-u', folder]);
  };
}

/** Why this machine does not let a test mount such a disk; false where it does. */
function reasonAgainst(make: () => Disk): string | false {
  try {
    make().remove();
    return false;
  } catch {
    return 'mount is not permitted';
  }
}

export const noSmallDisk = reasonAgainst(() => smallDisk('1m'));
export const noImageDisk = ran('fsfreeze', '--version')
  ? reasonAgainst(imageDisk)
  : 'no fsfreeze of util-linux';
