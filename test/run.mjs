// Builds, and runs all tests, or those whose path contains one of the words given, or with `--fast`
// those of the fast tier (tiers.mjs). The last line is `N passed, N failed`, with `, N skipped` if any
// were. `--junit FILE` writes the results as JUnit XML, too. System packages that tests need are
// installed only with consent: `--install`, or CI=true.

import { spawnSync } from 'node:child_process';
import { createWriteStream, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { junit } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { inspect, parseArgs } from 'node:util';
import { getNeeds } from './needs.mjs';
import { FAST, LONGEST, TOGETHER, WAITING } from './tiers.mjs';

/** Processes at a time, on two cores: of tests that compute, and of those that mostly wait. */
const COMPUTING_AT_ONCE = 2;
const WAITING_AT_ONCE = 2;
/** Files of one process, where they share one: enough that its start costs little. */
const FILES_TOGETHER = 6;
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
  },
});
const mayInstall = underCi || options.install;
const junitFile = options.junit === undefined ? null : resolve(options.junit);
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
    .sort((a, b) => rankOf(a) - rankOf(b) || a.localeCompare(b))
    .map((path) => join(root, 'dist', 'test', path.replace(/\.ts$/, '.js')));
}

function rankOf(path) {
  const rank = LONGEST.findIndex((start) => path.startsWith(start));
  return rank === -1 ? LONGEST.length : rank;
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
  if (junitFile === null) return;
  await pipeline(Readable.from(pools.flat()), junit, createWriteStream(junitFile));
}

/**
 * What each process runs: a file, or several that share one. Its start and the import of the engine
 * cost more than the tests of most files; neighbours are dealt to different lists. The compiler of
 * V8 is set first, as in a run of a user.
 */
function inProcesses(files) {
  const isLong = (file) => rankOf(pathOf(file)) < LONGEST.length;
  const isShared = (file) => !isLong(file) && startsWithOne(TOGETHER, file);
  const shared = files.filter(isShared);
  const lists = Array.from({ length: Math.ceil(shared.length / FILES_TOGETHER) }, () => []);
  shared.forEach((file, i) => lists[i % lists.length].push(file));
  const alone = files.filter((file) => !isShared(file)).map((file) => [file]);
  const all = [
    ...alone.filter(([file]) => isLong(file)),
    ...lists,
    ...alone.filter(([file]) => !isLong(file)),
  ];
  return all.map((list) => {
    const path = join(ENTRIES, `${pathOf(list[0]).replaceAll('/', '-')}`);
    const imports = [join(root, 'dist/test/kit/prepared.js'), ...list];
    writeFileSync(path, imports.map((file) => `import ${JSON.stringify(file)};\n`).join(''));
    return path;
  });
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
