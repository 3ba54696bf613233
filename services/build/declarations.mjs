// Copies the declarations that those of the library and of plugins refer to into dist/types: the
// package has no others.

import { cpSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const SERVICES = resolve('dist', 'services');
const TYPES = resolve('dist', 'types');
const ENTRIES = ['library/index.d.ts', 'plugins/api.d.ts'];
const REFERENCE = /(?:\bfrom\s+|\bimport\s*\(?\s*)['"](\.{1,2}\/[^'"]+)\.js['"]/g;

const reached = new Set();
const waiting = ENTRIES.map((entry) => join(SERVICES, entry));
for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
  if (reached.has(file)) continue;
  if (!file.startsWith(SERVICES)) throw new Error(`${file} is not below ${SERVICES}`);
  reached.add(file);
  for (const [, path] of readFileSync(file, 'utf8').matchAll(REFERENCE)) {
    waiting.push(resolve(dirname(file), `${path}.d.ts`));
  }
}
rmSync(TYPES, { recursive: true, force: true });
for (const file of reached) cpSync(file, join(TYPES, relative(SERVICES, file)));
