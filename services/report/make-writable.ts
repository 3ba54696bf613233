import { existsSync, mkdirSync, mkdtempSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Creates a folder where there is none, and throws unless it is writable. */
export function makeWritable(folder: string): void {
  makeFolder(folder);
  // Permission bits are not sufficient (a read-only disk, a special file system): try it.
  rmdirSync(mkdtempSync(join(folder, '.selvage-')));
}

/** Step by step: in /proc, the recursion of Node never ends. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have been faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
