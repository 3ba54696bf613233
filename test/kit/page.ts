/** A page of the documentation whose files are written and whose commands are run, in order. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './emulate.js';

const BLOCK = /^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm;

export interface Block {
  readonly language: string;
  /** Of a file, which stands behind the language. */
  readonly name: string | undefined;
  readonly text: string;
}

/** The code blocks of a page such as `docs/extending.md`. */
export function blocksOf(page: string): readonly Block[] {
  return Array.from(
    readFileSync(join(ROOT, page), 'utf8').matchAll(BLOCK),
    ([, language, name, text]) => ({ language: language!, name, text: text! }),
  );
}

/** Does in a folder what the page says; returns how many commands it has. */
export function doAsPageSays(page: string, folder: string, env: NodeJS.ProcessEnv): number {
  let commands = 0;
  for (const block of blocksOf(page)) {
    if (block.name !== undefined) writeFileSync(join(folder, block.name), block.text);
    if (block.language !== 'console') continue;
    for (const part of block.text.split(/^\$ /m).slice(1)) {
      const [command, ...lines] = part.trimEnd().split('\n');
      commands++;
      assertPrints(command!, lines, { cwd: folder, env });
    }
  }
  return commands;
}

/** The command succeeds, and its output has these lines in this order. */
function assertPrints(
  command: string,
  lines: readonly string[],
  place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): void {
  const words = ['-c', `{ ${command}; } 2>&1`];
  const { stdout, status } = spawnSync('sh', words, { ...place, encoding: 'utf8' });
  assert.equal(status, 0, `${command}\n${stdout}`);
  let at = 0;
  for (const line of lines) {
    const found = stdout.indexOf(line, at);
    assert.ok(found >= 0, `${command} does not print: ${line}\n${stdout}`);
    at = found + line.length;
  }
}
