import { fork, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { selvage } from '#contracts';
import { connect } from '@nats-io/transport-node';
import { runDistributed } from '../services/cli/fleet/distributed-run.js';
import type { Fleet } from '../services/cli/fleet/fleet.js';
import { freePort } from '../services/cli/fleet/free-port.js';
import { ProgressLine } from '../services/cli/progress.js';
import type { RunResults } from '../services/runtime/results/results.js';
import { median } from './measure.js';

const { Phase } = selvage.v1.RunStatus;
const ECHO = fileURLToPath(new URL('echo.js', import.meta.url));
const ALONE = fileURLToPath(new URL('alone.js', import.meta.url));
const ROUND_TRIPS = 3_000;

/** Of one process while the run went on, in seconds. */
export interface Spent {
  readonly cpu: number;
  /** Ready to run, while others had the processors. */
  readonly queued: number;
}

/** A run in processes: its wall time from the first round to the last, and what it took. */
export interface Measured {
  readonly results: RunResults;
  /** From the first round, or from `skipPs` on, to the last. */
  readonly wallMs: number;
  /** How far the run was by then, and how many messages services had exchanged. */
  readonly beganPs: number;
  readonly messagesBefore: number;
  readonly status: selvage.v1.RunStatus;
  /** Of services while they wait for the first round, in MB. */
  readonly idleMb: number;
  /** By name of the process: service 0, …, coordinator, broker. */
  readonly spent: Readonly<Record<string, Spent>>;
  /** CPU of all threads of all processes: for the same while, and since they started. */
  readonly cpuSeconds: number;
  readonly wholeCpuSeconds: number;
  /** Until the first round. */
  readonly startMs: number;
  readonly startCpuSeconds: number;
}

export async function inProcesses(
  text: string,
  services: number,
  args: readonly string[],
  skipPs = 0,
): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-bench-'));
  const scenarioFile = join(folder, 'scenario.yaml');
  writeFileSync(scenarioFile, text);
  let began = 0;
  let beganPs = 0;
  let messagesBefore = 0;
  let ended = 0;
  let last: selvage.v1.RunStatus | null = null;
  let idleMb = 0;
  let before: Record<string, Spent> = {};
  let spent: Record<string, Spent> = {};
  const called = performance.now();
  let startMs = 0;
  let startCpuSeconds = 0;
  let cpuBefore = 0;
  let wholeCpuSeconds = 0;
  const options = {
    scenarioFile,
    scenarioName: 'bench',
    set: [],
    services,
    placementArgs: args,
    broker: null,
    controlTls: null,
    check: false,
    checkpointSeconds: 1e6,
    checkpoints: null,
    patienceSeconds: 60,
    from: null,
    steps: [],
    infrastructure: [],
    log: null,
    elsewhere: null,
  };
  let running: Fleet | null = null;
  const { results } = await runDistributed(
    options,
    new ProgressLine(null),
    (fleet) => {
      running = fleet;
    },
    (status) => {
      last = status;
      const { virtualPs, messages, phase } = status;
      const isSkipped = beganPs < skipPs && virtualPs >= skipPs;
      if (phase === Phase.PHASE_RUNNING && (began === 0 || isSkipped)) {
        beganPs = virtualPs;
        messagesBefore = messages;
        idleMb = memoryOf(running!);
        before = spentBy(running!);
        cpuBefore = wholeCpuBy(running!);
        if (began === 0) {
          startMs = performance.now() - called;
          startCpuSeconds = cpuBefore;
        }
        began = performance.now();
      }
      if (phase === Phase.PHASE_COLLECTING && ended === 0) {
        ended = performance.now();
        spent = spentBy(running!);
        wholeCpuSeconds = wholeCpuBy(running!);
      }
    },
  );
  rmSync(folder, { recursive: true });
  for (const [name, { cpu, queued }] of Object.entries(spent)) {
    const { cpu: cpuBefore, queued: queuedBefore } = before[name]!;
    spent[name] = { cpu: cpu - cpuBefore, queued: queued - queuedBefore };
  }
  const wallMs = ended - began;
  return {
    ...{ results, wallMs, beganPs, messagesBefore, status: last!, idleMb, spent },
    ...{ cpuSeconds: wholeCpuSeconds - cpuBefore, wholeCpuSeconds, startMs, startCpuSeconds },
  };
}

/** Milliseconds until so many processes are done, each with a run of so much virtual time. */
export async function aloneMs(copies: number, virtualUs: number): Promise<number> {
  const children = Array.from({ length: copies }, () => fork(ALONE, [`${virtualUs}`]));
  const heard = (): Promise<unknown[]> =>
    Promise.all(children.map((child) => new Promise((hear) => child.once('message', hear))));
  await heard();
  const done = heard();
  for (const child of children) child.send('go');
  return Math.max(...((await done) as number[]));
}

/** Median resident memory of the services. */
function memoryOf(fleet: Fleet): number {
  const sizes = Object.entries(fleet.pids())
    .filter(([name]) => name.startsWith('service'))
    .map(([, pid]) => /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid!}/status`, 'utf8'))?.[1]);
  return median(sizes.map((kb) => Number(kb) / 1024));
}

const NS_PER_S = 1e9;
/** In /proc/PID/stat after the name of the program. */
const USER_TICKS = 11;
const TICKS_PER_S = 100;

/** What every process has had of the processors so far, and lacked: see `spentOf`. */
function spentBy(fleet: Fleet): Record<string, Spent> {
  return Object.fromEntries(
    Object.entries(fleet.pids()).map(([name, pid]) => [name, spentOf(pid!, name === 'broker')]),
  );
}

function wholeCpuBy(fleet: Fleet): number {
  let sum = 0;
  for (const pid of Object.values(fleet.pids())) sum += wholeCpuOf(pid!);
  return sum;
}

/** CPU seconds of all threads of a process so far, of those that have ended, too. */
export function wholeCpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  const [user, system] = fields.slice(USER_TICKS, USER_TICKS + 2).map(Number);
  return (user! + system!) / TICKS_PER_S;
}

/** Of the main thread, whose helpers are beside the point; of all threads where none is main. */
function spentOf(pid: number, ofAll: boolean): Spent {
  const folder = `/proc/${pid}/task`;
  const threads = ofAll ? readdirSync(folder) : [`${pid}`];
  const rows = threads.map((thread) =>
    readFileSync(join(folder, thread, 'schedstat'), 'utf8')
      .split(' ')
      .map(Number),
  );
  const sum = (column: number): number =>
    rows.reduce((total, row) => total + row[column]!, 0) / NS_PER_S;
  return { cpu: sum(0), queued: sum(1) };
}

/** Microseconds of a round trip of so many octets between two processes over a broker. */
export async function roundTripUs(octets = 100, roundTrips = ROUND_TRIPS): Promise<number> {
  const port = await freePort();
  const server = spawn('nats-server', ['-a', '127.0.0.1', '-p', `${port}`], { stdio: 'ignore' });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const echo = fork(ECHO, [`${port}`]);
  const ready = new Promise((resolve) => echo.once('message', resolve));
  const client = await connect({ port });
  await ready;
  const payload = new Uint8Array(octets);
  let left = roundTrips;
  const start = performance.now();
  await new Promise<void>((resolve) => {
    client.subscribe('back', {
      callback: () => {
        if (--left === 0) resolve();
        else client.publish('there', payload);
      },
    });
    client.publish('there', payload);
  });
  const us = ((performance.now() - start) * 1000) / roundTrips;
  await client.close();
  echo.kill();
  server.kill();
  return us;
}
