// Makes code and types of the contracts in this folder, proto/generated/contracts.{js,d.ts}, and
// their descriptors beside them.

import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pbjs from 'protobufjs-cli/pbjs.js';
import pbts from 'protobufjs-cli/pbts.js';
import { descriptorModule, TYPES } from './descriptors.mjs';

const folder = dirname(fileURLToPath(import.meta.url));
const sources = readdirSync(folder, { recursive: true })
  .filter((path) => path.endsWith('.proto'))
  .map((path) => join(folder, path))
  .sort();
const code = join(folder, 'generated', 'contracts.js');
const types = join(folder, 'generated', 'contracts.d.ts');
const descriptors = join(folder, 'generated', 'descriptors');
const makers = ['generate.mjs', 'descriptors.mjs'].map((name) => join(folder, name));

if (!isNewer(types, [...sources, ...makers])) {
  mkdirSync(dirname(code), { recursive: true });
  writeFileSync(`${descriptors}.js`, descriptorModule(folder, sources));
  writeFileSync(`${descriptors}.d.ts`, TYPES);
  await promisify(pbjs.main)([
    ...['--target', 'static-module', '--wrap', 'es6', '--dependency', 'protobufjs/minimal.js'],
    ...['--no-delimited', '--no-verify', '--no-convert', '--path', folder, '--out', code],
    ...sources,
  ]);
  await promisify(pbts.main)(['--out', types, code]);
}

function isNewer(target, than) {
  const made = statSync(target, { throwIfNoEntry: false })?.mtimeMs ?? -1;
  return than.every((source) => statSync(source).mtimeMs < made);
}
