/** What is printed by the program and kept in the repository is as it would be printed now. */

import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { ROOT } from '../kit/emulate.js';
import { stale } from '../kit/printed.js';
import { filesMatching } from './files.js';

it('what the program prints is kept as it prints it', () => {
  const names = stale().map(({ printed }) => `${printed.path} (${printed.by})`);
  assert.deepEqual(names, [], 'run: npm run generate');
});

it('what was written into it by hand, or a digest of old, is found', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-printed-'));
  try {
    for (const path of filesMatching(/\.md$|^(docs|k8s)\/.*\.json$/)) {
      cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    }
    appendFileSync(join(folder, 'docs/keys.md'), 'by hand\n');
    appendFileSync(join(folder, 'docs/tutorial.md'), 'runs/incast-pfc-00000000\n');
    const found = stale(folder).map(({ printed }) => printed.path);
    assert.deepEqual(found, ['docs/keys.md', 'docs/tutorial.md']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
