/** `npm run new:KIND NAME` writes what runs, with a test that passes. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';
import { skipUnlessLong } from '../kit/long-suite.js';
import { ownSources } from './copy.js';

const NAME = 'own-way';

function execute(cwd: string, ...words: string[]): { status: number | null; said: string } {
  // It is no part of these tests, whose runner would take what it says for itself.
  const env = { ...process.env, INIT_CWD: cwd, NODE_TEST_CONTEXT: undefined };
  const options = { cwd, env, encoding: 'utf8', maxBuffer: 1 << 28 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, words, options);
  return { status, said: stdout + stderr };
}

function passes(cwd: string, test: string): void {
  const { status, said } = execute(cwd, test);
  assert.equal(status, 0, said);
  assert.match(said, /^\S+ fail 0$/m);
}

describe('a skeleton', () => {
  for (const kind of ['plugin', 'load']) {
    it(`of a ${kind} passes its test`, () => {
      // A name is found from its package's own folder, and not from that for temporary files.
      const folder = mkdtempSync(join(ROOT, 'dist/skeleton-'));
      try {
        const { status, said } = execute(folder, join(ROOT, 'skeletons/new.mjs'), kind, NAME);
        assert.equal(status, 0, said);
        passes(folder, join(folder, NAME, `${NAME}.test.mjs`));
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }

  it('has a name that its file may have, of a kind that there is', () => {
    const refused = (...words: string[]): string => {
      const { status, said } = execute(ROOT, join(ROOT, 'skeletons/new.mjs'), ...words);
      assert.equal(status, 2);
      return said;
    };
    assert.match(refused('mechanism', 'OwnWay'), /name "OwnWay": write lower-case letters/);
    assert.match(refused('mechanism', 'swift'), /swift: it is there already/);
    assert.match(
      refused('switch', NAME),
      /switch: no such kind; one of mechanism, fault, plugin, load/,
    );
    assert.match(refused('fault', 'reboot'), /reboot\.ts: it is there already/);
  });

  const compiles = (kind: string, tests: string): void => {
    const copy = mkdtempSync(join(tmpdir(), 'selvage-skeleton-'));
    const test = `${tests}/${NAME}.test.ts`;
    try {
      for (const path of ['services', 'skeletons', 'test/kit', 'test/tidy', 'tsconfig.base.json']) {
        cpSync(join(ROOT, path), join(copy, path), { recursive: true });
      }
      mkdirSync(join(copy, tests), { recursive: true });
      cpSync(join(ROOT, 'package.json'), join(copy, 'package.json'));
      for (const path of ['node_modules', 'proto', 'yang', 'docs']) {
        symlinkSync(join(ROOT, path), join(copy, path));
      }
      const made = execute(copy, join(copy, 'skeletons/new.mjs'), kind, NAME);
      assert.equal(made.status, 0, made.said);
      const settings = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')) as object;
      const include = ['services/**/*.ts', test, ...ownSources('test/kit/emulate.ts')];
      writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify({ ...settings, include }));
      const compiled = execute(copy, join(ROOT, 'node_modules/.bin/tsc'), '-b');
      assert.equal(compiled.status, 0, compiled.said);
      passes(copy, join(copy, 'dist', test.replace(/\.ts$/, '.js')));
    } finally {
      rmSync(copy, { recursive: true });
    }
  };

  it('of a mechanism compiles, and passes its test', { skip: skipUnlessLong }, () => {
    compiles('mechanism', 'test/unit/mechanisms');
  });

  it('of a fault compiles, and passes its test', { skip: skipUnlessLong }, () => {
    compiles('fault', 'test/unit/fabric/faults');
  });
});
