/** Each sentence of docs/security.md about a defence names tests, and they exist. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';

const TABLES = ['What is defended', 'A distributed run'];

/** A file of tests, and words of some of them. */
const TEST = /`([\w./-]+\.test\.ts)`(?:: ((?:_[^_]+_(?:, )?)+))?/g;

function rowsOf(text: string, heading: string): string[][] {
  const section = text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) => line.split('|').slice(1, -1));
}

describe('docs/security.md', () => {
  const text = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');

  for (const heading of TABLES) {
    it(`names a test that exists for each row of "${heading}"`, () => {
      const rows = rowsOf(text, heading);
      assert.ok(rows.length > 5, 'the table is there');
      for (const cells of rows) {
        const tests = [...cells.at(-1)!.matchAll(TEST)];
        assert.ok(tests.length > 0, `${cells[0]!.trim()}: no test`);
        for (const [, path = '', words] of tests) {
          const file = join(ROOT, 'test', path);
          assert.ok(existsSync(file), `${path}: no such file`);
          assert.ok(words !== undefined, `${path}: which of its tests?`);
          // Strings may be broken over lines.
          const source = readFileSync(file, 'utf8').replace(/\s+/g, ' ');
          for (const [, title = ''] of words.matchAll(/_([^_]+)_/g)) {
            assert.ok(source.includes(title), `${path}: no test has the words "${title}"`);
          }
        }
      }
    });
  }
});
