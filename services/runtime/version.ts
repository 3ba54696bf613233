import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { packageFile } from './package-files.js';

interface Manifest {
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** What the package says of itself. */
export function readManifest(): Manifest {
  return JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as Manifest;
}

/** Version of this software. */
export function readVersion(): string {
  return readManifest().version;
}

const BUILD_DIGITS = 12;

/**
 * The same with its build, as services of one run must share it: two builds of a version may
 * execute differently. Modules of the programs have a hash of their contents in their names.
 */
export function readBuild(modules = packageFile('dist/programs/chunks')): string {
  const names = readdirSync(modules).filter((name) => name.endsWith('.js'));
  const hash = createHash('sha256').update(names.sort().join(' ')).digest('hex');
  return `${readVersion()}+${hash.slice(0, BUILD_DIGITS)}`;
}
