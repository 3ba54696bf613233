import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './emulate.js';

/** Where test/needs.mjs puts what test/requirements.txt names. */
export const PYTHON_FOLDER = join(ROOT, 'node_modules/.cache/python');

/** For tests that need a file of these packages. */
export function skipWithout(path: string): string | false {
  if (existsSync(join(PYTHON_FOLDER, path))) return false;
  return `no ${path} of test/requirements.txt`;
}
