import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from './package-files.js';
import { readManifest } from './version.js';

/** Packages that npm installs on request only (optional peers), and what needs each of them. */
const OPTIONAL: Readonly<Record<string, string>> = {
  '@duckdb/node-api': 'Parquet tables and `selvage query` need',
  '@kubernetes/client-node': 'Runs in a cluster (`selvage k8s run`) need',
};

/**
 * The consequence of a missing optional package and how to install it; null for any other error.
 */
export function missingPart(error: unknown): string | null {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return null;
  const name = Object.keys(OPTIONAL).find((each) => message.includes(`'${each}'`));
  if (name === undefined) return null;
  return `${OPTIONAL[name]!} ${name}: ${installOf(name)}`;
}

/** The command that installs an optional package where this software finds it. */
export function installOf(name: string): string {
  const version = readManifest().peerDependencies[name]!;
  // A folder of global packages is part of no project.
  const isGlobal =
    packageFile().endsWith(join('node_modules', 'selvage')) &&
    !existsSync(packageFile('../../package.json'));
  return `npm install ${isGlobal ? '--global ' : ''}${name}@${version}`;
}
