import { readFileSync } from 'node:fs';

interface Manifest {
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** Package of this software; it is two folders above `dist/services`. */
export const PACKAGE_FOLDER = new URL('../../../', import.meta.url);

/** What the package says of itself. */
export function readManifest(): Manifest {
  return JSON.parse(readFileSync(new URL('package.json', PACKAGE_FOLDER), 'utf8')) as Manifest;
}

/** Version of this software. */
export function readVersion(): string {
  return readManifest().version;
}
