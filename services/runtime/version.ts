import { readFileSync } from 'node:fs';
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
