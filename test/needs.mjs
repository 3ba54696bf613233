// What tests need beside Node and the packages of package.json: got where that is possible.

import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
  {
    command: 'prometheus',
    debianPackage: 'prometheus',
    purpose: 'reads figures of a run in test/deploy',
  },
  {
    command: 'pip3',
    debianPackage: 'python3-pip',
    purpose: 'gets the schemas of Kubernetes and a collector',
  },
];

/** Daemons are used where they are; only a machine that is there to test gets them. */
const daemons = [
  { command: 'ip', debianPackage: 'iproute2', purpose: 'lays cables in test/interop' },
  { command: 'lldpd', debianPackage: 'lldpd', purpose: 'is a neighbour in test/interop' },
  { command: 'lldpad', debianPackage: 'lldpad', purpose: 'is another, which speaks DCBX' },
  { command: 'dockerd', debianPackage: 'docker.io', purpose: 'runs containers in test/docker' },
  { command: 'debootstrap', debianPackage: 'debootstrap', purpose: 'makes their base images' },
  { command: 'docker-compose', debianPackage: 'docker-compose', purpose: 'starts deploy/' },
];

const root = fileURLToPath(new URL('..', import.meta.url));
/** Packages of requirements.txt lie with those of npm, where test/kit/python.ts looks. */
const pythonFolder = join(root, 'node_modules', '.cache', 'python');

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
export function getNeeds(underCi) {
  getCommands(underCi ? [...needs, ...daemons] : needs);
  if (isInstalled('pip3') && !existsSync(pythonFolder)) getPythonPackages();
}

function getPythonPackages() {
  const list = join(root, 'test', 'requirements.txt');
  const words = ['--quiet', '--disable-pip-version-check', '--root-user-action=ignore'];
  const install = ['install', ...words, '--target', pythonFolder, '-r', list];
  if (spawnSync('pip3', install, { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0) {
    console.log('No packages of test/requirements.txt: their tests are skipped.');
  }
}

function getCommands(wanted) {
  const missing = wanted.filter(({ command }) => !isInstalled(command));
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
