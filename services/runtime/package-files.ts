import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The build bundles modules into programs, so no module knows how deep its code lies. */
const FOLDER = folderAbove(fileURLToPath(import.meta.url));

function folderAbove(path: string): string {
  const folder = dirname(path);
  return existsSync(join(folder, 'package.json')) ? folder : folderAbove(folder);
}

/** Path of a file or folder that comes with this package. */
export function packageFile(...names: readonly string[]): string {
  return join(FOLDER, ...names);
}

/** Path of a bundle that a process or a thread of its own executes. */
export function programFile(
  name: 'coordinator' | 'service' | 'thread-worker' | 'hunt-worker' | 'world-worker',
): string {
  return packageFile('dist/programs', `${name}.js`);
}
