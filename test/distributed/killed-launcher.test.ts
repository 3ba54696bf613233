import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { packageFile } from '../../services/runtime/package-files.js';
import { ROOT } from '../kit/emulate.js';

const PAUSE_MS = 50;
const skip = isInstalled() ? false : 'no nats-server on the PATH';
const COMMAND = packageFile('dist/programs/selvage.js');

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await setTimeout(PAUSE_MS);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The command line, with a folder of its own for temporary files. */
function selvage(folder: string, ...args: string[]): ReturnType<typeof spawn> {
  const env = { ...process.env, TMPDIR: folder };
  return spawn(process.execPath, [COMMAND, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

describe('a launcher that is killed', { skip, timeout: 120_000 }, () => {
  it('leaves no broker, and no folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
    try {
      const scenario = join(ROOT, 'examples/incast-pfc.yaml');
      const out = join(folder, 'out');
      const launcher = selvage(
        folder,
        'run',
        scenario,
        '--services',
        '2',
        '--paused',
        '--out',
        out,
      );
      const runs = (): string[] =>
        readdirSync(folder).filter((name) => name.startsWith('selvage-run-'));
      const pidFile = (): string => join(folder, runs()[0] ?? '-', 'broker.pid');
      await until(() => existsSync(pidFile()) && readFileSync(pidFile(), 'utf8').trim() !== '');
      const broker = Number(readFileSync(pidFile(), 'utf8'));
      assert.ok(isAlive(broker));
      launcher.kill('SIGKILL');
      await until(() => !isAlive(broker) && runs().length === 0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('the folder of addresses of runs', { timeout: 60_000 }, () => {
  it('is refused where others may write to it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
    try {
      const kept = join(folder, `selvage-${process.getuid!()}`);
      mkdirSync(kept);
      chmodSync(kept, 0o777);
      const command = selvage(folder, 'status');
      let said = '';
      command.stderr!.on('data', (text: Buffer) => (said += String(text)));
      const code = await new Promise((resolve) => command.once('close', resolve));
      assert.equal(code, 2);
      assert.match(said, /not a folder of this user alone/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
