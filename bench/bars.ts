import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bareStarUs } from './bare-star.js';
import { leafSpine, permutation } from './fabrics.js';
import { inProcesses } from './in-processes.js';
import { macUs } from './mac-cost.js';
import { inProcess } from './measure.js';
import type { Row } from './rows.js';
import { row } from './rows.js';

// What services and threads may cost, each as a ratio to what is measured beside it. CPU time is of
// all threads of all processes, broker and coordinator included.

const WHOLE_RUN = fileURLToPath(new URL('whole-run.js', import.meta.url));

/** Eight hosts send to a ninth: ten devices. */
function incast(more: string): string {
  return `selvage: 1
name: bench
fabric: { generator: star, hosts: 9, hostLink: { rate: 100G, length: 100m, interfaceDelay: 300ns } }
switches: { pipeline: 500ns, buffer: { size: 2MB } }
priorities: { 3: { flowControl: pfc, responseDelay: 200ns, alpha: 0.5 } }
load:
  - name: burst
    incast: { from: h2..h9, to: h1 }
    priority: 3
    transport: reliable
${more}`;
}

function star(devices: number): string {
  return `selvage: 1
name: bench
fabric: { generator: star, hosts: ${devices - 1} }
duration: 1s
load:
  - permutation: { hosts: all, shift: 1 }
    rate: 12144bps
`;
}

/** A run in one process, in so many threads. */
function whole(text: string, threads: number): Record<string, number> {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-bench-'));
  const file = join(folder, 'scenario.yaml');
  writeFileSync(file, text);
  try {
    return inProcess(WHOLE_RUN, [file, `${threads}`]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const HOT_MS = 40;

async function hot(): Promise<Row[]> {
  const processes = 10;
  const before = await bareStarUs(processes);
  const text = incast(`    bytes: 1GB\nduration: ${HOT_MS}ms\n`);
  const run = await inProcesses(text, processes, [], (HOT_MS / 2) * 1e9);
  const bare = (before + (await bareStarUs(processes))) / 2;
  const us = (run.cpuSeconds * 1e6) / (run.status.messages - run.messagesBefore);
  return [
    row('CPU of a message, ten bare processes', bare, 'us'),
    row('CPU of a message, incast in ten, hot', us, 'us'),
    row('the second / the first', us / bare, 'x', 2.2),
    row('MAC of a message of 16 frames / the second', macUs() / us, 'x', 0.03),
  ];
}

/**
 * CPU of the build before services had engine flags and rounds by what they have to do (ef0ed876),
 * in thousands of messages of bare processes, which were measured beside it.
 */
const BEFORE = { incast: 893, sparse: 793 };

async function inMessages(text: string, services: number): Promise<number> {
  const before = await bareStarUs(services);
  const { wholeCpuSeconds } = await inProcesses(text, services, []);
  const bareUs = (before + (await bareStarUs(services))) / 2;
  return (wholeCpuSeconds * 1e3) / bareUs;
}

async function incastInTen(): Promise<Row[]> {
  const thousands = await inMessages(incast('    bytes: 32MB\n'), 10);
  return [
    row('CPU of an incast in ten, bare messages', thousands, 'k'),
    row(`the same / ${BEFORE.incast} k before`, thousands / BEFORE.incast, 'x', 0.6),
  ];
}

async function sparse(): Promise<Row[]> {
  const thousands = await inMessages(leafSpine('250M', '40ms'), 8);
  return [
    row('CPU of sparse load in 8, bare messages', thousands, 'k'),
    row(`the same / ${BEFORE.sparse} k before`, thousands / BEFORE.sparse, 'x', 0.34),
  ];
}

/** CPU of a run of the second length without that of a run of the first, which has the start. */
async function marginal(
  k: number,
  lengthsUs: readonly [number, number],
  cpuOf: (text: string) => number | Promise<number>,
): Promise<number> {
  const [short, long] = lengthsUs.map((us) => permutation(k, us));
  const before = await cpuOf(short!);
  return (await cpuOf(long!)) - before;
}

const inThreads =
  (threads: number) =>
  (text: string): number =>
    whole(text, threads)['cpuSeconds']!;

async function twoServices(k: number, lengthsUs: readonly [number, number]): Promise<Row[]> {
  const brokers: number[] = [];
  const cpuOf = async (text: string): Promise<number> => {
    const { wholeCpuSeconds, spent } = await inProcesses(text, 2, ['--services', '2']);
    brokers.push(spent['broker']!.cpu);
    return wholeCpuSeconds;
  };
  const one = await marginal(k, lengthsUs, inThreads(1));
  const two = await marginal(k, lengthsUs, cpuOf);
  const broker = brokers[1]! - brokers[0]!;
  const [short, long] = lengthsUs.map((us) => us / 1000);
  return [
    row(`k=${k}, ${long} less ${short} ms: CPU of one process`, one, 's'),
    row('two services / one process', two / one, 'x', 1.5),
    row('of that their broker', broker / one, 'x'),
  ];
}

async function threaded(): Promise<Row[]> {
  const words = ['--services', '1', '--threads', '2'];
  const inService = async (text: string): Promise<number> =>
    (await inProcesses(text, 1, words)).wholeCpuSeconds;
  const lengthsUs = [2000, 6000] as const;
  const threads = await marginal(8, lengthsUs, inThreads(2));
  const service = await marginal(8, lengthsUs, inService);
  const again = await marginal(8, lengthsUs, inThreads(2));
  const ratio = service / ((threads + again) / 2);
  return [
    row('k=8, 6 less 2 ms: CPU in two threads', (threads + again) / 2, 's'),
    row('a service of two threads / the same', ratio, 'x', 1.05),
  ];
}

async function start(): Promise<Row[]> {
  const { startMs, startCpuSeconds, idleMb } = await inProcesses(star(64), 64, []);
  return [
    row('start of 64 services', startMs / 1000, 's', 15),
    row('its CPU, on two cores', startCpuSeconds / 2, 's'),
    row('memory of each, median', idleMb, 'MB'),
  ];
}

/** Of idle services: from the first process to the last exit. */
async function many(): Promise<Row[]> {
  const began = performance.now();
  const { startMs, wallMs, idleMb, wholeCpuSeconds } = await inProcesses(star(200), 200, []);
  const endMs = performance.now() - began - startMs - wallMs;
  return [
    row('start of 200 services', startMs / 1000, 's'),
    row('an idle second of them', wallMs / 1000, 's'),
    row('their end', endMs / 1000, 's'),
    row('CPU of all that, but the end', wholeCpuSeconds, 's'),
    row('memory of each, median', idleMb, 'MB'),
  ];
}

function large(): Promise<Row[]> {
  const one = whole(permutation(32, 1), 1);
  const two = whole(permutation(32, 1), 2);
  return Promise.resolve([
    row('k=32 for 1 us, one thread', one['wallSeconds']!, 's'),
    row('in two threads', two['wallSeconds']!, 's', 3),
    row('its memory', two['peakMb']! / 1024, 'GB', 1),
  ]);
}

export const BARS: Readonly<Record<string, () => Promise<Row[]>>> = {
  hot,
  incast: incastInTen,
  sparse,
  k8: () => twoServices(8, [2000, 6000]),
  k16: () => twoServices(16, [200, 600]),
  threaded,
  start,
  many,
  k32: large,
};
