import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selvage } from '#contracts';
import { CoordinatorClient } from '../../services/cli/fleet/coordinator-client.js';
import { freePort } from '../../services/cli/fleet/free-port.js';
import { RunKeys } from '../../services/runtime/keys/run-keys.js';
import { ROOT } from './emulate.js';

export const MAIN = join(ROOT, 'dist/programs/selvage.js');
export const EXAMPLE = join(ROOT, 'examples/leaf-spine-all-to-all.yaml');
export const KEY = '0123456789abcdef0123456789abcdef';
const { PHASE_RUNNING } = selvage.v1.RunStatus.Phase;

export interface Ended {
  readonly code: number | null;
  readonly words: string;
}

/** Broker, coordinator and services of one run, each a process with an environment of its own. */
export class Pods {
  readonly folder = mkdtempSync(join(tmpdir(), 'selvage-pods-'));
  private readonly children: ChildProcess[] = [];

  private constructor(
    readonly run: string,
    readonly nats: string,
    readonly address: string,
  ) {}

  static async open(run: string): Promise<Pods> {
    const pods = await Pods.withoutBroker(run);
    pods.startBroker();
    return pods;
  }

  static async withoutBroker(run: string): Promise<Pods> {
    const [natsPort, port] = [await freePort(), await freePort()];
    return new Pods(run, `nats://127.0.0.1:${natsPort}`, `127.0.0.1:${port}`);
  }

  /** A process with given arguments. */
  ofWords(words: readonly string[], env: Readonly<Record<string, string>>): Running {
    const child = spawn(process.execPath, [MAIN, ...words], {
      cwd: this.folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.children.push(child);
    return new Running(child);
  }

  coordinator(...more: string[]): Running {
    const own = ['--listen', this.address, '--out', join(this.folder, 'run'), '--quiet'];
    return this.selvage('coordinate', EXAMPLE, '--services', '2', ...own, ...more);
  }

  service(number: number, ...more: string[]): Running {
    return this.selvage('service', '--join', this.address, '--number', `${number}`, ...more);
  }

  digest(): unknown {
    const summary = readFileSync(join(this.folder, 'run', 'summary.json'), 'utf8');
    return (JSON.parse(summary) as { digest: unknown }).digest;
  }

  untilItRuns(): Promise<void> {
    return this.until(({ phase }) => phase === PHASE_RUNNING);
  }

  async until(holds: (status: selvage.v1.RunStatus) => boolean): Promise<void> {
    const client = new CoordinatorClient(this.address, new RunKeys(this.run, KEY).token, null);
    await client.follow(() => undefined, holds, 20_000);
    client.close();
  }

  close(): void {
    for (const child of this.children) child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  startBroker(...more: string[]): void {
    const { port } = new URL(this.nats);
    const args = ['-a', '127.0.0.1', '-p', port, '-js', '-sd', join(this.folder, 'broker')];
    this.children.push(spawn('nats-server', [...args, ...more], { stdio: 'ignore' }));
  }

  private selvage(...words: string[]): Running {
    const identity = { SELVAGE_RUN: this.run, SELVAGE_KEY: KEY };
    return this.ofWords([...words, '--nats', this.nats], identity);
  }
}

export class Running {
  readonly ended: Promise<Ended>;
  /** Its standard output. */
  output = '';

  constructor(private readonly child: ChildProcess) {
    let words = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      words += text;
    });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.output += text;
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
