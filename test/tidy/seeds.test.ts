/** Tables of claims: the files and the tests that they name are there. */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';

const FOLDER = join(ROOT, 'docs/seeds');

interface Row {
  readonly claim: string;
  readonly file: string;
  readonly test: string;
  readonly name: string;
}

function rowsOf(page: string): Row[] {
  const lines = readFileSync(join(FOLDER, page), 'utf8').split('\n');
  const cells = lines
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  return cells.slice(2).map(([, claim = '', file = '', shown = '']) => {
    const [, test = '', name = ''] = /^`([^`]+)`: (.+)$/.exec(shown) ?? [];
    return { claim, file: file.replaceAll('`', ''), test, name };
  });
}

for (const page of readdirSync(FOLDER)) {
  describe(`docs/seeds/${page}`, () => {
    const rows = rowsOf(page);

    it('has a file and a test for every claim', () => {
      assert.ok(rows.length > 10);
      const empty = rows.filter((row) => Object.values(row).includes(''));
      assert.deepEqual(empty, []);
    });

    it('names files that exist, and tests that are in them', () => {
      const missing = rows.filter(
        ({ file, test, name }) =>
          !existsSync(join(ROOT, file)) ||
          !existsSync(join(ROOT, test)) ||
          !readFileSync(join(ROOT, test), 'utf8').includes(name),
      );
      assert.deepEqual(missing, []);
    });
  });
}
