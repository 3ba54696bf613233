import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../runtime/package-files.js';

const FOLDER = packageFile('examples/templates');

/** Scenarios to start from. */
export const TEMPLATE_NAMES = readdirSync(FOLDER).map((name) => name.replace(/\.yaml$/, ''));

export function templateText(name: string): string {
  return readFileSync(join(FOLDER, `${name}.yaml`), 'utf8');
}
