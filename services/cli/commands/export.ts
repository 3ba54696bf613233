import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Dialect, fctFile } from '../../exports/hpcc/fct.js';
import { PAUSES_FILE, pausesFile } from '../../exports/hpcc/pauses.js';
import { formatCount } from '../../report/format.js';
import { readMeasured } from '../../report/read-run.js';
import { RunDirectoryError } from '../../report/run-json.js';
import { prepareEngine } from '../../runtime/engine-flags.js';
import { InputError } from '../exit.js';
import { fabricOfRun, storedRun } from './resume.js';
import { observeAgain } from './why.js';

export interface ExportOptions {
  readonly out?: string;
  readonly dialect: string;
}

const DIALECTS: readonly Dialect[] = ['hpcc', 'conweave'];

/** Writes a run as the files that scripts of HPCC or ConWeave plot. */
export function exportCommand(run: string, options: ExportOptions): void {
  const dialect = DIALECTS.find((one) => one === options.dialect);
  if (dialect === undefined) {
    throw new InputError(`--dialect ${options.dialect}: it is one of ${DIALECTS.join(', ')}`);
  }
  prepareEngine();
  const folder = options.out ?? run;
  const stored = storedRun(run);
  const fabric = fabricOfRun(stored);
  const { results, why } = measured(run, fabric.topology);
  const episodes = (why ?? observeAgain(run, stored).why).congestion?.episodes ?? [];
  const fct = fctFile(fabric, results.flows, dialect);
  const pauses = pausesFile(fabric.topology, episodes);
  const [fctPath, pausesPath] = ['fct.txt', PAUSES_FILE].map((name) => join(folder, name));
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(fctPath!, fct.text);
    writeFileSync(pausesPath!, pauses);
  } catch (error) {
    throw new InputError(`${folder} cannot be written: ${(error as Error).message}`);
  }
  const notes = [
    fct.leftOut > 0 ? `${formatCount(fct.leftOut)} are not complete, or to groups` : '',
    fct.unacknowledged > 0 ? 'raw ones end with their last octet' : '',
  ].filter((note) => note !== '');
  const said = notes.length === 0 ? '' : `; ${notes.join('; ')}`;
  const times = pauses.split('\n').length - 1;
  process.stdout.write(`${fctPath!}  ${formatCount(fct.flows)} flows${said}\n`);
  process.stdout.write(
    `${pausesPath!}  ${formatCount(times)} times at which a pause begins or ends\n`,
  );
}

function measured(...[run, topology]: Parameters<typeof readMeasured>) {
  try {
    return readMeasured(run, topology);
  } catch (error) {
    if (error instanceof RunDirectoryError) throw new InputError(error.message);
    throw error;
  }
}
