/**
 * Defects of one line each, written into a copy of the compiled engine: what is pinned has to notice
 * each of them, in a few seconds.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';

interface Mutant {
  readonly name: string;
  /** Below dist. */
  readonly file: string;
  readonly from: string | RegExp;
  readonly to: string;
  /** Examples whose golden fingerprints differ then, or whose run fails. */
  readonly examples: readonly string[];
}

const MUTANTS: readonly Mutant[] = [
  {
    name: 'a buffer that gives back nine octets too much',
    file: 'services/engine/buffer/shared-buffer.js',
    from: 'function release(port, group, stored) {',
    to: 'function release(port, group, stored) { stored += 9;',
    examples: ['incast-pfc'],
  },
  {
    name: 'another constant in the hash that breaks ties',
    file: 'services/engine/kernel/slots.js',
    from: '0x2c1b3c6d',
    to: '0x2c1b3c6f',
    examples: ['incast-pfc'],
  },
  {
    name: 'a cursor of credit messages that is negative',
    file: 'services/engine/flow-control/credit/credit-conversation.js',
    from: /this\.cursor\[port\] = row - /,
    to: 'this.cursor[port] = -2 - row + ',
    examples: ['incast-credit'],
  },
  {
    name: 'a default that is changed',
    file: 'services/fabric/scenario/schema-credit.js',
    from: ".prefault('static')",
    to: ".prefault('demand')",
    examples: ['incast-credit'],
  },
  {
    name: 'a rate limiter that keeps its old time stamp when it is enabled',
    file: 'services/engine/nic-82599/rate-table.js',
    from: /if \(is > was\)/,
    to: 'if (false)',
    examples: ['nic-qcn', 'nic-dcqcn'],
  },
];

describe('a defect in the source', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-mutants-'));
  const dist = join(folder, 'dist');

  before(() => {
    const isNeeded = (path: string): boolean =>
      !/\.(map|d\.ts|tsbuildinfo)$/.test(path) || statSync(path).isDirectory();
    for (const part of ['services', 'test/kit', 'test/golden']) {
      cpSync(join(ROOT, 'dist', part), join(dist, part), { recursive: true, filter: isNeeded });
    }
    const shared = ['node_modules', 'proto', 'package.json', 'examples', 'test', 'CHANGELOG.md'];
    for (const name of shared) symlinkSync(join(ROOT, name), join(folder, name));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  function isWell(examples: readonly string[]): boolean {
    const words = [join(dist, 'test/golden/main.js'), ...examples];
    return spawnSync(process.execPath, words, { cwd: folder, stdio: 'ignore' }).status === 0;
  }

  it('is what fails, and nothing else', () => {
    for (const { name, examples } of MUTANTS) assert.ok(isWell(examples), name);
  });

  for (const { name, file, from, to, examples } of MUTANTS) {
    it(`is noticed: ${name}`, () => {
      const path = join(dist, file);
      const sound = readFileSync(path, 'utf8');
      const mutant = sound.replace(from, to);
      assert.notEqual(mutant, sound, `${file} has nothing like it`);
      writeFileSync(path, mutant);
      try {
        assert.ok(!isWell(examples));
      } finally {
        writeFileSync(path, sound);
      }
    });
  }
});
