/** The files of the repository, by path from its root. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Made, fetched or private; never written by hand. */
const FOREIGN = new Set([
  'node_modules',
  'dist',
  'runs',
  'coverage',
  '.git',
  'package-lock.json',
  'generated',
  '__pycache__',
]);

const files = walk('.');

function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !FOREIGN.has(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? walk(path) : [path];
    });
}

export function filesMatching(pattern: RegExp): string[] {
  return files.filter((path) => pattern.test(path));
}

export function textOf(path: string): string {
  return readFileSync(path, 'utf8');
}

export function linesOf(path: string): string[] {
  return textOf(path).trimEnd().split('\n');
}

/** Empty where there is no such folder. */
export function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name));
}

/** Sources that a source names in quotes: imports of any form, and workers. */
export function sourcesNamedIn(path: string): string[] {
  const names = textOf(path).matchAll(/['"](\.{1,2}\/[^'"]+)\.js['"]/g);
  return Array.from(names, ([, name]) => join(dirname(path), `${name!}.ts`));
}
