/** A real LLDP daemon at the other end of a virtual link, in a network namespace of its own. */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type DiscoveryEnd, TICK_PS } from '../kit/discovery-link.js';
import { ROOT } from '../kit/emulate.js';

const TOOLS = ['unshare', 'nsenter', 'ip', 'python3'];
const PATIENCE_MS = 20_000;
const POLL_MS = 100;
export const DAEMON_PORT = 'v1';

/** Why a daemon cannot be tried here; false if it can. */
export function whyNot(...daemons: string[]): string | false {
  for (const command of [...TOOLS, ...daemons]) {
    if (spawnSync('sh', ['-c', `command -v ${command}`]).status !== 0) {
      return `${command} is not installed`;
    }
  }
  const trial = 'ip link add v0 type veth peer name v1';
  const isAllowed = spawnSync('unshare', ['-n', 'sh', '-c', trial]).status === 0;
  return isAllowed ? false : 'the kernel does not allow a virtual link in a network namespace';
}

/**
 * Runs an emulated port against a daemon in real time until `isDone` says so. `query` runs a
 * command beside the daemon and returns what it prints.
 */
export async function meet(
  daemon: string,
  end: DiscoveryEnd,
  isDone: (query: (command: string) => string) => boolean,
): Promise<void> {
  const script = `ip link set lo up
    ip link add v0 type veth peer name ${DAEMON_PORT}
    ip link set v0 up && ip link set ${DAEMON_PORT} address 02:00:00:00:00:0b up
    ${daemon} > /dev/null 2>&1 & python3 ${join(ROOT, 'test/interop/raw-wire.py')} v0; kill $!; wait`;
  const child = spawn('unshare', ['-n', 'sh', '-c', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const began = performance.now();
  const nowPs = (): number => Math.round(((performance.now() - began) / 1000) * TICK_PS);
  createInterface({ input: child.stdout }).on('line', (line) => {
    end.deliver(nowPs(), Uint8Array.from(Buffer.from(line, 'hex')));
  });
  const query = (command: string): string => {
    const words = ['-t', String(child.pid), '-n', 'sh', '-c', `${command} 2>&1 || true`];
    return execFileSync('nsenter', words, { encoding: 'utf8' });
  };
  try {
    while (!isDone(query)) {
      if (performance.now() - began > PATIENCE_MS) throw new Error('they did not get to know');
      while (end.nextPs <= nowPs()) {
        const octets = end.step();
        if (octets !== null) child.stdin.write(`${Buffer.from(octets).toString('hex')}\n`);
      }
      await wait(POLL_MS);
    }
  } finally {
    child.stdin.end();
    await ended;
  }
}
