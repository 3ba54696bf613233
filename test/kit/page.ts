/** A page of the documentation whose files are written and whose commands are run, in order. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { filesMatching } from '../tidy/files.js';
import { ROOT } from './emulate.js';

/** Every document of the repository, from its root; what changed in the past is as it was. */
export const PAGES: readonly string[] = filesMatching(/\.md$/)
  .filter((name) => name !== 'CHANGELOG.md')
  .sort();

const BLOCK = /^```(\w+)([^\n]*)\n([\s\S]*?)^```$/gm;

export interface Block {
  readonly language: string;
  /** Of a file: the word behind the language. */
  readonly name: string | undefined;
  /** Of a part of a scenario: the scenario whose keys it replaces, from `extends=FILE`. */
  readonly base: string | undefined;
  readonly text: string;
}

/** The code blocks of a page such as `docs/extending.md`. */
export function blocksOf(page: string): readonly Block[] {
  return Array.from(
    readFileSync(join(ROOT, page), 'utf8').matchAll(BLOCK),
    ([, language, info, text]) => {
      const words = info!.split(' ').filter((word) => word !== '');
      return {
        language: language!,
        name: words.find((word) => !word.includes('=')),
        base: words.find((word) => word.startsWith('extends='))?.slice('extends='.length),
        text: text!,
      };
    },
  );
}

/** Does in a folder what the page says; returns how many commands it has. */
export function doAsPageSays(page: string, folder: string, env: NodeJS.ProcessEnv): number {
  let commands = 0;
  for (const block of blocksOf(page)) {
    if (block.name !== undefined) writeFileSync(join(folder, block.name), block.text);
    if (block.language !== 'console') continue;
    for (const [command, ...lines] of commandsOf(block)) {
      commands++;
      assertPrints(command!, lines, { cwd: folder, env });
    }
  }
  return commands;
}

/** Each command of a `console` block, with the lines that it prints. */
function commandsOf({ text }: Block): readonly (readonly string[])[] {
  return text
    .replaceAll('\\\n', ' ')
    .split(/^\$ /m)
    .slice(1)
    .map((part) => part.trimEnd().split('\n'));
}

/** A folder as a reader of the pages has it: `examples`, and `selvage` on the PATH. */
export function readersFolder(): { readonly folder: string; readonly env: NodeJS.ProcessEnv } {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-page-'));
  const main = join(ROOT, 'dist/programs/selvage.js');
  mkdirSync(join(folder, '.bin'));
  const program = join(folder, '.bin/selvage');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
  chmodSync(program, 0o755);
  symlinkSync(join(ROOT, 'examples'), join(folder, 'examples'));
  const path = `${join(folder, '.bin')}${delimiter}${process.env['PATH'] ?? ''}`;
  return { folder, env: { ...process.env, PATH: path } };
}

/** The command succeeds, and its output has these lines in this order. */
function assertPrints(
  command: string,
  lines: readonly string[],
  place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): void {
  const words = ['-c', `{ ${command}\n} 2>&1`];
  const { stdout, status } = spawnSync('sh', words, { ...place, encoding: 'utf8' });
  assert.equal(status, 0, `${command}\n${stdout}`);
  let at = 0;
  for (const line of lines.map((each) => each.replace(/ *…$/, ''))) {
    const found = stdout.indexOf(line, at);
    assert.ok(found >= 0, `${command} does not print: ${line}\n${stdout}`);
    at = found + line.length;
  }
}
