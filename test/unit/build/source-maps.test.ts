/** Maps of compiled modules and of bundled programs lead to the lines of the sources. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import type { SourceMapPayload } from 'node:module';
import { SourceMap } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../../kit/emulate.js';

/** Behind what is bound at the beginning of a folded module; and of a module that is not folded. */
const DECLARED = { makeLoop: 'engine/device/loop', loadFabric: 'cli/load-fabric' };

const CHUNKS = readdirSync(join(ROOT, 'dist/programs/chunks'))
  .filter((name) => name.endsWith('.js'))
  .map((name) => join(ROOT, 'dist/programs/chunks', name));

/** The line of a source, with its path, that a map gives for a declaration; null: it is not here. */
function sourceOf(path: string, name: string): string | null {
  const lines = readFileSync(path, 'utf8').split('\n');
  const at = lines.findIndex((line) => new RegExp(`^\\s*[\\w ]*\\b${name}\\(.*\\{$`).test(line));
  if (at < 0) return null;
  const payload = JSON.parse(readFileSync(`${path}.map`, 'utf8')) as SourceMapPayload;
  const entry = new SourceMap(payload).findEntry(at, lines[at]!.indexOf(name));
  assert.ok('originalSource' in entry, `${path}: no source`);
  const source = resolve(dirname(path), entry.originalSource);
  return `${source}: ${readFileSync(source, 'utf8').split('\n')[entry.originalLine]!}`;
}

describe('source maps', () => {
  for (const [name, module] of Object.entries(DECLARED)) {
    it(`lead to where ${name} is declared, from its module and from programs`, () => {
      const compiled = join(ROOT, `dist/services/${module}.js`);
      const found = [compiled, ...CHUNKS].flatMap((path) => sourceOf(path, name) ?? []);
      assert.ok(found.length >= 2, found.join('\n'));
      for (const line of found) {
        assert.ok(line.includes(`services/${module}.ts: `), line);
        assert.match(line, new RegExp(`\\b${name}\\(`));
      }
    });
  }
});
