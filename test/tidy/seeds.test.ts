/** Tables of claims: the files and the tests that they name are there. */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';

const FOLDER = join(ROOT, 'docs/seeds');

interface Row {
  readonly claim: string;
  readonly sources: readonly string[];
  readonly tests: readonly string[];
  /** Words of one test's name, where a row says them. */
  readonly name: string;
}

function rowsOf(page: string): Row[] {
  const lines = readFileSync(join(FOLDER, page), 'utf8').split('\n');
  const cells = lines
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  return cells.slice(2).map(([, claim = '', sources = '', shown = '']) => {
    const [, name = ''] = /^`[^`]+`: (.+)$/.exec(shown) ?? [];
    return { claim, sources: pathsOf(sources), tests: pathsOf(shown), name };
  });
}

function pathsOf(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+\/[^`]+)`/g)].map(([, path]) => path!);
}

for (const page of readdirSync(FOLDER)) {
  describe(`docs/seeds/${page}`, () => {
    const rows = rowsOf(page);

    it('has sources and tests for every claim', () => {
      assert.ok(rows.length > 10);
      const empty = rows.filter(
        ({ claim, sources, tests }) => claim === '' || sources.length === 0 || tests.length === 0,
      );
      assert.deepEqual(empty, []);
    });

    it('names files that exist, and tests that are in them', () => {
      const isThere = (path: string): boolean => existsSync(join(ROOT, path));
      const missing = rows.filter(
        ({ sources, tests, name }) =>
          ![...sources, ...tests].every(isThere) ||
          !tests.every((path) => path.endsWith('.test.ts')) ||
          !tests.some((path) => readFileSync(join(ROOT, path), 'utf8').includes(name)),
      );
      assert.deepEqual(missing, []);
    });
  });
}
