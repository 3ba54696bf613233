import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpacked } from '../kubernetes/scenario-files.js';

/** Puts the files of a run, whose pieces are mounted in one folder, into another. */
export function unpackCommand(from: string, into: string): void {
  // A volume of ConfigMaps has links to folders beside its files.
  const names = readdirSync(from).filter((name) => !name.startsWith('.'));
  const files = unpacked(names.sort().map((name) => readFileSync(join(from, name))));
  for (const [name, text] of files) writeFileSync(join(into, name), text);
}
