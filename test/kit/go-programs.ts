import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ROOT } from './emulate.js';

/** Where test/needs.mjs puts what it builds with Go, or anywhere on the PATH. */
export function goProgram(name: string): string | undefined {
  const folders = [
    join(ROOT, 'node_modules/.cache/go'),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/** Why there is none: without Go a machine cannot have it, and that is no miss. */
export function whyNo(name: string, file: string | undefined): string | false {
  return file === undefined ? `no ${name}, which needs Go: it is in the long suite` : false;
}
