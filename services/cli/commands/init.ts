import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { unknownName } from '../../settings/errors.js';
import { InputError } from '../exit.js';
import {
  DEFAULT_STARTER,
  FABRICS,
  LOADS,
  mechanismNames,
  type Starter,
  starterText,
} from '../starter.js';
import { TEMPLATE_NAMES, templateText } from '../templates.js';

export interface InitOptions extends Partial<Starter> {
  /** In place of what is chosen. */
  readonly template?: string;
}

/** Editors with the YAML language server complete and check by the schema in this line. */
const SCHEMA_LINE = '# yaml-language-server: $schema=scenario.schema.json\n';

export async function initCommand(file: string, options: InitOptions): Promise<void> {
  const text =
    options.template === undefined
      ? starterText(await chosen(options))
      : templateNamed(options.template);
  try {
    writeFileSync(file, SCHEMA_LINE + text.replaceAll('FILE', file), { flag: 'wx' });
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    const why = exists ? 'it exists already; name another file' : (error as Error).message;
    throw new InputError(`${file} was not written: ${why}`);
  }
  process.stdout.write(
    `wrote ${file}\n` +
      `run it, and open its report:   selvage run ${file} --open\n` +
      `under other mechanisms:        selvage duel ${file}\n` +
      'completion in an editor:       selvage schema --out scenario.schema.json\n',
  );
}

function templateNamed(name: string): string {
  if (TEMPLATE_NAMES.includes(name)) return templateText(name);
  throw new InputError(unknownName('template', name, TEMPLATE_NAMES));
}

/** What options leave open is asked on a terminal, and taken by default elsewhere. */
async function chosen({ fabric, mechanism, load }: InitOptions): Promise<Starter> {
  const isAsked = process.stdin.isTTY && process.stdout.isTTY;
  const isOpen = fabric === undefined && mechanism === undefined && load === undefined;
  if (!isAsked || !isOpen) {
    return {
      fabric: fabric ?? DEFAULT_STARTER.fabric,
      mechanism: mechanism ?? DEFAULT_STARTER.mechanism,
      load: load ?? DEFAULT_STARTER.load,
    };
  }
  const dialog = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const ask = async (what: keyof Starter, lines: readonly string[]): Promise<string> => {
      process.stdout.write(lines.map((line) => `  ${line}\n`).join(''));
      const answer = await dialog.question(`${what} [${DEFAULT_STARTER[what]}]: `);
      return answer.trim() === '' ? DEFAULT_STARTER[what] : answer.trim();
    };
    return {
      fabric: await ask('fabric', aboutAll(FABRICS)),
      mechanism: await ask('mechanism', [mechanismNames().join(', ')]),
      load: await ask('load', aboutAll(LOADS)),
    };
  } finally {
    dialog.close();
  }
}

function aboutAll(all: Readonly<Record<string, { readonly about: string }>>): string[] {
  const width = Math.max(...Object.keys(all).map(({ length }) => length));
  return Object.entries(all).map(([name, { about }]) => `${name.padEnd(width)}  ${about}`);
}
