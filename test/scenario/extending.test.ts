/** docs/extending.md: its files are written and its commands run, in order, as a reader would. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';

const PAGE = join(ROOT, 'docs/extending.md');
const LINES_MAX = 150;
const BLOCK = /^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm;

interface Block {
  readonly language: string;
  /** Of a file. */
  readonly name: string | undefined;
  readonly text: string;
}

const blocks: readonly Block[] = Array.from(
  readFileSync(PAGE, 'utf8').matchAll(BLOCK),
  ([, language, name, text]) => ({ language: language!, name, text: text! }),
);

/** Each command of a block, and the lines that its output has in this order. */
function commandsOf({ text }: Block): { command: string; lines: string[] }[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command, ...lines] = part.trimEnd().split('\n');
      return { command: command!, lines };
    });
}

describe('docs/extending.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-extending-'));
  const main = join(ROOT, 'dist/services/cli/main.js');
  writeFileSync(join(folder, 'selvage'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
  chmodSync(join(folder, 'selvage'), 0o755);
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` };
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('does what it says, block by block', () => {
    let commands = 0;
    for (const block of blocks) {
      if (block.name !== undefined) writeFileSync(join(folder, block.name), block.text);
      if (block.language !== 'console') continue;
      for (const { command, lines } of commandsOf(block)) {
        commands++;
        const words = `{ ${command}; } 2>&1`;
        const { stdout, status } = spawnSync('sh', ['-c', words], {
          cwd: folder,
          env,
          encoding: 'utf8',
        });
        assert.equal(status, 0, `${command}\n${stdout}`);
        let at = 0;
        for (const line of lines) {
          const found = stdout.indexOf(line, at);
          assert.ok(found >= 0, `${command} does not print: ${line}\n${stdout}`);
          at = found + line.length;
        }
      }
    }
    assert.ok(commands > 8);
  });

  it('builds the control of the examples, in at most 150 lines', () => {
    const built = blocks.findLast(({ name }) => name === 'aim.mjs')!.text;
    assert.equal(built, readFileSync(join(ROOT, 'examples/aim.mjs'), 'utf8'));
    assert.ok(built.split('\n').length <= LINES_MAX);
  });
});
