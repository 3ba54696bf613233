// Makes code and types of the contracts in this folder: proto/generated/contracts.{js,d.ts}.

import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pbjs from 'protobufjs-cli/pbjs.js';
import pbts from 'protobufjs-cli/pbts.js';

const folder = dirname(fileURLToPath(import.meta.url));
const sources = readdirSync(folder, { recursive: true })
  .filter((path) => path.endsWith('.proto'))
  .map((path) => join(folder, path))
  .sort();
const code = join(folder, 'generated', 'contracts.js');
const types = join(folder, 'generated', 'contracts.d.ts');

if (!isNewer(types, [...sources, fileURLToPath(import.meta.url)])) {
  mkdirSync(dirname(code), { recursive: true });
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
