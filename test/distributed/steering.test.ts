import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { fabricOf, ROOT, run } from '../kit/emulate.js';
import { isLong } from '../kit/long-suite.js';

const EXAMPLE = 'examples/leaf-spine-all-to-all.yaml';
/** It outlasts the commands that steer it, also where they take seconds. */
const SET = ['load.0.bytes=1536KB'];
const skip = isInstalled() ? false : 'no nats-server on the PATH';

interface Status {
  readonly run: string;
  readonly phase: string;
  readonly virtualPs: number;
  readonly checkpointPs: number;
}

const PLACES: Readonly<Record<string, readonly string[]>> = {
  'three processes of two threads': ['--services', '3', '--threads', '2'],
  ...(isLong && { 'three processes': ['--services', '3'] }),
};

describe('a run in several processes', { skip, timeout: 240_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
  const main = join(ROOT, 'dist/programs/selvage.js');
  // A user's runs are found in the folder for temporary files: this one has its own.
  const env = { ...process.env, TMPDIR: folder };
  const children: ChildProcess[] = [];
  let logged = '';
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
  const statusNow = (): Status[] => JSON.parse(selvage('status', '--json').out) as Status[];
  const until = async (holds: (status: Status) => boolean): Promise<Status> => {
    for (let left = 200; left > 0; left--) {
      const found = statusNow().find(holds);
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`it never came to it: ${JSON.stringify(statusNow())}`);
  };
  const start = (...args: string[]): Promise<number | null> => {
    const child = spawn(process.execPath, [main, ...args], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      logged += text;
    });
    children.push(child);
    return new Promise((resolve) => child.once('close', resolve));
  };

  for (const [place, words] of Object.entries(PLACES)) {
    it(`is paused, stepped, saved, followed, stopped and resumed: in ${place}`, async () => {
      const out = join(folder, place.replaceAll(' ', '-'));
      logged = '';
      assert.match(selvage('status').out, /no run is under way/);
      assert.match(selvage('pause').error, /no run is under way/);
      const set = SET.flatMap((change) => ['--set', change]);
      const file = join(ROOT, EXAMPLE);
      const log = ['--log', 'info'];
      const ended = start('run', file, ...set, ...words, '--out', out, '--quiet', ...log);
      const { run: name } = await until(({ phase }) => phase === 'running');
      assert.equal(selvage('pause', name).out, `${name}  pauses\n`);
      const paused = await until(({ phase }) => phase === 'paused');
      assert.equal(statusNow()[0]!.virtualPs, paused.virtualPs);
      assert.equal(selvage('step').out, `${name}  goes on for one round\n`);
      const stepped = await until(
        ({ phase, virtualPs }) => phase === 'paused' && virtualPs > paused.virtualPs,
      );
      assert.match(
        selvage('step', '--for', 'long').error,
        /^--for long: not a length of virtual time/,
      );
      assert.equal(selvage('step', '--for', '1ns').out, `${name}  goes on for 1 ns\n`);
      await until(
        ({ phase, virtualPs }) => phase === 'paused' && virtualPs === stepped.virtualPs + 1_000,
      );
      const written = selvage('checkpoint', '--json');
      assert.deepEqual(JSON.parse(written.out), { run: name, action: 'checkpoint' });
      await until(
        ({ checkpointPs }) => checkpointPs > 0 && checkpointPs <= stepped.virtualPs + 1_000,
      );
      const shown = selvage('status').out;
      assert.match(shown, /leaf-spine-all-to-all: paused, .*epoch 1, checkpoint at \d.* ago\)/);
      assert.ok(shown.includes(hostname()), 'services are shown with their hosts');
      assert.match(selvage('top').out, /service +host +virtual time +lag +CPU +messages\/s/);
      assert.match(selvage('top', '--once').out, /^0 +\S+ +\d/m);
      assert.match(selvage('pause', 'nobody').error, /no run nobody is under way; there are: /);
      const attached = start('attach', name);
      assert.equal(selvage('resume', name).out, `${name}  goes on\n`);
      assert.equal(selvage('stop').out, `${name}  ends here\n`);
      assert.equal(await ended, 130);
      assert.equal(await attached, 0);
      assert.match(logged, /Z info coordinator: service is connected service=2 host=/);
      assert.match(logged, /Z info coordinator: epoch begins epoch=1 checkpoint=none virtualPs=0/);
      assert.match(
        logged,
        /Z info coordinator: checkpoint is written checkpoint=c1-\d+ virtualPs=/,
      );
      assert.match(logged, /Z info service 1: epoch begins epoch=1 checkpoint=none/);
      assert.equal(readFileSync(join(out, 'status'), 'utf8'), 'interrupted\n');
      const resumed = selvage('resume', out, '--services', '2', '--quiet');
      assert.ok(resumed.status === 0 || resumed.status === 1, resumed.error);
      assert.equal(readFileSync(join(out, 'status'), 'utf8'), 'complete\n');
      const expected = run(fabricOf(EXAMPLE, ...SET)).digest;
      assert.equal(readFileSync(join(out, 'digest'), 'utf8'), `${expected}\n`);
    });
  }

  const noProc = existsSync('/proc/self/cmdline') ? false : 'no /proc';
  it('ends on SIGTERM where its coordinator hangs, and names it', { skip: noProc }, async () => {
    logged = '';
    const words = ['run', join(ROOT, EXAMPLE), '--set', 'load.0.bytes=4MB', '--services', '2'];
    const ended = start(...words, '--out', join(folder, 'hung'), '--quiet');
    await until(({ phase }) => phase === 'running');
    const { pid } = children.at(-1)!;
    const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    const coordinator = pids.find(
      (one) => one !== '' && readFileSync(`/proc/${one}/cmdline`, 'utf8').includes('coordinator'),
    );
    process.kill(Number(coordinator), 'SIGSTOP');
    children.at(-1)!.kill('SIGTERM');
    assert.equal(await ended, 143);
    assert.match(logged, /interrupted, and nothing of the run is kept: the coordinator does not/);
  });
});
