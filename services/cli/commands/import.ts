import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { scenarioOfDocument } from '../../fabric/scenario/load-scenario.js';
import { importHpcc, kindOf } from '../../imports/hpcc/hpcc.js';
import { type Imported, WordFile } from '../../imports/imported.js';
import { table } from '../../report/table.js';
import { InputError } from '../exit.js';

export interface ImportOptions {
  readonly out: string;
}

const SCENARIO = 'scenario.yaml';

/** Writes a scenario made of files of another program, and says what became of what they say. */
export function importCommand(paths: readonly string[], { out }: ImportOptions): void {
  const imported = importOf(paths);
  const file = join(out, SCENARIO);
  if (existsSync(file)) throw new InputError(`${file} exists already; name another folder`);
  // What scenarios cannot have is told now, and nothing is written.
  scenarioOfDocument(file, imported.document);
  try {
    mkdirSync(out, { recursive: true });
    for (const [name, text] of imported.tables) writeFileSync(join(out, name), text);
    const head = `# Made by selvage import of ${paths.map((path) => basename(path)).join(', ')}.\n`;
    writeFileSync(file, head + stringify(imported.document, { lineWidth: 0 }));
  } catch (error) {
    throw new InputError(`${out} cannot be written: ${(error as Error).message}`);
  }
  process.stdout.write(`${reportOf(imported, file)}\n`);
}

function importOf(paths: readonly string[]): Imported {
  const found = new Map<string, WordFile>();
  for (const path of paths) {
    const file = new WordFile(path, textOf(path));
    const kind = kindOf(file);
    if (kind === null) {
      const known = 'topology.txt, flow.txt and config.txt of HPCC and ConWeave';
      throw new InputError(
        `${path} is none of the files that are known by their content: ${known}`,
      );
    }
    if (found.has(kind)) {
      throw new InputError(`${path} and ${found.get(kind)!.file} are both ${kind}: name one`);
    }
    found.set(kind, file);
  }
  const topology = found.get('topology');
  if (topology === undefined) throw new InputError('no topology among the files: name it, too');
  const [flows, config] = [found.get('flows') ?? null, found.get('config') ?? null];
  return importHpcc({ topology, flows, config });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new InputError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

function reportOf({ format, notes }: Imported, file: string): string {
  const rows = notes.map(({ fate, what, how }) => [fate, what, how]);
  const said = rows.length === 0 ? [] : [table(['fate', 'what', 'how'], rows)];
  const where = `${dirname(file)} has the scenario and its tables`;
  return [`read as ${format}; ${where}`, ...said, `run it: selvage run ${file}`].join('\n');
}
