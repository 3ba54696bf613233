import { existsSync, mkdirSync, mkdtempSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Makes a folder where there is none, and throws unless something can be put into it. */
export function makeWritable(folder: string): void {
  makeFolder(folder);
  // Permission bits do not tell all (a read-only disk, a special file system): try it.
  rmdirSync(mkdtempSync(join(folder, '.selvage-')));
}

/** Step by step: in /proc, the recursion of Node never ends. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Somebody else may have been quicker.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
