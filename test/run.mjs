// Builds, and runs all tests, or those whose path contains one of the words given, or with `--fast`
// those of the fast tier (tiers.mjs). The last line is `N passed, N failed`, with `, N skipped` if any
// were. `--junit FILE` writes the results as JUnit XML, too; `--times` measures anew what each file
// takes (times.json). System packages that tests need are installed only with consent: `--install`, or
// CI=true.

import { spawnSync } from 'node:child_process';
import {
  createWriteStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { junit } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { inspect, parseArgs } from 'node:util';
import { getNeeds } from './needs.mjs';
import { FAST, TOGETHER, WAITING } from './tiers.mjs';

/** Processes at a time, on two cores: of tests that compute, and of those that mostly wait. */
const COMPUTING_AT_ONCE = 2;
const WAITING_AT_ONCE = 2;
/** Of the files of one process, where they share one: its start and the engine's import cost little. */
const SECONDS_TOGETHER = 30;
/** Of a file that was never measured, or takes less than a second. */
const FEW_SECONDS = 0.5;
/** Of each process and those that it starts: others have the cores that its helpers would use. */
const V8_HELPERS = '--v8-pool-size=1';
/** For a process: a test that hangs fails. */
const TIMEOUT_MS = process.env.SELVAGE_CHAOS === 'long' ? 10_800_000 : 1_200_000;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** What is run: a file for each process, which imports those with its tests. */
const ENTRIES = join(root, 'dist', 'test', 'together');
const underCi = process.env.CI === 'true';
const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    fast: { type: 'boolean', default: false },
    install: { type: 'boolean', default: false },
    junit: { type: 'string' },
    times: { type: 'boolean', default: false },
  },
});
const mayInstall = underCi || options.install;
const junitFile = options.junit === undefined ? null : resolve(options.junit);
/** Seconds by test file, of those that take one or more: the longest are started first. */
const TIMES = join(root, 'test', 'times.json');
const times = JSON.parse(readFileSync(TIMES, 'utf8'));
const totals = { passed: 0, failed: 0, skipped: 0 };

process.chdir(root);
process.env.NODE_OPTIONS = [process.env.NODE_OPTIONS ?? '', V8_HELPERS].join(' ').trim();
const built = spawnSync('npm', ['run', '--silent', 'build'], {
  stdio: ['ignore', 'inherit', 'inherit'],
});
if (built.status === 0) {
  // Nothing of the fast tier needs more than Node.
  if (!options.fast) getNeeds(mayInstall, process.env.SELVAGE_CHAOS === 'long');
  const files = testFiles(words, options.fast);
  if (files.length === 0) fail('No test has such a path.');
  await runAll(files);
} else {
  fail('The build failed.');
}
const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exitCode = totals.failed === 0 ? 0 : 1;

function fail(message) {
  console.log(message);
  totals.failed++;
}

/** Compiled tests, by their sources: what is left in dist of a deleted one does not run. */
function testFiles(words, isFast) {
  return readdirSync('test', { recursive: true })
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => words.length === 0 || words.some((word) => path.includes(word)))
    .filter((path) => !isFast || FAST.some((start) => path.startsWith(start)))
    .map((path) => join(root, 'dist', 'test', path.replace(/\.ts$/, '.js')));
}

function secondsOf(file) {
  return times[nameOf(file)] ?? FEW_SECONDS;
}

function nameOf(file) {
  return pathOf(file).replace(/\.test\.js$/, '');
}

/** Those that wait run beside those that compute; the longest of each start first. */
async function runAll(files) {
  rmSync(ENTRIES, { recursive: true, force: true });
  mkdirSync(ENTRIES);
  const doesWait = (file) => startsWithOne(WAITING, file);
  const pools = await Promise.all([
    runFiles(inProcesses(files.filter(doesWait)), WAITING_AT_ONCE),
    runFiles(inProcesses(files.filter((file) => !doesWait(file))), COMPUTING_AT_ONCE),
  ]);
  if (options.times) writeTimes();
  if (junitFile === null) return;
  await pipeline(Readable.from(pools.flat()), junit, createWriteStream(junitFile));
}

/**
 * What each process runs: a file, or several that share one, those that take longest first. The
 * compiler of V8 is set before, as in a run of a user.
 */
function inProcesses(files) {
  const longestFirst = [...files].sort((a, b) => secondsOf(b) - secondsOf(a));
  const isShared = (file) => startsWithOne(TOGETHER, file);
  const alone = longestFirst.filter((file) => !isShared(file));
  const lists = [...alone.map((file) => [file]), ...shared(longestFirst.filter(isShared))];
  return lists
    .sort((a, b) => secondsOfAll(b) - secondsOfAll(a))
    .map((list) => {
      const path = join(ENTRIES, `${pathOf(list[0]).replaceAll('/', '-')}`);
      const imports = [join(root, 'dist/test/kit/prepared.js'), ...list];
      writeFileSync(path, imports.map((file) => `import ${JSON.stringify(file)};\n`).join(''));
      return path;
    });
}

/** Each file goes to the list that takes least so far. */
function shared(longestFirst) {
  const count = Math.ceil(secondsOfAll(longestFirst) / SECONDS_TOGETHER);
  const lists = Array.from({ length: count }, () => ({ files: [], seconds: 0 }));
  for (const file of longestFirst) {
    const least = lists.reduce((a, b) => (b.seconds < a.seconds ? b : a));
    least.files.push(file);
    least.seconds += secondsOf(file);
  }
  return lists.map((list) => list.files);
}

function secondsOfAll(files) {
  return files.reduce((sum, file) => sum + secondsOf(file), 0);
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

function startsWithOne(starts, file) {
  return starts.some((start) => pathOf(file).startsWith(start));
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
