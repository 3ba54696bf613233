import { fork, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { freePort } from '../services/cli/fleet/free-port.js';
import { wholeCpuOf } from './in-processes.js';

const NODE = fileURLToPath(new URL('bare-star-node.js', import.meta.url));
const OCTETS = 256;
const TURNS_BEFORE = 3_000;
const TURNS = 6_000;
const BROKER_STARTS_MS = 300;

/**
 * CPU microseconds of a message among so many processes in a star over a broker that do nothing
 * else: of all processes and the broker, from sender to receiver, after they have warmed up.
 */
export async function bareStarUs(processes: number): Promise<number> {
  const port = await freePort();
  const broker = spawn('nats-server', ['-a', '127.0.0.1', '-p', `${port}`], { stdio: 'ignore' });
  await new Promise((resolve) => setTimeout(resolve, BROKER_STARTS_MS));
  const leaves = processes - 1;
  const nodes = Array.from({ length: processes }, (_, number) =>
    fork(NODE, [port, number, leaves, OCTETS].map(String)),
  );
  const [hub] = nodes;
  const turn = async (turns: number): Promise<void> => {
    const done = new Promise((resolve) => hub!.once('message', resolve));
    hub!.send(turns);
    await done;
  };
  await Promise.all(nodes.map((node) => new Promise((resolve) => node.once('message', resolve))));
  await turn(TURNS_BEFORE);
  const spent = (): number =>
    [broker, ...nodes].reduce((sum, { pid }) => sum + wholeCpuOf(pid!), 0);
  const before = spent();
  await turn(TURNS);
  const cpu = spent() - before;
  for (const node of nodes) node.kill();
  broker.kill();
  return (cpu * 1e6) / (2 * leaves * TURNS);
}
