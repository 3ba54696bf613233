import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';

const LOOPBACK = '127.0.0.1';
const TRIES = 1000;
const PAUSE_MS = 10;

/** A broker on a port of loopback that accepts connections. */
export async function startBroker(
  port: number,
  args: readonly string[] = [],
  cwd?: string,
): Promise<ChildProcess> {
  const words = ['-a', LOOPBACK, '-p', `${port}`, ...args];
  const broker = spawn('nats-server', words, { stdio: 'ignore', cwd });
  for (let left = TRIES; left > 0; left--) {
    if (await accepts(port)) return broker;
    await setTimeout(PAUSE_MS);
  }
  broker.kill('SIGKILL');
  throw new Error(`the broker accepts nothing on port ${port}`);
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, LOOPBACK);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
