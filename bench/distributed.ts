import { isInstalled } from '../services/cli/fleet/own-broker.js';
import { ReceivingEnd, SendingEnd } from '../services/runtime/partition/channel.js';
import { MacKey } from '../services/runtime/keys/mac.js';
import {
  decodeMessage,
  encodeMessage,
  isAuthentic,
} from '../services/runtime/partition/messages.js';
import { prepareEngine } from '../services/runtime/engine-flags.js';
import { BARS } from './bars.js';
import { fabricOf, leafSpine, permutation } from './fabrics.js';
import { aloneMs, inProcesses, roundTripUs } from './in-processes.js';
import type { Row } from './rows.js';
import { row } from './rows.js';

// What it costs to run in several processes or threads, as ratios to what is measured beside it.
//   npm run bench:distributed -- [CASE...]     bars: those that have a ratio as their target

const LAYER_MESSAGES = 20_000;
const PS_PER_US = 1e6;
/** Virtual time of the runs that two processors share. */
const CORES_US = 10_000;

const pair = `selvage: 1
name: bench
fabric: { generator: pair, link: { rate: 100G, delay: 1us } }
duration: 40ms
load:
  - stream: { from: h1, to: h2 }
    rate: line
  - stream: { from: h2, to: h1 }
    rate: line
`;

const idle = `selvage: 1
name: bench
fabric: { generator: star, hosts: 31 }
duration: 30s
load:
  - permutation: { hosts: all, shift: 1 }
    rate: 12144bps
`;

async function exchanges(): Promise<Row[]> {
  const before = await roundTripUs();
  const { status, wallMs, results } = await inProcesses(pair, 2, []);
  const roundTrip = (before + (await roundTripUs())) / 2;
  const exchanges = status.messages / 2;
  const windows = results.virtualPs / fabricOf(pair).lookaheadPs;
  return [
    row('round trip over the broker', roundTrip, 'us'),
    row('exchange / round trip', (wallMs * 1000) / exchanges / roundTrip, 'x', 1.5),
    row('windows per exchange (2 wanted)', windows / exchanges, ''),
  ];
}

async function rounds(): Promise<Row[]> {
  const loads: [string, string, string][] = [
    ['busy', '100G', '2ms'],
    ['moderate', '12G', '2ms'],
    ['sparse', '250M', '4ms'],
    ['idle', '12144bps', '30s'],
  ];
  const rows: Row[] = [];
  for (const [name, rate, duration] of loads) {
    const text = leafSpine(rate, duration);
    const adaptive = await inProcesses(text, 8, []);
    const us = adaptive.results.virtualPs / PS_PER_US;
    const limit = name === 'idle' ? 0.01 : 9;
    rows.push(row(`messages per us, ${name}`, adaptive.status.messages / us, '', limit));
    const barrier = await inProcesses(text, 8, ['--round-length', '1']);
    // With bounds alone, idle time is crossed by a microsecond per exchange.
    const promises =
      name === 'idle' ? null : await inProcesses(text, 8, ['--round-length', '100000']);
    const better = Math.min(barrier.wallMs, promises?.wallMs ?? Infinity);
    rows.push(row(`wall ms, ${name}: adaptive`, adaptive.wallMs, 'ms'));
    rows.push(row(`wall ms, ${name}: barrier`, barrier.wallMs, 'ms'));
    if (promises !== null) rows.push(row(`wall ms, ${name}: promises`, promises.wallMs, 'ms'));
    rows.push(row(`adaptive / better, ${name}`, adaptive.wallMs / better, 'x', 1.2));
  }
  return rows;
}

async function idleFabric(): Promise<Row[]> {
  const { status, wallMs } = await inProcesses(idle, 32, []);
  return [
    row('30 idle seconds, 32 services', wallMs / 1000, 's', 5),
    row('messages per service and second', status.messages / 32 / 30, '', 50),
    row('rounds per second', status.rounds / 30, ''),
  ];
}

async function twoCores(): Promise<Row[]> {
  const text = permutation(8, CORES_US);
  const one = await aloneMs(1, CORES_US);
  const two = await aloneMs(2, CORES_US);
  prepareEngine();
  const { inThreads } = await import('./in-threads.js');
  const { windowsMs, aroundMs } = await inThreads(text, 2);
  const { wallMs, spent, status } = await inProcesses(text, 2, ['--services', '2']);
  const cpu = (name: string): number => (1000 * spent[name]!.cpu) / one;
  return [
    row('two processes at once, a run each / one', two / one, 'x'),
    row('k=8, 2 threads / one', windowsMs / one, 'x', 0.65),
    row('beside that, their start and end', aroundMs, 'ms'),
    row('k=8, 2 services / one process', wallMs / one, 'x', 0.8),
    row('processor time of its services / one', cpu('service 0') + cpu('service 1'), 'x'),
    row('processor time of its broker / one', cpu('broker'), 'x'),
    row('messages per virtual us', status.messages / CORES_US, ''),
  ];
}

async function everyDevice(): Promise<Row[]> {
  const { wallMs, idleMb, status, results } = await inProcesses(permutation(4, 1000), 36, []);
  return [
    row('k=4, 36 services, 1 ms', wallMs / 1000, 's', 60),
    row('memory of an idle service', idleMb, 'MB', 90),
    row('messages per frame-hop', status.messages / results.frameHops, ''),
  ];
}

/** What numbering, keeping, checking and acknowledging add to a message of 16 frames. */
async function layer(): Promise<Row[]> {
  const frames = new Uint8Array(16 * 64);
  const key = new MacKey(Uint8Array.of(1, 2, 3, 4));
  const sending = new SendingEnd();
  const receiving = new ReceivingEnd();
  let taken = 0;
  const pass = (messages: number): void => {
    for (let i = 0; i < messages; i++) {
      sending.sequence++;
      const acknowledged = receiving.sequence;
      const octets = encodeMessage({ sequence: sending.sequence, acknowledged, frames }, key);
      sending.keep(octets);
      const message = decodeMessage(octets)!;
      if (!isAuthentic(octets, key)) throw new Error('a message is not authentic');
      if (receiving.take(message.sequence) === 'next') taken += message.frames.length;
      sending.acknowledge(receiving.sequence);
    }
  };
  pass(LAYER_MESSAGES);
  const start = performance.now();
  pass(LAYER_MESSAGES);
  const us = ((performance.now() - start) * 1000) / LAYER_MESSAGES;
  if (taken !== 2 * LAYER_MESSAGES * frames.length) throw new Error('messages were lost');
  const half = (await roundTripUs()) / 2;
  return [row('sequence layer / message over the broker', us / half, 'x', 0.1)];
}

const CASES: Readonly<Record<string, () => Promise<Row[]>>> = {
  ...{ exchanges, layer, rounds, idle: idleFabric, cores: twoCores, devices: everyDevice },
  ...BARS,
};
/** A word for several cases: all that has a target for what messages, starts and threads cost. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  bars: Object.keys(BARS),
};

async function main(cases: readonly string[]): Promise<void> {
  process.stdout.write(`${'case'.padEnd(46)}${'measured'.padStart(14)}${'target'.padStart(10)}\n`);
  for (const [name, measure] of Object.entries(CASES)) {
    if (cases.length > 0 && !cases.includes(name)) continue;
    for (const { what, value, unit, target } of await measure()) {
      const goal = target === null ? '' : `<= ${target}`;
      const verdict = target === null ? '' : value <= target ? 'met' : 'MISSED';
      const measured = `${value.toFixed(2)} ${unit}`;
      process.stdout.write(
        `${what.padEnd(46)}${measured.padStart(14)}${goal.padStart(10)}  ${verdict}\n`,
      );
    }
  }
}

/** Why nothing can be measured; null if it can. */
function complaint(words: readonly string[]): string | null {
  const unknown = words.find((word) => !(word in CASES) && !(word in GROUPS));
  if (unknown !== undefined) {
    const known = [...Object.keys(CASES), ...Object.keys(GROUPS)].join(', ');
    return `${unknown}: no such case; there are ${known}`;
  }
  return isInstalled()
    ? null
    : 'nats-server is not on the PATH (Debian: apt-get install nats-server)';
}

const words = process.argv.slice(2);
const why = complaint(words);
if (why === null) await main(words.flatMap((word) => GROUPS[word] ?? word));
else {
  process.stderr.write(`bench: ${why}\n`);
  process.exitCode = 2;
}
