import { writeFileSync } from 'node:fs';
import { InputError } from './exit.js';

/** To a file where one is named, else to standard output. */
export function writeOut(text: string, file: string | undefined): void {
  if (file === undefined) {
    process.stdout.write(text);
    return;
  }
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new InputError(`${file} cannot be written: ${(error as Error).message}`);
  }
}
