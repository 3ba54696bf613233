import { renameSync, rmSync, writeFileSync } from 'node:fs';
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
