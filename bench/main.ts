import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { spawnSync } from 'node:child_process';
import { inProcess, median } from './measure.js';

// Measures speed and size as ratios to a bare data path run beside the engine, so that metrics from
// different machines can be compared. Every case runs in a process of its own, in rounds, so that
// the drift of a machine falls on all alike; medians count.

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CASE = join(ROOT, 'dist/bench/case.js');
const CLI = join(ROOT, 'dist/programs/selvage.js');
const BASELINE = join(ROOT, 'bench/baseline.json');

type Metrics = Record<string, number>;

interface BenchCase {
  readonly name: string;
  readonly words: readonly string[];
  /** The case that it is compared with, which is measured whenever it is. */
  readonly beside?: string;
}

/** Mechanisms that are configured and never triggered. */
const IDLE = ['sfc', 'ci', 'qcn', 'dcqcn'] as const;

/** What is looked at. */
const WATCHED = ['tracing', 'episodes', 'metrics', 'capture'] as const;

/** Virtual time of what is watched, and of the same unwatched. */
const WATCHED_US = '12000';

const CASES: readonly BenchCase[] = [
  { name: 'yardstick k=4', words: ['yardstick', '4', '4000'] },
  { name: 'yardstick k=8', words: ['yardstick', '8', '500'] },
  { name: 'yardstick k=16', words: ['yardstick', '16', '100'] },
  { name: 'engine k=4', words: ['engine', '4', '8000'], beside: 'yardstick k=4' },
  { name: 'engine k=8', words: ['engine', '8', '1500'], beside: 'yardstick k=8' },
  { name: 'engine k=16', words: ['engine', '16', '300'], beside: 'yardstick k=16' },
  { name: 'racks k=8', words: ['racks', '8', '1500'], beside: 'engine k=8' },
  { name: 'racks k=16', words: ['racks', '16', '300'], beside: 'engine k=16' },
  { name: '82599 k=4', words: ['adapters', '4', '8000'], beside: 'engine k=4' },
  { name: 'heard k=8', words: ['heard', '8', '1500'], beside: 'engine k=8' },
  { name: 'silenced k=8', words: ['silenced', '8', '1500'], beside: 'engine k=8' },
  { name: 'unasserted k=8', words: ['unasserted', '8', '1500'], beside: 'engine k=8' },
  // Long enough that it is frames that cost, and not that each piece of code is compiled once.
  { name: 'unwatched k=8', words: ['engine', '8', WATCHED_US] },
  ...WATCHED.map((name) => ({
    name: `${name} k=8`,
    words: [name, '8', WATCHED_US],
    beside: 'unwatched k=8',
  })),
  { name: 'credit k=8', words: ['credit', '8', '1500'], beside: 'engine k=8' },
  { name: 'linked k=8', words: ['linked', '8', '1500'], beside: 'engine k=8' },
  { name: 'idle none k=4', words: ['engine', '4', '3000'] },
  ...IDLE.map((mechanism) => ({
    name: `idle ${mechanism} k=4`,
    words: ['idle', '4', '3000', mechanism],
    beside: 'idle none k=4',
  })),
  { name: 'raw k=4', words: ['raw', '4', '50000'] },
  { name: 'raw k=8', words: ['raw', '8', '20000'] },
  { name: 'transfer k=8', words: ['transfer'] },
  { name: 'ring k=4', words: ['ring'] },
  { name: 'skipped k=4', words: ['skipped'], beside: 'ring k=4' },
  { name: 'never k=8', words: ['never', '8', '1500'], beside: 'engine k=8' },
  { name: 'large k=32', words: ['large', '32', '20'] },
];

interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** What it should be at least, or at most. */
  readonly target: number | null;
  readonly better: 'more' | 'less';
}

const ROUNDS = '3';
const USAGE = `npm run bench -- [--rounds N] [--baseline] [CASE...]

  --rounds N   measure every case so often (${ROUNDS}); medians count
  --baseline   write the results to bench/baseline.json, too
  CASE         only cases with this in their names, and what they are compared with:
${CASES.map(({ name }) => `                 ${name}`).join('\n')}
`;

interface Request {
  readonly rounds: number;
  readonly baseline: boolean;
  readonly help: boolean;
  readonly cases: readonly BenchCase[];
}

function requestOf(words: readonly string[]): Request {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: ROUNDS },
      baseline: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) {
    throw new Error(`${values.rounds} is no number of rounds`);
  }
  return { ...values, rounds, cases: positionals.length === 0 ? CASES : chosen(positionals) };
}

function main({ rounds, baseline, cases }: Request): void {
  const runs = measure(cases, rounds);
  const metrics = new Map([...runs].map(([name, own]) => [name, medians(own)]));
  const rows = [...rates(metrics), ...watching(runs), ...jobs(metrics), ...startUp(rounds)];
  print(rows);
  const result = Object.fromEntries(rows.map(({ what, value }) => [what, value]));
  writeFileSync(join(ROOT, 'bench/results.json'), `${JSON.stringify(result, null, 2)}\n`);
  if (baseline) writeFileSync(BASELINE, `${JSON.stringify(result, null, 2)}\n`);
}

/** Cases with these words in their names, and what they are compared with. */
function chosen(wanted: readonly string[]): BenchCase[] {
  const names = new Set<string>();
  for (const word of wanted) {
    const found = CASES.filter(({ name }) => name.includes(word));
    if (found.length === 0) throw new Error(`no case has ${word} in its name`);
    for (const { name, beside } of found) {
      names.add(name);
      if (beside !== undefined) names.add(beside);
    }
  }
  return CASES.filter(({ name }) => names.has(name));
}

function measure(cases: readonly BenchCase[], rounds: number): Map<string, Metrics[]> {
  const all = new Map<string, Metrics[]>(cases.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, words } of cases) {
      process.stderr.write(`\rround ${round + 1} of ${rounds}: ${name}\x1b[K`);
      all.get(name)!.push(inProcess(CASE, words));
    }
  }
  process.stderr.write('\r\x1b[K');
  return all;
}

function medians(runs: readonly Metrics[]): Metrics {
  const keys = Object.keys(runs[0] ?? {});
  const perSecond = runs.map((run) => (run['hops'] ?? 0) / (run['seconds'] ?? 1) / 1e6);
  return {
    ...Object.fromEntries(keys.map((key) => [key, median(runs.map((run) => run[key]!))])),
    mhops: median(perSecond),
  };
}

/** Million frame-hops per second of processor time, and as a share of the yardstick. */
function rates(metrics: ReadonlyMap<string, Metrics>): Row[] {
  const rate = (name: string): number | undefined => metrics.get(name)?.['mhops'];
  const row = (what: string, value: number, unit: string, target: number | null = null): Row => ({
    what,
    value,
    unit,
    target,
    better: 'more',
  });
  const rows: Row[] = [...metrics.keys()]
    .filter((name) => /yardstick|engine|raw/.test(name))
    .map((name) => row(name, rate(name)!, 'M hops/s'));
  for (const [k, target] of [
    [4, 0.4],
    [8, 0.5],
    [16, null],
  ] as const) {
    const [engine, yardstick] = [rate(`engine k=${k}`), rate(`yardstick k=${k}`)];
    if (engine === undefined || yardstick === undefined) continue;
    rows.push(row(`engine / yardstick k=${k}`, engine / yardstick, 'x', target));
  }
  const [small, large] = [rate('engine k=4'), rate('engine k=16')];
  if (small !== undefined && large !== undefined) {
    rows.push({ ...row('cost of a hop k=16 / k=4', small / large, 'x', 1.7), better: 'less' });
  }
  const [heard, unheard] = [rate('heard k=8'), rate('engine k=8')];
  if (heard !== undefined && unheard !== undefined) {
    rows.push({ ...row('probes heard / unheard k=8', unheard / heard, 'x'), better: 'less' });
  }
  for (const [k, target] of [
    [8, 1.1],
    [16, 1.15],
  ] as const) {
    const [racks, equal] = [rate(`racks k=${k}`), rate(`engine k=${k}`)];
    if (racks === undefined || equal === undefined) continue;
    const cost = row(`a hop, host links 3 m / 1 us k=${k}`, equal / racks, 'x', target);
    rows.push({ ...cost, better: 'less' });
  }
  const [adapters, plain] = [rate('82599 k=4'), rate('engine k=4')];
  if (adapters !== undefined && plain !== undefined) {
    const cost = row('cost of a hop 82599 / plain k=4', plain / adapters, 'x', 1.6);
    rows.push({ ...cost, better: 'less' });
  }
  const none = rate('idle none k=4');
  for (const mechanism of IDLE) {
    const idle = rate(`idle ${mechanism} k=4`);
    if (none === undefined || idle === undefined) continue;
    const cost = row(`a hop, idle ${mechanism} / none k=4`, none / idle, 'x', 1.05);
    rows.push({ ...cost, better: 'less' });
  }
  const credit = rate('credit k=8');
  if (credit !== undefined && unheard !== undefined) {
    rows.push({ ...row('a hop, credit / PFC k=8', unheard / credit, 'x', 1.25), better: 'less' });
  }
  return rows;
}

/** What looking costs: the median of rounds, each against the same unwatched in its round. */
function watching(runs: ReadonlyMap<string, readonly Metrics[]>): Row[] {
  const cost = (
    what: string,
    name: string,
    without: string,
    target: number,
    per: 'hops' | 'frames' = 'hops',
  ): Row[] => {
    const [own, plain] = [runs.get(name), runs.get(without)];
    if (plain === undefined || own === undefined) return [];
    const eachTakes = (run: Metrics): number => run['seconds']! / run[per]!;
    const ratio = median(own.map((run, round) => eachTakes(run) / eachTakes(plain[round]!)));
    return [{ what, value: ratio, unit: 'x', target, better: 'less' }];
  };
  return [
    ...cost('probes nobody hears / none k=8', 'engine k=8', 'silenced k=8', 1.01),
    ...cost('assertions / none k=8', 'engine k=8', 'unasserted k=8', 1.03),
    // Per frame: acknowledgements and credits are what it costs, and not hops of their own.
    ...cost('a hop, LLR and CBFC / PFC k=8', 'linked k=8', 'engine k=8', 1.25, 'frames'),
    ...cost('tracing 1 in 1,000 k=8', 'tracing k=8', 'unwatched k=8', 1.05),
    ...cost('episodes k=8', 'episodes k=8', 'unwatched k=8', 1.1),
    ...cost('metrics every 100 us k=8', 'metrics k=8', 'unwatched k=8', 1.05),
    ...cost('capture of one port k=8', 'capture k=8', 'unwatched k=8', 1.1),
    ...cost('ring of 4 GB, skipping / not', 'skipped k=4', 'ring k=4', 0.06),
    ...cost('skipping what never recurs k=8', 'never k=8', 'engine k=8', 1.02),
  ];
}

function jobs(metrics: ReadonlyMap<string, Metrics>): Row[] {
  const rows: Row[] = [];
  const add = (what: string, value: number | undefined, unit: string, target: number): void => {
    if (value !== undefined) rows.push({ what, value, unit, target, better: 'less' });
  };
  const transfer = metrics.get('transfer k=8');
  add('128 x 10 MB to completion', transfer?.['seconds'], 'CPU s', 3.5);
  add('its memory', transfer?.['peakMb'], 'MB', 150);
  add('memory k=16', metrics.get('engine k=16')?.['peakMb'], 'MB', 400);
  add('assembly k=32', metrics.get('large k=32')?.['assemblySeconds'], 'CPU s', 20);
  add('memory k=32', metrics.get('large k=32')?.['peakMb'], 'MB', 3000);
  return rows;
}

/** Processor time of the program from start to end. */
function startUp(rounds: number): Row[] {
  const example = join(ROOT, 'examples/pair-line-rate.yaml');
  const out = join(ROOT, 'runs/bench-start-up');
  const time = (words: readonly string[]): number =>
    median(Array.from({ length: rounds }, () => childSeconds([CLI, ...words])));
  return [
    { what: 'selvage --help', value: time(['--help']), unit: 'CPU s', target: 0.3, better: 'less' },
    {
      what: 'selvage run, smallest example',
      value: time(['run', example, '--quiet', '--out', out]),
      unit: 'CPU s',
      target: 1,
      better: 'less',
    },
  ];
}

/** A child prints its own processor time when it exits. */
function childSeconds(words: readonly string[]): number {
  const hook =
    'data:text/javascript,process.on("exit",()=>{const{user,system}=process.cpuUsage();' +
    'process.stderr.write("\\ncpu "+(user+system)/1e6)})';
  const { stderr } = spawnSync(process.execPath, ['--import', hook, ...words], {
    encoding: 'utf8',
  });
  return Number(/cpu ([\d.]+)$/.exec(stderr)?.[1]);
}

function print(rows: readonly Row[]): void {
  const before = baselineMetrics();
  const lines = rows.map(({ what, value, unit, target, better }) => {
    const met = target === null || (better === 'more' ? value >= target : value <= target);
    const goal = target === null ? '' : `${better === 'more' ? '>=' : '<='} ${target}`;
    const old = before[what];
    const change =
      old === undefined || unit !== 'x' ? '' : `${((value / old - 1) * 100).toFixed(0)} %`;
    return [
      what.padEnd(32),
      `${value.toFixed(2)} ${unit}`.padStart(16),
      goal.padStart(10),
      (target === null ? '' : met ? 'met' : 'MISSED').padStart(8),
      change.padStart(8),
    ].join('');
  });
  const head = `${'case'.padEnd(32)}${'measured'.padStart(16)}${'target'.padStart(10)}`;
  process.stdout.write(`${head}${''.padStart(8)}${'change'.padStart(8)}\n${lines.join('\n')}\n`);
}

function baselineMetrics(): Metrics {
  try {
    return JSON.parse(readFileSync(BASELINE, 'utf8')) as Metrics;
  } catch {
    return {};
  }
}

let request: Request | null = null;
try {
  request = requestOf(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
  process.exitCode = 2;
}
if (request?.help === true) process.stdout.write(USAGE);
else if (request !== null) main(request);
