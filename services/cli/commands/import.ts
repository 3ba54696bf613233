import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { scenarioOfDocument } from '../../fabric/scenario/load-scenario.js';
import { importFiles } from '../../imports/import-files.js';
import type { Imported } from '../../imports/imported.js';
import type { GivenFile } from '../../imports/jobs.js';
import { table } from '../../report/table.js';
import { InputError } from '../exit.js';

export interface ImportOptions {
  readonly out: string;
}

const SCENARIO = 'scenario.yaml';

/** Writes a scenario made of files of another program, and says what became of what they say. */
export function importCommand(paths: readonly string[], { out }: ImportOptions): void {
  const imported = importFiles(paths.map((path) => fileOf(path)));
  const file = join(out, SCENARIO);
  if (existsSync(file)) throw new InputError(`${file} exists already; name another folder`);
  // What scenarios cannot have is told now, and nothing is written.
  scenarioOfDocument(file, imported.document);
  try {
    mkdirSync(out, { recursive: true });
    for (const [name, content] of imported.files) writeFileSync(join(out, name), content);
    const head = `# Made by selvage import of ${paths.map((path) => basename(path)).join(', ')}.\n`;
    writeFileSync(file, head + stringify(imported.document, { lineWidth: 0 }));
  } catch (error) {
    throw new InputError(`${out} cannot be written: ${(error as Error).message}`);
  }
  process.stdout.write(`${reportOf(imported, file)}\n`);
}

function fileOf(path: string): GivenFile {
  try {
    const octets = readFileSync(path);
    return { path, octets, text: octets.toString('utf8') };
  } catch (error) {
    throw new InputError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

function reportOf({ formats, notes }: Imported, file: string): string {
  const rows = notes.map(({ fate, what, how }) => [fate, what, how]);
  const said = rows.length === 0 ? [] : [table(['fate', 'what', 'how'], rows, 3)];
  const where = `${dirname(file)} has the scenario and its files`;
  const head = `read as ${formats.join(' and ')}; ${where}`;
  return [head, ...said, `run it: selvage run ${file}`].join('\n');
}
