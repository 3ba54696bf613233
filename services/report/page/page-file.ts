import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packageFile } from '../../runtime/package-files.js';
import type { PageContent } from './page-data.js';

/** The page's program and style, as the build made them. */
const BUNDLE = packageFile('dist/page');

/** Whether the build has made the page; `tsc` alone does not. */
export function isPageBuilt(): boolean {
  return existsSync(join(BUNDLE, 'page.js'));
}

/** One file that a browser opens from the disk: it fetches nothing. */
export function pageFile(content: PageContent): string {
  const title = content.sweep?.title ?? content.runs.map((run) => run.title).join(' · ');
  // Most of it is numbers that repeat: a report of a thousand hosts is a fifth as long this way.
  const data = gzipSync(JSON.stringify(content)).toString('base64');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escape(title)} · Selvage</title>`,
    // Without an icon of its own a page asks its server for one.
    '<link rel="icon" href="data:,">',
    `<style>${asset('page.css')}</style>`,
    '</head>',
    '<body>',
    '<div id="page"></div>',
    `<script type="application/gzip;base64" id="content">${data}</script>`,
    `<script>${asset('page.js').replaceAll('</script', '<\\/script')}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function asset(name: string): string {
  return readFileSync(join(BUNDLE, name), 'utf8');
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
