/** docs/extending.md: its files are written and its commands run, in order, as a reader would. */

import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';
import { blocksOf, doAsPageSays } from '../kit/page.js';

const PAGE = 'docs/extending.md';
const LINES_MAX = 150;

describe(PAGE, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-extending-'));
  const main = join(ROOT, 'dist/services/cli/main.js');
  writeFileSync(join(folder, 'selvage'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
  chmodSync(join(folder, 'selvage'), 0o755);
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` };
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('does what it says, block by block', () => {
    assert.ok(doAsPageSays(PAGE, folder, env) > 8);
  });

  it('builds the control of the examples, in at most 150 lines', () => {
    const built = blocksOf(PAGE).findLast(({ name }) => name === 'aim.mjs')!.text;
    assert.equal(built, readFileSync(join(ROOT, 'examples/aim.mjs'), 'utf8'));
    assert.ok(built.split('\n').length <= LINES_MAX);
  });
});
