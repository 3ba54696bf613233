import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Manifest } from './manifests.js';
import { PYTHON_FOLDER, skipWithout } from './python.js';

const VALIDATOR = 'bin/kubernetes-validate';
const VERSIONS = ['1.31.0', '1.34.0', '1.37.0'];

export const skipWithoutSchemas = skipWithout(VALIDATOR);

/** What the schemas that Kubernetes publishes for three versions say against manifests. */
export function schemaFaults(manifests: readonly Manifest[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-schemas-'));
  try {
    const file = join(folder, 'manifests.yaml');
    writeFileSync(file, manifests.map((manifest) => stringify(manifest)).join('---\n'));
    return VERSIONS.map((version) => faultsIn(version, file)).filter((text) => text !== '');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function faultsIn(version: string, file: string): string {
  const words = ['--kubernetes-version', version, '--strict', '--quiet', file];
  const { status, stdout, stderr } = spawnSync(join(PYTHON_FOLDER, VALIDATOR), words, {
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: PYTHON_FOLDER },
  });
  return status === 0 ? '' : stdout + stderr;
}
