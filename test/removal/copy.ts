/**
 * A copy of the sources without some folders of `services/mechanisms`, compiled, and what it makes
 * of the examples. Their lines in the registry go with them: imports, and names in lists.
 */

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../kit/emulate.js';
import { sourcesNamedIn } from '../tidy/files.js';
import type { Outcome } from './examples.js';

const COPIED = ['services', 'test/kit', 'test/removal', 'tsconfig.base.json', 'package.json'];
const LINKED = ['node_modules', 'examples', 'test/golden', 'proto', 'yang', 'docs'];
const PROGRAM = 'test/removal/examples.ts';
const REGISTRY = 'services/mechanisms/registry.ts';

/** What the compiler says of a copy without them, one error a line; and how the examples run. */
export interface Without {
  readonly errors: readonly string[];
  readonly outcomes: readonly Outcome[];
}

export function without(folders: readonly string[]): Without {
  const copy = mkdtempSync(join(tmpdir(), 'selvage-removal-'));
  try {
    for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true });
    for (const path of LINKED) symlinkSync(join(ROOT, path), join(copy, path));
    const settings = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')) as object;
    const include = ['services/**/*.ts', ...ownSources(PROGRAM)];
    writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify({ ...settings, include }));
    for (const folder of folders) {
      rmSync(join(copy, 'services/mechanisms', folder), { recursive: true });
    }
    const registry = join(copy, REGISTRY);
    writeFileSync(registry, folders.reduce(unregistered, readFileSync(registry, 'utf8')));
    const compiled = program(copy, join(ROOT, 'node_modules/.bin/tsc'), '-b');
    if (compiled.status !== 0) {
      return { errors: compiled.stdout.split('\n').filter(Boolean), outcomes: [] };
    }
    const ran = program(copy, process.execPath, 'dist/test/removal/examples.js');
    if (ran.status !== 0) return { errors: [ran.stderr], outcomes: [] };
    const lines = ran.stdout.trimEnd().split('\n');
    return { errors: [], outcomes: lines.map((line) => JSON.parse(line) as Outcome) };
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** A test source, and those that it imports. */
export function ownSources(path: string, known = new Set<string>()): Set<string> {
  if (known.has(path) || !path.startsWith('test/')) return known;
  known.add(path);
  for (const named of sourcesNamedIn(path)) ownSources(named, known);
  return known;
}

/** The registry without what it has of a folder. */
export function unregistered(registry: string, folder: string): string {
  const names: string[] = [];
  const line = new RegExp(`^import (type )?\\{([^}]*)\\} from '\\./${folder}/[^']*';\\n`, 'gm');
  const rest = registry.replace(line, (_line, _type, list: string) => {
    names.push(...list.split(',').map((name) => name.trim()));
    return '';
  });
  return names
    .filter(Boolean)
    .reduce(
      (text, name) => text.replaceAll(new RegExp(`(?<=[[ ])${name}(, |(?=\\]))`, 'g'), ''),
      rest,
    );
}

function program(
  cwd: string,
  ...[command, ...words]: [string, ...string[]]
): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(command, words, { cwd, encoding: 'utf8', maxBuffer: 1 << 28 });
}
