/** What tests need beside Node is fetched with consent, and named without. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ROOT } from '../../kit/emulate.js';

const CLIENTS = ['apt-get', 'go', 'mvn', 'npm', 'pip3'];

describe('what tests need', () => {
  // A checkout without any of it, and clients of registries that note what they are asked for.
  const folder = mkdtempSync(join(tmpdir(), 'selvage-needs-'));
  const [programs, log] = [join(folder, 'bin'), join(folder, 'log')];
  mkdirSync(join(folder, 'test'));
  cpSync(join(ROOT, 'test/needs.mjs'), join(folder, 'test/needs.mjs'));
  mkdirSync(programs);
  for (const name of CLIENTS) {
    const file = join(programs, name);
    writeFileSync(file, `#!/bin/sh\necho ${name} "$@" >> ${log}\nexit 1\n`);
    chmodSync(file, 0o755);
  }
  after(() => {
    rmSync(folder, { recursive: true });
  });

  function getNeeds(...words: string[]): { said: string; asked: string[] } {
    rmSync(log, { force: true });
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [join(folder, 'test/needs.mjs'), ...words],
      { encoding: 'utf8', env: { PATH: programs } },
    );
    assert.equal(stderr, '');
    const asked = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
    return { said: stdout, asked };
  }

  it('is named, and nothing is fetched, without consent', () => {
    const { said, asked } = getNeeds();
    assert.deepEqual(asked, []);
    for (const name of ['nats-server', 'Zipkin', 'versitygw', 'requirements.txt', 'nodes/newest']) {
      assert.match(said, new RegExp(`^No .*${name}`, 'm'));
    }
    assert.match(said, /npm test -- --install\n$/);
  });

  it('is asked of each registry with consent', () => {
    const clients = new Set(getNeeds('--install').asked.map((line) => line.split(' ')[0]));
    // Only root installs Debian packages.
    const wanted = process.getuid?.() === 0 ? CLIENTS : CLIENTS.slice(1);
    assert.deepEqual([...clients].sort(), wanted);
  });
});
