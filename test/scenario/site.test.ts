/** The documents become a site without dead links; `npm run docs` also runs their commands. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { ROOT } from '../kit/emulate.js';

it('the pages of the site link to pages and headings that are there', () => {
  const script = join(ROOT, 'docs/site/build.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, '--pages-only'], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  const front = readFileSync(join(ROOT, 'dist/site/index.html'), 'utf8');
  for (const title of ['Tutorial', 'How-to guides', 'Reference', 'Explanations', 'Gallery']) {
    assert.match(front, new RegExp(`<h2>${title}</h2>`));
  }
  assert.match(front, /<pre><code>npm ci &amp;&amp; npm start/, 'indented commands are code');
  const gallery = readFileSync(join(ROOT, 'dist/site/docs/gallery.html'), 'utf8');
  assert.match(gallery, /<a href="gallery\/victim-behind-pfc\.html">/);
});
