// What a scheduled job runs, so that the project goes on finding: worlds and mutants of the day. The
// seed is the date, and what is found is printed with the commands that repeat it.
//
//     npm run nightly                                   # today's, by UTC
//     npm run nightly -- --date 2026-03-01 --worlds 500 --mutants 20
//
// Exits with 1 if a world failed; a mutant that survives asks for a check, and fails nothing.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const EXIT_USAGE = 2;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values: options } = parseArgs({
  options: {
    date: { type: 'string', default: new Date().toISOString().slice(0, 10) },
    worlds: { type: 'string', default: '2000' },
    mutants: { type: 'string', default: '50' },
    threads: { type: 'string', default: '2' },
  },
});
const { date, worlds, mutants, threads } = options;
if (!/^\d{4}-\d\d-\d\d$/.test(date)) {
  console.error(`error: --date ${date}: a day, such as 2026-03-01`);
  process.exit(EXIT_USAGE);
}
const seed = date.replaceAll('-', '');

process.chdir(root);
const worldsFailed = hunt();
const survivors = tryMutants();
console.log(`\n${date}, seed ${seed}: ${worldsFailed ? 'worlds failed' : 'no world failed'}`);
console.log(`${survivors.length} of ${mutants} mutants survive`);
process.exitCode = worldsFailed ? 1 : 0;

function hunt() {
  const words = ['hunt', '--worlds', worlds, '--seed', seed, '--threads', threads];
  const { status } = run(['dist/programs/selvage.js', ...words]);
  if (status === 0) return false;
  console.log(`To repeat: npm start -- ${words.join(' ')}`);
  console.log('Each failing world is in `hunted`, made small: npm start -- run FILE --check');
  return true;
}

function tryMutants() {
  const file = join(mkdtempSync(join(tmpdir(), 'selvage-nightly-')), 'mutants.json');
  const words = ['--seed', seed, '--count', mutants];
  const { status } = run(['dist/test/mutants/main.js', ...words, '--json', file]);
  if (status !== 0) throw new Error(`npm run mutants -- ${words.join(' ')} ended with ${status}`);
  const surviving = JSON.parse(readFileSync(file, 'utf8')).filter(({ tier }) => tier === null);
  for (const { id, at, change } of surviving) {
    console.log(`${at}: ${change}\n  To repeat: npm run mutants -- --only '${id}'`);
  }
  return surviving;
}

function run(words) {
  return spawnSync(process.execPath, words, { stdio: ['ignore', 'inherit', 'inherit'] });
}
