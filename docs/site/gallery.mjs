// docs/gallery.md: a row of its tables is an example, what it shows, and the command whose page is
// shown. The site has these pages, made anew, and links each row to its own.

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROW = /^\| \[([^\]]+)\]\(([^)]*)\)(.*)\| `selvage ([^`]+)` *\|$/gm;
const PAGES = ['report.html', 'duel.html', 'sweep.html'];

const pageOf = (name) => `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.html`;

/** The text of the gallery with its rows linked to their pages. */
export function galleryRows(text) {
  return text.replace(ROW, (_, name, file, rest, words) => {
    const cells = `[${name}](gallery/${pageOf(name)}) ([YAML](${file}))${rest}`;
    return `| ${cells}| \`selvage ${words}\` |`;
  });
}

/** Runs the commands of the gallery, and puts the page of each into a folder. */
export function makeGallery(gallery, target) {
  mkdirSync(target, { recursive: true });
  const main = resolve('dist/programs/selvage.js');
  for (const [, name, , , words] of readFileSync(gallery, 'utf8').matchAll(ROW)) {
    const folder = mkdtempSync(join(tmpdir(), 'selvage-gallery-'));
    const page = join(target, pageOf(name));
    const command = [...words.split(' '), '--out', join(folder, 'out')];
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...command], {
      encoding: 'utf8',
    });
    const made = PAGES.map((file) => join(folder, 'out', file)).find((file) => existsSync(file));
    if (status !== 0 || made === undefined) {
      throw new Error(`selvage ${words}: exit code ${status}, no page\n${stdout}${stderr}`);
    }
    copyFileSync(made, page);
    rmSync(folder, { recursive: true });
  }
}
