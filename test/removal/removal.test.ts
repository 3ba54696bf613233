/** A mechanism is removable: without its folder and its line in the registry all else works. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';
import { skipUnlessLong } from '../kit/long-suite.js';
import { filesMatching, foldersIn, sourcesNamedIn } from '../tidy/files.js';
import { unregistered, without } from './copy.js';

const FOLDERS = foldersIn('services/mechanisms').map((folder) => basename(folder));

/** How scenarios call what a folder has. */
const WORDS: Readonly<Record<string, RegExp>> = {
  pfc: /\b(pfc|pause)\b/i,
  'nic-82599': /82599|\bnic:/i,
  // The transport of all loads but streams and replays.
  'go-back-n': /\b(reliable|incast|permutation|all-to-all|all-reduce|random|job)\b/,
};

/** An example with those that it extends. */
function textOf(example: string): string {
  const text = readFileSync(join(ROOT, 'examples', example), 'utf8');
  const extended = /^extends: (\S+)$/m.exec(text)?.[1];
  return extended === undefined ? text : text + textOf(extended);
}

function assertRunsWithout(folders: readonly string[]): void {
  const words = folders.map((folder) => WORDS[folder] ?? new RegExp(`\\b${folder}\\b`, 'i'));
  const { errors, outcomes } = without(folders);
  assert.deepEqual(errors, []);
  const isAbout = (example: string): boolean => words.some((word) => word.test(textOf(example)));
  const wrong = outcomes.filter(({ example, changed, refusal }) => {
    if (changed !== null) return changed.length > 0;
    return refusal === null || !isAbout(example);
  });
  assert.deepEqual(wrong, []);
  const ran = outcomes.filter(({ changed }) => changed !== null);
  const lossy = folders.includes('go-back-n') ? 'pair-line-rate.yaml' : 'incast-lossy.yaml';
  assert.ok(ran.some(({ example }) => example === lossy));
  assert.ok(ran.length < outcomes.length, 'no example uses what is removed');
}

describe('a mechanism', () => {
  it('is imported by nothing outside its folder but the registry', () => {
    const folders = FOLDERS.join('|');
    const inside = new RegExp(`^services/mechanisms/(${folders})/`);
    const offenders = filesMatching(/^services\/.*\.tsx?$/).flatMap((path) => {
      if (path === 'services/mechanisms/registry.ts') return [];
      const own = inside.exec(path)?.[0];
      return sourcesNamedIn(path)
        .filter((named) => inside.test(named) && inside.exec(named)![0] !== own)
        .map((named) => `${path} imports ${named}`);
    });
    assert.deepEqual(offenders, []);
  });

  it('leaves the registry with its import and its name in lists', () => {
    const registry = readFileSync(join(ROOT, 'services/mechanisms/registry.ts'), 'utf8');
    for (const folder of FOLDERS) {
      const names = [...registry.matchAll(new RegExp(`\\{([^}]*)\\} from './${folder}/`, 'g'))];
      assert.equal(names.length, 1, folder);
      // Comments and strings name no import.
      const left = unregistered(registry, folder).replaceAll(/\/\*\*.*?\*\/|'[^'\n]*'/gs, '');
      for (const name of names[0]![1]!.split(',')) {
        assert.doesNotMatch(left, new RegExp(`\\b${name.trim()}\\b`), folder);
      }
    }
  });

  for (const folder of FOLDERS) {
    it(`is removable: ${folder}`, { skip: skipUnlessLong }, () => {
      assertRunsWithout([folder]);
    });
  }

  it('is removable together with all others: lossy Ethernet runs', { skip: skipUnlessLong }, () => {
    assertRunsWithout(FOLDERS);
  });
});
