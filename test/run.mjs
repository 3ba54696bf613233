// Builds, and runs all tests, or those whose path contains one of the words given, or with `--fast`
// those of the fast tier (tiers.mjs). The last line is `N passed, N failed`, with `, N skipped` if any
// were. `--junit FILE` writes the results as JUnit XML, too; `--times` measures anew what each file
// takes (times.json). What tests need beside Node is fetched only with consent: `--install`, or CI=true.
// With a debugger (`node --inspect-brk test/run.mjs WORDS`), tests run in this process.

import { spawnSync } from 'node:child_process';
import {
  createWriteStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { url as debuggerUrl } from 'node:inspector';
import { dirname, join, relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { junit } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { inspect, parseArgs } from 'node:util';
import { getNeeds } from './needs.mjs';
import { planProcesses } from './plan.mjs';
import { isFast } from './tiers.mjs';

/** Processes at a time, on two cores: of tests that compute, and of those that mostly wait. */
const COMPUTING_AT_ONCE = 2;
const WAITING_AT_ONCE = 2;
/** Of each process and those that it starts: others have the cores that its helpers would use. */
const V8_HELPERS = '--v8-pool-size=1';
/** For a process: a test that hangs fails. */
const TIMEOUT_MS = process.env.SELVAGE_CHAOS === 'long' ? 10_800_000 : 2_400_000;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** What is run: a file for each process, which imports those with its tests. */
const ENTRIES = join(root, 'dist', 'test', 'together');
const PREPARED = join(root, 'dist', 'test', 'kit', 'prepared.js');
const underCi = process.env.CI === 'true';
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    fast: { type: 'boolean', default: false },
    install: { type: 'boolean', default: false },
    junit: { type: 'string' },
    times: { type: 'boolean', default: false },
  },
});
/** A path may begin at the root, as an editor gives it. */
const words = positionals.map((word) => word.replace(/^test\//, ''));
const mayInstall = underCi || options.install;
const junitFile = options.junit === undefined ? null : resolve(options.junit);
/** Seconds by test file, of those that take one or more: the longest are started first. */
const TIMES = join(root, 'test', 'times.json');
const times = JSON.parse(readFileSync(TIMES, 'utf8'));
/** By `node --inspect`, or an editor. */
const isDebugged = debuggerUrl() !== undefined;
const totals = { passed: 0, failed: 0, skipped: 0 };

process.chdir(root);
process.env.NODE_OPTIONS = [process.env.NODE_OPTIONS ?? '', V8_HELPERS].join(' ').trim();
const built = spawnSync('npm', ['run', '--silent', 'build'], {
  stdio: ['ignore', 'inherit', 'inherit'],
});
if (built.status === 0) {
  // Nothing of the fast tier needs more than Node.
  if (!options.fast) getNeeds(mayInstall, process.env.SELVAGE_CHAOS === 'long');
  const files = testFiles(words);
  if (files.length === 0) fail('No test has such a path.');
  await (isDebugged ? debug(files) : runAll(files));
} else {
  fail('The build failed.');
}
if (!isDebugged || totals.failed > 0) report();

function report() {
  const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
  console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`);
  process.exitCode = totals.failed === 0 ? 0 : 1;
}

function fail(message) {
  console.log(message);
  totals.failed++;
}

/** Compiled tests, by their sources: what is left in dist of a deleted one does not run. */
function testFiles(words) {
  return readdirSync('test', { recursive: true })
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => words.length === 0 || words.some((word) => path.includes(word)))
    .filter((path) => !options.fast || isFast(path))
    .map((path) => join(root, 'dist', 'test', path.replace(/\.ts$/, '.js')));
}

function nameOf(file) {
  return pathOf(file).replace(/\.test\.js$/, '');
}

/** Those that wait run beside those that compute; the longest of each start first. */
async function runAll(files) {
  rmSync(ENTRIES, { recursive: true, force: true });
  mkdirSync(ENTRIES);
  const { computing, waiting } = planProcesses(files.map(pathOf), times);
  const pools = await Promise.all([
    runFiles(waiting.map(entryOf), WAITING_AT_ONCE),
    runFiles(computing.map(entryOf), COMPUTING_AT_ONCE),
  ]);
  if (options.times) writeTimes();
  if (junitFile === null) return;
  await pipeline(Readable.from(pools.flat()), junit, createWriteStream(junitFile));
}

/** What a process runs. The compiler of V8 is set before, as in a run of a user. */
function entryOf(paths) {
  const entry = join(ENTRIES, `${paths[0].replaceAll('/', '-')}`);
  const imports = [PREPARED, ...paths.map((path) => join(root, 'dist', 'test', path))];
  writeFileSync(entry, imports.map((file) => `import ${JSON.stringify(file)};\n`).join(''));
  return entry;
}

/** In this process, so that the debugger that is attached to it stops in tests. */
async function debug(files) {
  await import(PREPARED);
  for (const file of files) await import(file);
}

/** Of the files that ran; the others keep theirs. */
function writeTimes() {
  const measured = Object.entries(times).filter(([, ms]) => ms >= 1);
  const sorted = measured.sort(([, a], [, b]) => b - a);
  writeFileSync(TIMES, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}

function pathOf(file) {
  return relative(join(root, 'dist', 'test'), file);
}

/** Returns the events. */
async function runFiles(files, concurrency) {
  let file = { path: undefined, passed: 0, durationMs: 0 };
  const closeFile = () => {
    if (file.path !== undefined) {
      console.log(`${sourceOf(file.path)}: ${file.passed} passed (${seconds(file.durationMs)})`);
      times[nameOf(file.path)] = Math.round(file.durationMs / 1000);
    }
  };
  const events = [];
  if (files.length === 0) return events;
  for await (const event of run({ files, concurrency, timeout: TIMEOUT_MS })) {
    if (junitFile !== null) events.push(event);
    const { type, data } = event;
    if (type === 'test:stderr' || type === 'test:stdout') process.stdout.write(data.message);
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.file !== file.path) {
      closeFile();
      file = { path: data.file, passed: 0, durationMs: 0 };
    }
    if (data.nesting === 0) file.durationMs += data.details.duration_ms;
    if (count(type, data)) file.passed++;
  }
  closeFile();
  return events;
}

/** Adds one event to the totals, and prints it unless it is a test that passed. */
function count(type, data) {
  const { error } = data.details;
  if (data.skip !== undefined) {
    // A machine that is there to test misses no program; what belongs to the long suite is no miss.
    const fails = underCi && !String(data.skip).endsWith('long suite');
    totals[fails ? 'failed' : 'skipped']++;
    console.log(`skipped: ${data.name}: ${data.skip}${fails ? ' (a failure under CI)' : ''}`);
  } else if (type === 'test:fail') {
    // A suite fails with its tests, which have been counted.
    if (error?.failureType === 'subtestsFailed') return false;
    fail(`FAILED ${sourceOf(data.file)}: ${data.name}\n${inspect(error?.cause ?? error)}\n`);
  } else if (data.name === data.file) {
    fail(`FAILED ${sourceOf(data.file)}: there is no test in it`);
  } else if (data.details.type !== 'suite') {
    totals.passed++;
    return true;
  }
  return false;
}

function sourceOf(path) {
  return relative(join(root, 'dist'), path ?? '').replace(/\.js$/, '.ts');
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}
