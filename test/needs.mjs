// What tests need beside Node and the packages of package.json: got where that is possible.

import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const needs = [
  { command: 'tshark', debianPackage: 'tshark', purpose: 'reads captures in test/interop' },
  {
    command: 'nats-server',
    debianPackage: 'nats-server',
    purpose: 'carries frames between the services of test/distributed',
  },
  {
    command: 'chromium',
    debianPackage: 'chromium',
    purpose: 'opens pages in test/browser',
  },
  {
    command: 'openssl',
    debianPackage: 'openssl',
    purpose: 'makes certificates for test/distributed',
  },
];

function isInstalled(command) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function aptGet(...words) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', words, { env, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}

/** Installs what is missing, as root on Debian; otherwise says what will be skipped. */
export function getNeeds() {
  const missing = needs.filter(({ command }) => !isInstalled(command));
  if (missing.length === 0) return;
  const packages = missing.map(({ debianPackage }) => debianPackage);
  if (process.getuid?.() === 0 && isInstalled('apt-get')) {
    console.log(`Installing Debian packages: ${packages.join(' ')}`);
    aptGet('update', '-qq');
    aptGet('install', '-y', '-qq', '--no-install-recommends', ...packages);
  }
  for (const { command, debianPackage, purpose } of missing) {
    if (isInstalled(command)) continue;
    console.log(`No ${command}, which ${purpose}: its tests are skipped.`);
    console.log(`  To have it: apt-get install ${debianPackage}`);
  }
}
