import { accessSync, constants } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import { InputError } from '../exit.js';
import type { ProcessPlan } from './process-group.js';

const COMMAND = 'nats-server';

/** Command of a private broker, on loopback and with a store of its own. */
export function ownBroker(port: number, folder: string): ProcessPlan {
  if (!isInstalled()) {
    throw new InputError(
      [
        `--processes needs a broker: ${COMMAND} is not on the PATH and --nats names none.`,
        'Install it:',
        '  Debian, Ubuntu:  apt-get install nats-server',
        '  macOS:           brew install nats-server',
        '  Docker:          docker run -p 4222:4222 nats -js, then --nats nats://127.0.0.1:4222',
      ].join('\n'),
    );
  }
  const store = join(folder, 'broker');
  const args = [
    '-a',
    '127.0.0.1',
    '-p',
    `${port}`,
    '-js',
    '-sd',
    store,
    '-P',
    join(folder, 'broker.pid'),
  ];
  const env = { GOMAXPROCS: `${processors()}` };
  return { name: 'broker', command: COMMAND, args, env, endsLast: true };
}

/** Services need the processors, too, and the more threads a broker has, the more of them spin. */
function processors(): number {
  return Math.max(1, Math.floor(availableParallelism() / 2));
}

export function isInstalled(): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, COMMAND), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
