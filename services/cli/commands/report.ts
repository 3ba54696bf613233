import { basename, join } from 'node:path';
import { buildFabric } from '../../fabric/assembly/fabric.js';
import { loadScenario } from '../../fabric/scenario/load-scenario.js';
import type { ContestView, RunPage } from '../../report/page/page-data.js';
import { isPageBuilt, pageFile } from '../../report/page/page-file.js';
import { factsOf, pageOfRun } from '../../report/page/page-of-run.js';
import { readMeasured } from '../../report/read-run.js';
import { readRunFile } from '../../report/run-directory.js';
import { RunDirectoryError } from '../../report/run-json.js';
import { InputError } from '../exit.js';
import { prepareEngine } from '../../runtime/engine-flags.js';
import { storedRun } from './resume.js';
import { observeAgain } from './why.js';
import { writeOut } from '../write-out.js';

/** Frame-hops of a run that are all kept for its page; of a longer one, a share. */
const HOPS_FOLLOWED = 400_000;

/** Writes a run's page again, from the tables that the run has left. */
export function reportCommand(
  folder: string,
  { out, why }: { readonly out?: string; readonly why?: boolean },
): void {
  if (why === true) prepareEngine();
  writePage([folder], out ?? join(folder, 'report.html'), why === true);
}

export function compareCommand(
  folders: readonly string[],
  { out, why }: { readonly out: string; readonly why?: boolean },
): void {
  if (folders.length < 2) throw new InputError('compare takes two run directories or more');
  if (why === true) prepareEngine();
  writePage(folders, out, why === true);
}

/** One page of all sides of a duel, with what it measures beside them. */
export function duelPage(
  folders: readonly string[],
  contests: readonly ContestView[],
  out: string,
): void {
  if (!isPageBuilt()) return;
  const runs = distinct(
    folders.map((folder) => readPage(folder, false)),
    folders,
  );
  writeOut(pageFile({ runs, contests }), out);
}

function writePage(folders: readonly string[], out: string, repeat: boolean): void {
  if (!isPageBuilt()) throw new InputError('the page has not been built: npm run build makes it');
  const runs = folders.map((folder) => readPage(folder, repeat));
  writeOut(pageFile({ runs: distinct(runs, folders) }), out);
  process.stdout.write(`${out}\n`);
}

/** `repeat`: where episodes were not recorded, run it again to record them. */
function readPage(folder: string, repeat: boolean): RunPage {
  try {
    readRunFile(folder, 'digest');
    const fabric = buildFabric(loadScenario(join(folder, 'scenario.json'), { set: [] }));
    const run = readMeasured(folder, fabric.topology);
    const isSeen = run.why !== null && run.traces !== null;
    const share = Math.min(1, HOPS_FOLLOWED / Math.max(1, run.results.frameHops));
    const again = repeat && !isSeen ? observeAgain(folder, storedRun(folder), share) : null;
    return pageOfRun({ ...run, ...again }, factsOf(fabric));
  } catch (error) {
    if (error instanceof RunDirectoryError) throw new InputError(error.message);
    throw error;
  }
}

/** Runs of one scenario are distinguished by their folders. */
function distinct(runs: readonly RunPage[], folders: readonly string[]): RunPage[] {
  const isUnique = new Set(runs.map(({ title }) => title)).size === runs.length;
  return runs.map((run, i) => (isUnique ? run : { ...run, title: basename(folders[i]!) }));
}
