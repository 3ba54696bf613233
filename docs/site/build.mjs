// The site, in dist/site: npm run docs. Fails where a command of a document does not do what the
// document says, where an example of the gallery makes no page, and where a link is dead.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import Eleventy from '@11ty/eleventy';
import { makeGallery } from './gallery.mjs';

const SITE = 'dist/site';
const TESTS = ['tidy/documents', 'tidy/commands', 'scenario/pages'];

process.chdir(fileURLToPath(new URL('../..', import.meta.url)));

/** `--pages-only` leaves out the commands and the gallery, as while a page is written. */
const isWhole = !process.argv.includes('--pages-only');

if (isWhole) {
  const files = TESTS.map((name) => `dist/test/${name}.test.js`);
  const { status } = spawnSync(process.execPath, ['--test', ...files], { stdio: 'inherit' });
  if (status !== 0) throw new Error('documents say what does not hold');
  rmSync(SITE, { recursive: true, force: true });
  makeGallery('docs/gallery.md', join(SITE, 'docs/gallery'));
}

const eleventy = new Eleventy('.', SITE, {
  configPath: 'docs/site/eleventy.config.mjs',
  quietMode: true,
});
await eleventy.write();
const pages = (await eleventy.toJSON()).map(({ outputPath }) => normalize(outputPath));

const text = new Map(pages.map((page) => [page, readFileSync(page, 'utf8')]));
const dead = [];
for (const [page, html] of text) {
  for (const [, , link] of html.matchAll(/<(a|img|link)\b[^>]*? (?:href|src)="([^"]*)"/g)) {
    if (/^[a-z]+:/.test(link)) continue;
    const [path, anchor] = link.split('#').map(decodeURIComponent);
    const target = path === '' ? page : normalize(join(dirname(page), path));
    if (!isThere(target) || (anchor !== undefined && !text.get(target)?.includes(`id="${anchor}"`)))
      dead.push(`${page}: ${link}`);
  }
}
if (dead.length > 0) throw new Error(`dead links:\n  ${dead.join('\n  ')}`);
console.log(`${pages.length} pages in ${SITE}: open ${SITE}/index.html`);

/** A page, or a file of the repository, which then gets its copy in the site. */
function isThere(target) {
  if (target.startsWith(`${SITE}/docs/gallery/`) && !isWhole) return true;
  if (existsSync(target)) return true;
  const source = relative(SITE, target);
  if (source.startsWith('..') || !existsSync(source) || !statSync(source).isFile()) return false;
  mkdirSync(dirname(target), { recursive: true });
  cpSync(source, target);
  return true;
}
