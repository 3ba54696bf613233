import { writeFileSync } from 'node:fs';
import { unknownName } from '../../settings/errors.js';
import { InputError } from '../exit.js';
import { TEMPLATE_NAMES, templateText } from '../templates.js';

export interface InitOptions {
  readonly template: string;
}

/** Editors with the YAML language server complete and check by the schema in this line. */
const SCHEMA_LINE = '# yaml-language-server: $schema=scenario.schema.json\n';

export function initCommand(file: string, { template }: InitOptions): void {
  if (!TEMPLATE_NAMES.includes(template)) {
    throw new InputError(unknownName('template', template, TEMPLATE_NAMES));
  }
  const text = templateText(template);
  try {
    writeFileSync(file, SCHEMA_LINE + text.replaceAll('FILE', file), { flag: 'wx' });
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    const why = exists ? 'it exists already; name another file' : (error as Error).message;
    throw new InputError(`${file} was not written: ${why}`);
  }
  process.stdout.write(
    `wrote ${file}\n` +
      `run it:                    selvage run ${file}\n` +
      'completion in an editor:   selvage schema --out scenario.schema.json\n',
  );
}
