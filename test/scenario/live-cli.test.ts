import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';

const MAIN = join(ROOT, 'dist/programs/selvage.js');
const SCENARIO = join(ROOT, 'examples/incast-pfc.yaml');
const EXIT_BAD_INPUT = 2;

describe('words that ask for a page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-live-cli-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });

  function refused(
    words: readonly string[],
    reason: RegExp,
    env: Record<string, string> = {},
  ): void {
    const { status, stderr } = spawnSync(process.execPath, [MAIN, ...words], {
      ...{ cwd: folder, encoding: 'utf8', timeout: 60_000 },
      env: { ...process.env, SELVAGE_UI_TOKEN: '', ...env },
    });
    assert.equal(status, EXIT_BAD_INPUT, stderr);
    assert.match(stderr, reason);
    assert.equal(stderr.trim().split('\n').length, 1);
  }
  const run = (...words: string[]): string[] => ['run', SCENARIO, '--quiet', ...words];

  it('are refused where they cannot be meant', () => {
    refused(run('--ui-host', '0.0.0.0'), /--ui-host goes with --ui/);
    refused(run('--paused'), /--paused needs --ui or --control/);
    refused(run('--ui', '99999'), /--ui 99999: not a port from 0 to 65535/);
    refused(run('--ui', 'here'), /--ui here: not a port/);
  });

  it('need a token where others could come by', () => {
    refused(run('--ui', '--ui-host', '0.0.0.0'), /put a token into SELVAGE_UI_TOKEN/);
    const env = { SELVAGE_UI_TOKEN: 'short' };
    refused(run('--ui', '--ui-host', '0.0.0.0'), /fewer than 12 characters/, env);
    refused(run('--ui'), /fewer than 12 characters/, env);
  });

  it('name a place that is free', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    refused(run('--ui', `${port}`), /--ui: 127\.0\.0\.1:\d+: listen EADDRINUSE/);
    other.close();
    refused(run('--ui', '--ui-host', 'localhost.invalid'), /put a token/);
  });

  it('compare runs that are there', () => {
    refused(['compare', 'one'], /compare takes two run directories or more/);
    refused(['compare', 'one', 'two'], /one is no run directory/);
    refused(['report', 'nothing', '--why'], /nothing is no run directory/);
  });
});
