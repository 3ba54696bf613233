// The programs that tests need beside Node and the packages of package.json: which of them are here,
// which are missing, and, with consent, their installation. Without consent nothing is fetched. A test
// that misses its program is skipped.
//
//   node test/needs.mjs             lists what is missing
//   node test/needs.mjs --install   fetches it (Debian packages as root, and packages of other registries)

import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const needs = [
  { command: 'tshark', debianPackage: 'tshark', purpose: 'test/interop reads captures with it' },
  {
    command: 'nats-server',
    debianPackage: 'nats-server',
    purpose: 'test/distributed exchanges frames between services over it',
  },
  { command: 'chromium', debianPackage: 'chromium', purpose: 'test/browser opens pages in it' },
  {
    command: 'yanglint',
    debianPackage: 'libyang-tools',
    purpose: 'test/interop validates managed objects by their YANG modules with it',
  },
  { command: 'zsh', debianPackage: 'zsh', purpose: 'test/scenario completes commands in it' },
  { command: 'fish', debianPackage: 'fish', purpose: 'test/scenario completes commands in it' },
  { command: 'openssl', debianPackage: 'openssl', purpose: 'test/distributed makes certificates' },
  {
    command: 'prometheus',
    debianPackage: 'prometheus',
    purpose: 'test/deploy scrapes the metrics of a run with it',
  },
  {
    command: 'pip3',
    debianPackage: 'python3-pip',
    purpose: 'test/deploy and test/interop validate by published schemas and run a collector',
  },
  { command: 'ip', debianPackage: 'iproute2', purpose: 'test/interop makes network namespaces' },
  { command: 'lldpd', debianPackage: 'lldpd', purpose: 'test/interop exchanges LLDP with it' },
  { command: 'lldpad', debianPackage: 'lldpad', purpose: 'test/interop exchanges DCBX with it' },
  {
    command: 'mvn',
    debianPackage: 'maven',
    purpose: 'test/interop fetches Zipkin with it, and finds traces there',
  },
  { command: 'dockerd', debianPackage: 'docker.io', purpose: 'test/docker runs containers' },
  {
    command: 'wget',
    debianPackage: 'wget',
    purpose: 'test/docker puts it into its base images',
  },
  {
    command: 'docker-compose',
    debianPackage: 'docker-compose',
    purpose: 'test/docker starts deploy/compose.yaml',
    isHere: () => runs('docker', 'compose', 'version'),
  },
];

const root = fileURLToPath(new URL('..', import.meta.url));
/** Packages of requirements.txt are installed beside those of npm, where test/kit/python.ts finds them. */
const pythonFolder = join(root, 'node_modules', '.cache', 'python');

/** A trace viewer, where test/kit/zipkin.ts finds it. */
const zipkinFolder = join(root, 'node_modules', '.cache', 'zipkin');
const ZIPKIN = 'io.zipkin:zipkin-server:3.6.1:jar:exec';
const DEPENDENCY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';

/** Programs that no Debian package brings, where test/kit/go-programs.ts finds them. */
const goFolder = join(root, 'node_modules', '.cache', 'go');
/** Object storage, and what installs charts. */
const GATEWAY = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';
const HELM = 'helm.sh/helm/v3/cmd/helm@v3.16.4';
/** A trace store: a module, and its program. */
const JAEGER = ['github.com/jaegertracing/jaeger@v1.63.0', 'cmd/all-in-one'];

function runs(...words) {
  return spawnSync(words[0], words.slice(1), { stdio: 'ignore' }).status === 0;
}

function isOnPath(command) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function missingNeeds() {
  return needs.filter(({ command, isHere }) => !isOnPath(command) && !(isHere?.() ?? false));
}

function aptGet(...words) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', words, { env, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}

/** What no Debian package brings: where it lies, who fetches it, and how. */
function fetchedNeeds(isLong) {
  const ofGo = [GATEWAY, ...(isLong ? [HELM] : [])];
  return [
    {
      what: 'packages of test/requirements.txt',
      where: pythonFolder,
      by: 'pip3',
      fetch: getPythonPackages,
    },
    { what: 'Zipkin', where: zipkinFolder, by: 'mvn', fetch: getZipkin },
    ...ofGo.map((place) => ({
      what: programOf(place),
      where: join(goFolder, programOf(place)),
      by: 'go',
      fetch: () => getGoProgram(place),
    })),
    ...(isLong ? [JAEGER] : []).map(([module, program]) => ({
      what: module,
      where: join(goFolder, basename(program)),
      by: 'go',
      fetch: () => buildGoProgram(module, program),
    })),
    ...['newest', ...(isLong ? ['long'] : [])].map((line) => ({
      what: `Node of test/nodes/${line}`,
      where: join(root, 'test/nodes', line, 'node_modules'),
      by: 'npm',
      fetch: () => getNodes(`test/nodes/${line}`),
    })),
  ];
}

/** Says what is missing and what for; fetches it where `mayInstall` and the machine allow. */
export function getNeeds(mayInstall, isLong) {
  const missing = missingNeeds();
  if (mayInstall && missing.length > 0) {
    installPackages(missing.map(({ debianPackage }) => debianPackage));
  }
  const left = mayInstall ? missingNeeds() : missing;
  for (const { command, purpose } of left) console.log(`No ${command}: ${purpose}; skipped.`);
  const unfetched = fetchedNeeds(isLong).filter(
    ({ where, by }) => !existsSync(where) && isOnPath(by),
  );
  for (const { what, fetch } of unfetched) {
    if (mayInstall) fetch();
    else console.log(`No ${what}: its tests are skipped.`);
  }
  if (left.length === 0 && (mayInstall || unfetched.length === 0)) return;
  const packages = left.map(({ debianPackage }) => debianPackage).join(' ');
  if (packages !== '') console.log(`To have programs: apt-get install ${packages}`);
  console.log('To have all of it, as root on Debian: npm test -- --install');
}

/** Binaries of lines of Node: packages of npm beside our own, since one has a program `node`. */
function getNodes(folder) {
  if (process.platform !== 'linux' || process.arch !== 'x64') return;
  const words = ['ci', '--prefix', join(root, folder), '--no-audit', '--no-fund', '--silent'];
  if (spawnSync('npm', words, { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0) {
    console.log(`No packages of ${folder}: tests under other lines of Node are skipped.`);
  }
}

/** One package at a time after a failure: one that a mirror lacks must not cost the others. */
function installPackages(packages) {
  if (process.getuid?.() !== 0 || !isOnPath('apt-get')) return;
  console.log(`Installing Debian packages: ${packages.join(' ')}`);
  aptGet('update', '-qq');
  const install = ['install', '-y', '-qq', '--no-install-recommends'];
  if (aptGet(...install, ...packages)) return;
  for (const one of packages) aptGet(...install, one);
}

function getPythonPackages() {
  const list = join(root, 'test', 'requirements.txt');
  const words = ['--quiet', '--disable-pip-version-check', '--root-user-action=ignore'];
  const install = ['install', ...words, '--target', pythonFolder, '-r', list];
  if (spawnSync('pip3', install, { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0) {
    console.log('No packages of test/requirements.txt: their tests are skipped.');
  }
}

function getZipkin() {
  const copy = [DEPENDENCY, `-Dartifact=${ZIPKIN}`, `-DoutputDirectory=${zipkinFolder}`];
  const words = ['--batch-mode', '--quiet', ...copy];
  if (spawnSync('mvn', words, { cwd: tmpdir(), stdio: 'ignore' }).status !== 0) {
    console.log('No Zipkin from Maven Central: test/interop/zipkin is skipped.');
    return;
  }
  const [, name, version, , classifier] = ZIPKIN.split(':');
  const jar = join(zipkinFolder, `${name}-${version}-${classifier}.jar`);
  renameSync(jar, join(zipkinFolder, 'zipkin-server.jar'));
}

function programOf(place) {
  return /(\w+)@/.exec(place)[1];
}

function getGoProgram(place) {
  const env = { ...process.env, GOBIN: goFolder, CGO_ENABLED: '0' };
  if (spawnSync('go', ['install', place], { env, stdio: 'ignore' }).status !== 0) {
    console.log(`No ${programOf(place)} from the Go module proxy: its tests are skipped.`);
  }
}

/** Of a module with replacements, which `go install` refuses: it is built where Go has laid it. */
function buildGoProgram(module, program) {
  const name = basename(program);
  const env = { ...process.env, CGO_ENABLED: '0' };
  const { stdout } = spawnSync('go', ['mod', 'download', '-json', module], { env });
  const { Dir: folder = tmpdir() } = JSON.parse(stdout);
  const words = ['build', '-C', folder, '-o', join(goFolder, name), `./${program}`];
  if (spawnSync('go', words, { env, stdio: 'ignore' }).status !== 0) {
    console.log(`No ${name} from the Go module proxy: its tests are skipped.`);
  }
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  getNeeds(process.argv.includes('--install'));
}
