import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { fabricOf, ROOT, run } from '../kit/emulate.js';
import { isLong } from '../kit/long-suite.js';

const EXAMPLE = 'examples/leaf-spine-all-to-all.yaml';
const SET = 'load.0.bytes=48KB';
const HOMES: Readonly<Record<string, readonly string[]>> = {
  'one thread': ['--control'],
  'two threads': ['--threads', '2', '--control'],
  'two processes': ['--services', '2'],
  // injected-and-killed.test has services of two threads.
  ...(isLong && { 'two processes of two threads': ['--services', '2', '--threads', '2'] }),
};

interface Status {
  readonly phase: string;
  readonly virtualPs: number;
}

describe('a fault injected into a run that is under way', { timeout: 240_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
  const main = join(ROOT, 'dist/programs/selvage.js');
  // A user's runs are found in the folder for temporary files: this one has its own.
  const env = { ...process.env, TMPDIR: folder };
  const children: ChildProcess[] = [];
  let healthy: string;
  before(() => {
    healthy = run(fabricOf(EXAMPLE, SET)).digest;
  });
  after(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const selvage = (...args: string[]): { status: number | null; out: string; error: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
      encoding: 'utf8',
      env,
    });
    return { status, out: stdout, error: stderr };
  };
  const until = async (holds: (status: Status) => boolean): Promise<Status> => {
    for (let left = 400; left > 0; left--) {
      const all = JSON.parse(selvage('status', '--json').out) as Status[];
      const found = all.find(holds);
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error('it never came to it');
  };

  for (const [home, args] of Object.entries(HOMES)) {
    const needs = args.includes('--services') && !isInstalled();
    const skip = needs ? 'no nats-server on the PATH' : false;

    it(`of ${home} does what it would have done, had it been declared`, { skip }, async () => {
      const out = join(folder, home.replaceAll(' ', '-'));
      const more = ['--set', SET, '--out', out, '--quiet', '--paused', ...args];
      const words = ['run', join(ROOT, EXAMPLE), ...more];
      const child = spawn(process.execPath, [main, ...words], { env, stdio: 'ignore' });
      children.push(child);
      const ended = new Promise((resolve) => child.once('close', resolve));
      await until(({ phase }) => phase === 'paused');
      assert.equal(selvage('step', '--for', '20us').status, 0);
      await until(({ phase, virtualPs }) => phase === 'paused' && virtualPs > 0);
      const refused = selvage('inject', '--fault', 'freeze', '--where', 'h999');
      assert.equal(refused.status, 2);
      assert.match(refused.error, /injected fault: no port matches/);
      const place = ['--where', 'device=leaf1,peer=spine*'];
      const loss = ['--fault', 'loss', ...place, '--set', 'probability=3%', '--name', 'rain'];
      const injected = selvage('inject', ...loss);
      assert.match(injected.out, /^rain begins at /, injected.error);
      const down = '{ kind: link-down, where: { device: leaf2 }, for: 2us }';
      assert.match(selvage('inject', '--fault', down).out, /^fault2 begins at /);
      assert.match(selvage('inject', '--list').out, /rain +loss .* injected/);
      assert.equal(selvage('step').status, 0);
      assert.match(selvage('inject', '--clear', 'rain').out, /^rain ends at /);
      assert.equal(selvage('resume').status, 0);
      await ended;
      const digest = readFileSync(join(out, 'digest'), 'utf8').trim();
      assert.notEqual(digest, healthy);
      const again = selvage('run', join(out, 'injected.yaml'), '--set', SET, '--json');
      assert.equal((JSON.parse(again.out) as { digest: string }).digest, digest);
    });
  }
});
