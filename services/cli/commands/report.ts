import { basename, join } from 'node:path';
import { loadScenario } from '../../fabric/scenario/load-scenario.js';
import { buildTopology } from '../../fabric/topology/build-topology.js';
import type { RunPage } from '../../report/page/page-data.js';
import { isPageBuilt, pageFile } from '../../report/page/page-file.js';
import { pageOfRun } from '../../report/page/page-of-run.js';
import { readMeasured } from '../../report/read-run.js';
import { readRunFile } from '../../report/run-directory.js';
import { RunDirectoryError } from '../../report/run-json.js';
import { InputError } from '../exit.js';
import { writeOut } from '../write-out.js';

/** Writes a run's page again, from the tables that the run has left. */
export function reportCommand(folder: string, { out }: { readonly out?: string }): void {
  writePage([folder], out ?? join(folder, 'report.html'));
}

export function compareCommand(
  folders: readonly string[],
  { out }: { readonly out: string },
): void {
  if (folders.length < 2) throw new InputError('compare takes two run directories or more');
  writePage(folders, out);
}

function writePage(folders: readonly string[], out: string): void {
  if (!isPageBuilt()) throw new InputError('the page has not been built: npm run build makes it');
  const runs = folders.map(readPage);
  writeOut(pageFile({ runs: distinct(runs, folders) }), out);
  process.stdout.write(`${out}\n`);
}

function readPage(folder: string): RunPage {
  try {
    readRunFile(folder, 'digest');
    const loaded = loadScenario(join(folder, 'scenario.json'), { set: [] });
    const { scenario } = loaded;
    const topology = buildTopology(scenario.fabric, (path, text) => loaded.errorAt(path, text));
    const run = readMeasured(folder, topology);
    const { description, observe } = scenario;
    return pageOfRun(run, { description, topology, seriesPs: observe.seriesPs });
  } catch (error) {
    if (error instanceof RunDirectoryError) throw new InputError(error.message);
    throw error;
  }
}

/** Runs of one scenario are told apart by their folders. */
function distinct(runs: readonly RunPage[], folders: readonly string[]): RunPage[] {
  const isUnique = new Set(runs.map(({ title }) => title)).size === runs.length;
  return runs.map((run, i) => (isUnique ? run : { ...run, title: basename(folders[i]!) }));
}
