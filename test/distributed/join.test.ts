/** A run whose coordinator and services were started one by one, as pods are. */

import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { selvage } from '#contracts';
import { CoordinatorClient } from '../../services/cli/fleet/coordinator-client.js';
import { freePort } from '../../services/cli/fleet/free-port.js';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { fabricOf, ROOT, run } from '../kit/emulate.js';

const skip = isInstalled() ? false : 'no nats-server on the PATH';
const MAIN = join(ROOT, 'dist/services/cli/main.js');
const EXAMPLE = join(ROOT, 'examples/leaf-spine-all-to-all.yaml');
const KEY = '0123456789abcdef0123456789abcdef';
const { PHASE_RUNNING } = selvage.v1.RunStatus.Phase;

interface Ended {
  readonly code: number | null;
  readonly words: string;
}

/** Broker, coordinator and services of one run, each a process with an environment of its own. */
class Pods {
  readonly folder = mkdtempSync(join(tmpdir(), 'selvage-pods-'));
  private readonly children: ChildProcess[] = [];

  private constructor(
    private readonly run: string,
    private readonly nats: string,
    readonly address: string,
  ) {}

  static async open(run: string): Promise<Pods> {
    const [natsPort, port] = [await freePort(), await freePort()];
    const pods = new Pods(run, `nats://127.0.0.1:${natsPort}`, `127.0.0.1:${port}`);
    pods.startBroker(natsPort);
    return pods;
  }

  coordinator(...more: string[]): Running {
    const own = ['--listen', this.address, '--out', join(this.folder, 'run'), '--quiet'];
    return this.selvage('coordinate', EXAMPLE, '--services', '2', ...own, ...more);
  }

  service(number: number): Running {
    return this.selvage('service', '--join', this.address, '--number', `${number}`);
  }

  digest(): unknown {
    const summary = readFileSync(join(this.folder, 'run', 'summary.json'), 'utf8');
    return (JSON.parse(summary) as { digest: unknown }).digest;
  }

  async untilItRuns(): Promise<void> {
    const client = new CoordinatorClient(this.address, KEY, null);
    await client.follow(
      () => undefined,
      ({ phase }) => phase === PHASE_RUNNING,
      20_000,
    );
    client.close();
  }

  close(): void {
    for (const child of this.children) child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  private startBroker(port: number): void {
    const args = ['-a', '127.0.0.1', '-p', `${port}`, '-js', '-sd', join(this.folder, 'broker')];
    this.children.push(spawn('nats-server', args, { stdio: 'ignore' }));
  }

  private selvage(...words: string[]): Running {
    const identity = { SELVAGE_RUN: this.run, SELVAGE_KEY: KEY };
    const child = spawn(process.execPath, [MAIN, ...words, '--nats', this.nats], {
      env: { ...process.env, ...identity },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.children.push(child);
    return new Running(child);
  }
}

class Running {
  readonly ended: Promise<Ended>;

  constructor(private readonly child: ChildProcess) {
    let words = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      words += text;
    });
    this.ended = new Promise((resolve) => {
      child.once('close', (code) => {
        resolve({ code, words });
      });
    });
  }

  kill(signal: NodeJS.Signals): Promise<Ended> {
    this.child.kill(signal);
    return this.ended;
  }
}

const NATS = ['--nats', 'nats://127.0.0.1:1'];

/** Words, environment, and the line that tells what is wrong with them. */
const WRONG: readonly (readonly [string, string[], NodeJS.ProcessEnv, string])[] = [
  [
    'an address',
    ['coordinate', EXAMPLE, '--listen', 'nowhere', ...NATS],
    {},
    '--listen nowhere: not an address; write it like 0.0.0.0:7400',
  ],
  [
    'no broker',
    ['coordinate', EXAMPLE],
    {},
    '--nats names the broker that services started elsewhere share',
  ],
  [
    'a key',
    ['coordinate', EXAMPLE, ...NATS],
    { SELVAGE_KEY: 'secret' },
    'SELVAGE_KEY must be 32 or more hexadecimal digits',
  ],
  [
    'a number',
    ['service', '--join', 'coordinator:7400', '--number', 'one', ...NATS],
    {},
    '--number one: not a number from 0 up',
  ],
  ['no coordinator', ['service', '--number', '1', ...NATS], {}, 'SELVAGE_COORDINATOR is not set'],
];

const FINE: Ended = { code: 0, words: '' };

describe('services that are started elsewhere', { skip }, () => {
  const { digest } = run(fabricOf('examples/leaf-spine-all-to-all.yaml'));
  const opened: Pods[] = [];
  const open = async (name: string): Promise<Pods> => {
    const pods = await Pods.open(name);
    opened.push(pods);
    return pods;
  };
  after(() => {
    for (const pods of opened) pods.close();
  });

  it('join, give the digest of one process, and are sent home', async () => {
    const pods = await open('joined');
    // In an order that nobody promised anything about.
    const all = [pods.service(1), pods.coordinator(), pods.service(0)];
    const ends = await Promise.all(all.map(({ ended }) => ended));
    assert.deepEqual(ends, [FINE, FINE, FINE]);
    assert.equal(pods.digest(), digest);
  });

  it('outlive a coordinator that is evicted, and one of them another that is deleted', async () => {
    const pods = await open('evicted');
    const kept = pods.service(0);
    const deleted = pods.service(1);
    const evicted = pods.coordinator('--checkpoint-every', '0.1');
    await pods.untilItRuns();
    // A code that is not 0: an indexed Job must not take its part for done.
    assert.deepEqual(await deleted.kill('SIGTERM'), { code: 143, words: '' });
    const again = pods.service(1);
    await pods.untilItRuns();
    assert.deepEqual(await evicted.kill('SIGTERM'), { code: 130, words: '' });
    const next = pods.coordinator('--checkpoint-every', '0.1');
    assert.deepEqual(await Promise.all([next.ended, kept.ended, again.ended]), [FINE, FINE, FINE]);
    assert.equal(pods.digest(), digest);
  });

  for (const [what, words, env, said] of WRONG) {
    it(`say what is wrong: ${what}`, async () => {
      const child = spawn(process.execPath, [MAIN, ...words], {
        env: { ...process.env, SELVAGE_RUN: 'wrong', SELVAGE_KEY: KEY, ...env },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      assert.deepEqual(await new Running(child).ended, { code: 2, words: `${said}\n` });
    });
  }
});
