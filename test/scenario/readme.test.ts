/** Documents name runs as they are; test/scenario/pages runs what they show. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';
import { keptFingerprints } from '../kit/golden.js';
import { PAGES } from '../kit/page.js';

describe('documents', () => {
  it('name run directories of examples as they are', () => {
    for (const name of PAGES) {
      const text = readFileSync(join(ROOT, name), 'utf8');
      for (const [folder, example, digest] of text.matchAll(
        /runs\/([a-z0-9-]+)-([0-9a-f]{8})\b/g,
      )) {
        const kept = keptFingerprints(`${example!}.yaml`);
        assert.equal(digest, kept?.state.slice(0, 8), `${name}: ${folder}`);
      }
    }
  });
});

describe('the README', () => {
  it('is read in a minute: at most 8 KB, with what a new machine needs at its beginning', () => {
    const text = readFileSync(join(ROOT, 'README.md'), 'utf8');
    assert.ok(Buffer.byteLength(text) <= 8192, String(Buffer.byteLength(text)));
    const commands = [...text.matchAll(/^ {4}(npm .*)$/gm)].map(([, command]) => command);
    assert.deepEqual(commands, [
      'npm ci && npm start -- run examples/incast-pfc.yaml',
      'npm ci && npm test',
    ]);
  });
});
