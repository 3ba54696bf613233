import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeWritable } from '../report/make-writable.js';
import { InputError } from './exit.js';

/** To a file where one is named, else to standard output. */
export function writeOut(text: string, file: string | undefined): void {
  if (file === undefined) {
    process.stdout.write(text);
    return;
  }
  // What stands there stays until the new one is whole.
  const begun = `${file}.new`;
  try {
    writeFileSync(begun, text);
    renameSync(begun, file);
  } catch (error) {
    rmSync(begun, { force: true });
    throw new InputError(`${file} cannot be written: ${(error as Error).message}`);
  }
}

/** Before long work whose results go into a folder. */
export function prepareFolder(folder: string): void {
  try {
    makeWritable(folder);
  } catch (error) {
    throw new InputError(`nothing can be written into ${folder}: ${(error as Error).message}`);
  }
}

/** The same for files, those of them that are wanted. */
export function prepareFiles(...files: readonly (string | undefined)[]): void {
  for (const file of files) if (file !== undefined) prepareFolder(dirname(file));
}
