import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../services/cli/fleet/free-port.js';
import { PYTHON_FOLDER, skipWithout } from './python.js';

const PROGRAM = 'rotel/rotel-agent';
const START_TRIES = 3;
const POLL_MS = 50;
const POLLS = 600;

export const noCollector = skipWithout(PROGRAM);

/** A collector for OTLP that others have made; it hands on over gRPC whatever it takes. */
export class Collector {
  private constructor(
    private readonly child: ChildProcess,
    readonly grpcUrl: string,
    readonly httpUrl: string,
  ) {}

  /** `folder` is for its log; `target` takes what it hands on. */
  static async start(folder: string, target: string): Promise<Collector> {
    for (let left = START_TRIES; left > 0; left--) {
      // Another process may take a port before the collector does: then others are tried.
      const [grpc, http] = [await freePort(), await freePort()];
      const child = startAt(folder, target, grpc, http);
      if ((await answers(child, grpc)) && (await answers(child, http))) {
        return new Collector(child, `grpc://127.0.0.1:${grpc}`, `http://127.0.0.1:${http}`);
      }
      await ended(child);
    }
    throw new Error('the collector does not start');
  }

  /** It hands on what it still has before it ends. */
  async stop(): Promise<void> {
    await ended(this.child);
  }
}

function startAt(folder: string, target: string, grpc: number, http: number): ChildProcess {
  const words = [
    ...['start', '--otlp-grpc-endpoint', `127.0.0.1:${grpc}`],
    ...['--otlp-http-endpoint', `127.0.0.1:${http}`],
    ...['--exporter', 'otlp', '--otlp-exporter-endpoint', target.replace('grpc:', 'http:')],
    ...['--otlp-exporter-retry-initial-backoff', '200ms'],
    ...['--otlp-exporter-request-timeout', '30s', '--batch-timeout', '50ms'],
    ...['--pid-file', join(folder, 'collector.pid'), '--log-file', join(folder, 'collector.log')],
  ];
  // Settings of other exporters in the environment are not for this one.
  return spawn(join(PYTHON_FOLDER, PROGRAM), words, { stdio: 'ignore', env: {} });
}

/** False if the collector has ended instead, or takes too long. */
async function answers(child: ChildProcess, port: number): Promise<boolean> {
  for (let left = POLLS; left > 0 && child.exitCode === null; left--) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => {
        resolve(true);
        socket.destroy();
      });
      socket.once('error', () => {
        resolve(false);
      });
    });
    if (isOpen) return true;
    await setTimeout(POLL_MS);
  }
  return false;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await over;
}
