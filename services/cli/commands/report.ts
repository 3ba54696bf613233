import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { compare } from '../../report/comparison/comparison.js';
import type { Comparison } from '../../report/comparison/comparison-data.js';
import { comparisonText } from '../../report/comparison/comparison-text.js';
import { contendersOf } from '../../report/comparison/contenders.js';
import type { RunPage } from '../../report/page/page-data.js';
import { isPageBuilt, pageFile } from '../../report/page/page-file.js';
import { factsOf, pageOfRun } from '../../report/page/page-of-run.js';
import { readMeasured } from '../../report/read-run.js';
import { readRun, readRunFile, REPORT } from '../../report/run-directory.js';
import { RunDirectoryError } from '../../report/run-json.js';
import { InputError } from '../exit.js';
import { prepareEngine } from '../../runtime/engine-flags.js';
import type { RunResults } from '../../runtime/results/results.js';
import type { CongestionTree } from '../../telemetry/congestion/congestion-trees.js';
import { fabricOfRun, storedRun } from './resume.js';
import { openPage } from '../open-page.js';
import { styleFor } from '../style.js';
import { observeAgain } from './why.js';
import { writeOut } from '../write-out.js';

/** Frame-hops of a run that are all kept for its page; of a longer one, a share. */
const HOPS_FOLLOWED = 400_000;

export interface ReportOptions {
  readonly out?: string;
  readonly why?: boolean;
  readonly open?: boolean;
}

/** Writes a run's page again, from the tables that the run has left. */
export function reportCommand(folder: string, { out, why, open }: ReportOptions): void {
  if (why === true) prepareEngine();
  const path = out ?? join(folder, REPORT);
  // It is as the run has left it.
  if (open === true && out === undefined && why !== true && existsSync(path)) {
    openPage(path);
    return;
  }
  needPage();
  writeOut(pageFile({ runs: [readPage(folder, why === true).page] }), path);
  process.stdout.write(`${path}\n`);
  if (open === true) openPage(path);
}

export interface CompareOptions {
  readonly out: string;
  readonly why?: boolean;
  readonly open?: boolean;
  readonly json?: boolean;
}

/** Which run comes first and by what, as text or JSON, and a page of all of them. */
export function compareCommand(folders: readonly string[], options: CompareOptions): void {
  const { out, why = false, json = false } = options;
  if (folders.length < 2) throw new InputError('compare takes two run directories or more');
  if (!json) needPage();
  if (why) prepareEngine();
  const read = folders.map((folder) => readPage(folder, why));
  const names = namesOf(read, folders);
  const sides = read.map(({ results, trees }, i) => ({
    name: names[i]!,
    runs: [{ results, trees }],
  }));
  const comparison = compare(contendersOf(sides));
  if (json) {
    const runs = read.map(({ results }, i) => ({ run: folders[i]!, digest: results.digest }));
    process.stdout.write(`${JSON.stringify({ runs, ...comparison }, null, 2)}\n`);
    return;
  }
  const runs = read.map(({ page }, i) => ({ ...page, title: names[i]! }));
  writeOut(pageFile({ runs, comparison }), out);
  const hint = read.some(({ trees }) => trees === null)
    ? '  victims: --why finds them, where a run has not recorded its episodes\n'
    : '';
  process.stdout.write(`${comparisonText(comparison, styleFor(process.stdout))}\n${hint}${out}\n`);
  if (options.open === true) openPage(out);
}

/** One page of all sides of a duel. */
export function duelPage(folders: readonly string[], comparison: Comparison, out: string): void {
  if (!isPageBuilt()) return;
  const read = folders.map((folder) => readPage(folder, false));
  const names = namesOf(read, folders);
  const runs = read.map(({ page }, i) => ({ ...page, title: names[i]! }));
  writeOut(pageFile({ runs, comparison }), out);
}

function needPage(): void {
  if (!isPageBuilt()) throw new InputError('the page has not been built: npm run build makes it');
}

interface ReadRun {
  readonly page: RunPage;
  readonly results: RunResults;
  /** Null where episodes were not recorded. */
  readonly trees: readonly CongestionTree[] | null;
}

/** `repeat`: where episodes were not recorded, run it again to record them. */
function readPage(folder: string, repeat: boolean): ReadRun {
  try {
    readRunFile(folder, 'digest');
    const fabric = fabricOfRun(readRun(folder));
    const run = readMeasured(folder, fabric.topology);
    const isSeen = run.why !== null && run.traces !== null;
    const share = Math.min(1, HOPS_FOLLOWED / Math.max(1, run.results.frameHops));
    const again = repeat && !isSeen ? observeAgain(folder, storedRun(folder), share) : null;
    const whole = { ...run, ...again };
    const page = pageOfRun(whole, factsOf(fabric));
    return { page, results: run.results, trees: whole.why?.trees ?? null };
  } catch (error) {
    if (error instanceof RunDirectoryError) throw new InputError(error.message);
    throw error;
  }
}

/** Runs of one scenario are told apart by their folders. */
function namesOf(read: readonly ReadRun[], folders: readonly string[]): string[] {
  const titles = read.map(({ page }) => page.title);
  if (new Set(titles).size === titles.length) return titles;
  const names = folders.map((folder) => basename(resolve(folder)));
  return new Set(names).size === names.length ? names : [...folders];
}
