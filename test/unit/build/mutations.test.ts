import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import ts from 'typescript';
import { draw } from '../../mutants/draw.js';
import { compiledModules } from '../../mutants/modules.js';
import { mutationsOf, planted } from '../../mutants/mutations.js';

const TEXT = `
import { assert } from './assert.js';
const SIZE = 8;
function take(count, most) {
  assert(count < most, 'take');
  if (count < most) return;
  left -= count;
  give(count, most);
  return count - 1;
}
`;

const changesOf = (text: string): string[] =>
  mutationsOf('m', text).map(({ kind, from, to }) => `${kind}: ${from} -> ${to}`);

describe('mutations', () => {
  it('are those of a hand that slips, and leave assertions alone', () => {
    assert.deepEqual(changesOf(TEXT), [
      'constant: 8 -> 0',
      'off by one: 8 -> 9',
      'off by one: 8 -> 7',
      'comparison: count < most -> !(count < most)',
      'dropped statement: if (count < most) return; -> ;',
      'off by one: < -> <=',
      'comparison: < -> >=',
      'dropped statement: left -= count; -> ;',
      'sign: -= -> +=',
      'dropped statement: give(count, most); -> ;',
      'swapped operands: count, most -> most, count',
      'sign: - -> +',
      'swapped operands: count - 1 -> 1 - count',
      'constant: 1 -> 0',
      'off by one: 1 -> 2',
    ]);
  });

  it('keep their names when other lines change', () => {
    const names = (text: string): string[] => mutationsOf('m', text).map(({ id }) => id);
    const other = TEXT.replace('const SIZE = 8;', 'const SIZE = 8;\nconst LEAST = SIZE;');
    assert.deepEqual(names(other), names(TEXT));
    assert.equal(new Set(names(TEXT)).size, names(TEXT).length);
  });

  it('of every twentieth module leave it valid', () => {
    const modules = compiledModules();
    for (const { text, mutations } of modules.filter((_, i) => i % 20 === 0)) {
      for (const mutation of mutations) {
        const defective = planted(text, mutation);
        const source = ts.createSourceFile('m.js', defective, ts.ScriptTarget.Latest);
        const { parseDiagnostics } = source as unknown as { parseDiagnostics: unknown[] };
        assert.deepEqual(parseDiagnostics, [], mutation.id);
      }
    }
    const ids = (seed: number): string[] =>
      draw(modules, seed, 30).map(({ mutation }) => mutation.id);
    assert.deepEqual(ids(1), ids(1));
    assert.notDeepEqual(ids(1), ids(2));
  });
});
