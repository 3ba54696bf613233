import { closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeWritable } from '../report/make-writable.js';
import { InputError } from './exit.js';

/** To a file where one is named, else to standard output. */
export function writeOut(text: string, file: string | undefined): void {
  if (file === undefined) {
    process.stdout.write(text);
    return;
  }
  writePieces([text], file);
}

/** An existing file is kept until the new one is complete. */
export function writePieces(pieces: Iterable<string | Uint8Array>, file: string): void {
  const begun = `${file}.new`;
  try {
    const descriptor = openSync(begun, 'w');
    try {
      for (const piece of pieces) writeFileSync(descriptor, piece);
    } finally {
      closeSync(descriptor);
    }
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

/** The same for files, those that are requested. */
export function prepareFiles(...files: readonly (string | undefined)[]): void {
  for (const file of files) if (file !== undefined) prepareFolder(dirname(file));
}
