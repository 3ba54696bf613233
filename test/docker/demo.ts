/** The demo of deploy/ in Compose: every process may be killed, and only what must speak speaks. */

import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import { selvage } from '#contracts';
import { CoordinatorClient } from '../../services/cli/fleet/coordinator-client.js';
import { isOver } from '../../services/cli/fleet/phases.js';
import { RunKeys } from '../../services/runtime/keys/run-keys.js';
import { fabricOf, ROOT, run } from '../kit/emulate.js';
import { connectionsOf } from '../kit/manifest-rules.js';
import { K8S, manifestsOf } from '../kit/manifests.js';
import type { Engine } from './engine.js';

const CONTROL_PORT = 7400;
const EXAMPLE = 'examples/leaf-spine-all-to-all.yaml';
const { PHASE_RUNNING } = selvage.v1.RunStatus.Phase;

/** @param folder for files of the test. */
export function testDemo(engine: Engine, folder: string): void {
  describe('with Compose', () => {
    // Long enough for three kills: a run that ends before them fails the test.
    const more = ['load.0.bytes=1MB', 'expect=[]'];
    const file = join(folder, 'deploy', 'compose.yaml');
    const compose = (...words: string[]): string => engine.compose('-f', file, ...words);
    const idOf = (service: string): string => compose('ps', '-aq', service).trim();
    const services = ['service-0', 'service-1', 'service-2', 'service-3'];
    const containers = ['nats', 'coordinator', ...services];

    before(() => {
      cpSync(join(ROOT, 'deploy'), join(folder, 'deploy'), { recursive: true });
      writeFileSync(file, stringify(longerDemo(readFileSync(file, 'utf8'), more)));
    });
    after(() => {
      compose('down', '-v');
    });

    it('every container may be killed once, and only what must speak speaks', async () => {
      compose('create', '--no-build', ...containers);
      const demo = new Demo(engine, new Map(containers.map((name) => [name, idOf(name)])));
      compose('up', '-d', '--no-build', ...containers);
      try {
        for (const victim of ['service-1', 'nats', 'coordinator']) {
          await demo.untilItRuns();
          await demo.kill(victim);
        }
        await demo.untilItEnds();
      } catch (error) {
        throw new Error(`${String(error)}\n${compose('logs', '--no-color')}`, { cause: error });
      }
      const out = join(folder, 'demo');
      engine.docker('cp', `${idOf('coordinator')}:/work/runs`, out);
      const [name] = readdirSync(out);
      const { digest } = JSON.parse(readFileSync(join(out, name!, 'summary.json'), 'utf8')) as {
        digest: string;
      };
      assert.equal(digest, run(fabricOf(EXAMPLE, ...more)).digest);
      assert.deepEqual(demo.seen(), [...connectionsOf(manifestsOf(join(K8S, 'base')))].sort());
    });
  });
}

/** The demo with a longer load, so that there is time to kill, and without a collector. */
function longerDemo(text: string, set: readonly string[]): object {
  const demo = parse(text, { merge: true }) as {
    name?: string;
    services: Record<string, { command: string[]; build?: object }>;
  };
  delete demo.name;
  const coordinator = demo.services['coordinator']!;
  coordinator.command = coordinator.command.filter((word) => !/^--(otlp|set)/.test(word));
  coordinator.command.push(...set.map((one) => `--set=${one}`), '--checkpoint-every=1');
  return demo;
}

interface ContainerState {
  readonly pid: number;
  readonly isRunning: boolean;
  readonly exitCode: number;
  /** How often the engine has started it again. */
  readonly restarts: number;
  readonly addresses: readonly string[];
}

interface ContainerFacts {
  readonly RestartCount: number;
  readonly State: { readonly Pid: number; readonly Running: boolean; readonly ExitCode: number };
  readonly NetworkSettings: {
    readonly Networks: Readonly<Record<string, { readonly IPAddress: string }>>;
  };
}

function statesOf(engine: Engine, containers: readonly string[]): ContainerState[] {
  const facts = JSON.parse(engine.docker('inspect', ...containers)) as ContainerFacts[];
  return facts.map(({ State, RestartCount, NetworkSettings }) => ({
    pid: State.Pid,
    isRunning: State.Running,
    exitCode: State.ExitCode,
    restarts: RestartCount,
    addresses: Object.values(NetworkSettings.Networks).map(({ IPAddress }) => IPAddress),
  }));
}

const PAUSE_MS = 250;
/** A bound for what hangs, far above what a busy machine takes. */
const TRIES = 1200;

async function until<T>(what: string, look: () => T | null | Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await look();
    if (found !== null) return found;
    await setTimeout(PAUSE_MS);
  }
  throw new Error(`${what}: not within ${(TRIES * PAUSE_MS) / 1000} s`);
}

/** The containers of the demo, and the connections observed among them. */
class Demo {
  /** `from > to:port`, by the roles of the network policies. */
  private readonly found = new Set<string>();
  private readonly killed = new Set<string>();
  private readonly names: readonly string[];

  constructor(
    private readonly engine: Engine,
    private readonly containers: ReadonlyMap<string, string>,
  ) {
    this.names = [...containers.keys()];
  }

  seen(): string[] {
    return [...this.found].sort();
  }

  /** Requests the state at the coordinator's address, which this machine reaches over a bridge. */
  async untilItRuns(): Promise<void> {
    await until('the run goes on', async () => {
      const { addresses, isRunning, exitCode } = this.observe().get('coordinator')!;
      assert.ok(isRunning || exitCode !== 0, 'the run ended before all were killed');
      const address = addresses.find((one) => one !== '');
      if (!isRunning || address === undefined) return null;
      const { token } = new RunKeys('demo', '5e17a6e05e17a6e05e17a6e05e17a6e0');
      const client = new CoordinatorClient(`${address}:${CONTROL_PORT}`, token, null);
      const status = await client.status();
      client.close();
      assert.ok(status === null || !isOver(status), `the run is over: ${status?.detail}`);
      return status?.phase === PHASE_RUNNING ? true : null;
    });
  }

  async kill(name: string): Promise<void> {
    const { pid } = this.observe().get(name)!;
    this.killed.add(name);
    process.kill(pid, 'SIGKILL');
    await until(`${name} comes again`, () => {
      const state = this.observe().get(name)!;
      return state.isRunning && state.pid !== pid ? state : null;
    });
  }

  async untilItEnds(): Promise<void> {
    await until('the run ends', () => {
      const { isRunning, exitCode } = this.observe().get('coordinator')!;
      return isRunning || exitCode !== 0 ? null : true;
    });
  }

  /**
   * States of all; fails at once when the broker or the coordinator was started again without a
   * kill. Services may be: they end when a busy machine keeps the others away for too long.
   */
  private observe(): Map<string, ContainerState> {
    const states = statesOf(this.engine, [...this.containers.values()]);
    const roles = new Map(
      states.flatMap(({ addresses }, index) => addresses.map((one) => [one, this.names[index]!])),
    );
    for (const [index, { pid, isRunning, restarts }] of states.entries()) {
      const name = this.names[index]!;
      const mayBe = roleOf(name) === 'service' ? Infinity : this.killed.has(name) ? 1 : 0;
      assert.ok(restarts <= mayBe, `${name}: started again ${restarts} times`);
      if (isRunning) this.listen(name, pid, roles);
    }
    return new Map(states.map((state, index) => [this.names[index]!, state]));
  }

  /** Looks into the table of connections of a container. */
  private listen(name: string, pid: number, names: ReadonlyMap<string, string>): void {
    for (const { address, port } of connectionsFrom(pid)) {
      const other = names.get(address);
      if (other !== undefined) this.found.add(`${roleOf(name)} > ${roleOf(other)}:${port}`);
    }
  }
}

function roleOf(name: string): string {
  return name.replace(/-\d+$/, '');
}

const ESTABLISHED = '01';
const LISTENING = '0A';

/** Outgoing connections of a process in its own network; not incoming ones. */
function connectionsFrom(pid: number): { address: string; port: number }[] {
  const rows = ['tcp', 'tcp6'].flatMap((table) => rowsOf(`/proc/${pid}/net/${table}`));
  const served = new Set(
    rows.filter(({ state }) => state === LISTENING).map((row) => row.here.port),
  );
  return rows
    .filter(({ state, here }) => state === ESTABLISHED && !served.has(here.port))
    .map(({ there }) => there);
}

function rowsOf(path: string): { here: Socket; there: Socket; state: string }[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  const lines = text.trim().split('\n').slice(1);
  return lines.map((line) => {
    const [, here, there, state] = line.trim().split(/\s+/);
    return { here: socketOf(here!), there: socketOf(there!), state: state! };
  });
}

interface Socket {
  readonly address: string;
  readonly port: number;
}

/** The kernel writes addresses in words of little endian; the last one of IPv6 holds IPv4. */
function socketOf(text: string): Socket {
  const [words, port] = text.split(':');
  const octets = words!.slice(-8).match(/../g)!.reverse();
  const address = octets.map((octet) => parseInt(octet, 16)).join('.');
  return { address, port: parseInt(port!, 16) };
}
