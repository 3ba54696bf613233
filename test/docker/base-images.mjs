// Makes images where no registry is reached: programs of this machine, a Debian, and the libraries
// that they are linked to. Run as root:
//   node test/docker/base-images.mjs                  those that deploy/ names: ours are built from them
//   node test/docker/base-images.mjs IMAGE=PROGRAM    a server of others, which is its entry point

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BASE = 'selvage-base:host';
/** What builds and tests call, and what waits for a port inside a container. */
const TOOLS = [
  ...['awk', 'cat', 'cp', 'env', 'grep', 'id', 'ls', 'mkdir', 'mv', 'rm', 'sh', 'sleep', 'tar'],
];
/** The broker, and what its health check in Compose calls. */
const PROGRAMS = [...TOOLS, 'nats-server', 'wget'];
/** Loaded by name, or by the addons of packages. */
const LOADED = /^lib(dl|nss_dns|nss_files|pthread|resolv|rt)\.so\.\d+$/;
const NODE = '/usr/local/bin/node';
/** What npm trusts, users and where names are looked up. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const FILES = [CERTIFICATES, '/etc/group', '/etc/nsswitch.conf', '/etc/passwd'];

/** @returns the output; throws with what the command said if it fails. */
function command(name, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(name, args, {
    maxBuffer: 1 << 30,
    ...options,
  });
  if (status === 0) return stdout;
  throw new Error(`${name} ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`}`);
}

function docker(...args) {
  return command('docker', args);
}

function isThere(image) {
  return spawnSync('docker', ['image', 'inspect', image], { stdio: 'ignore' }).status === 0;
}

/** From a registry if one answers; a refusal is no fault, for then we make it ourselves. */
function isPulled(image) {
  return spawnSync('docker', ['pull', '--quiet', image], { stdio: 'ignore' }).status === 0;
}

function pathOf(program) {
  return command('which', [program]).toString().trim();
}

/** Paths of the libraries that programs are linked to, and of the loader. */
function librariesOf(programs) {
  // It fails where one is linked to nothing.
  const linked = spawnSync('ldd', programs).stdout.toString();
  const paths = new Set(Array.from(linked.matchAll(/(?<=\s)\/\S+(?= \()/g), ([path]) => path));
  const folder = dirname([...paths].find((path) => path.endsWith('/libc.so.6')));
  const loaded = readdirSync(folder).filter((name) => LOADED.test(name));
  return [...paths, ...loaded.map((name) => join(folder, name))];
}

/** An image with Node, and with programs and npm unless it is the slim one. */
function make(image) {
  const isSlim = image === SLIM_IMAGE;
  if (!isSlim && isThere(BASE)) {
    docker('tag', BASE, image);
    return;
  }
  const programs = isSlim ? [] : PROGRAMS.map(pathOf);
  fill(isSlim ? image : BASE, [process.execPath, ...programs], (copy, root) => {
    programs.forEach((path) => copy(path));
    if (isSlim) return;
    copy(process.execPath, NODE);
    copy(dirname(dirname(realpathSync(pathOf('npm')))), '/usr/local/lib/node_modules/npm');
    for (const name of ['npm', 'npx']) {
      symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, `${NODE}/../${name}`));
    }
  });
  if (!isSlim) docker('tag', BASE, image);
}

/** An image of one program, which it starts, and of the tools. */
function makeServer(image, program) {
  const tools = TOOLS.map(pathOf);
  const inside = `/usr/local/bin/${basename(program)}`;
  const start = (copy) => {
    tools.forEach((path) => copy(path));
    copy(program, inside);
  };
  fill(image, [program, ...tools], start, `ENTRYPOINT ["${inside}"]`);
}

/** Makes an image of what `copyAll` copies, and of the libraries of programs. */
function fill(image, programs, copyAll, ...changes) {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-base-'));
  const root = join(folder, 'root');
  const copy = (from, to = from) => {
    cpSync(realpathSync(from), join(root, to), { recursive: true });
  };
  try {
    for (const path of [...librariesOf(programs), ...FILES]) copy(path);
    copyAll(copy, root);
    // Programs ask for /bin/sh.
    if (!existsSync(join(root, 'bin'))) symlinkSync('usr/bin', join(root, 'bin'));
    mkdirSync(join(root, 'tmp'));
    chmodSync(join(root, 'tmp'), 0o1777);
    const archive = join(folder, 'root.tar');
    command('tar', ['-C', root, '-cf', archive, '.']);
    const all = [`ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, ...changes];
    docker('import', ...all.flatMap((change) => ['--change', change]), archive, image);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const SLIM_IMAGE = /^ARG SLIM_IMAGE=(.+)$/m.exec(deployed('slim.Dockerfile'))[1];
function deployed(name) {
  const deploy = join(dirname(fileURLToPath(import.meta.url)), '../../deploy');
  return readFileSync(join(deploy, name), 'utf8');
}

/** Every image that deploy/ names and that programs of this machine can replace. */
function wantedImages() {
  const [node] = /(?<=^ARG NODE_IMAGE=).+$/m.exec(deployed('Dockerfile'));
  const [broker] = /(?<=^ +image: )nats:.+$/m.exec(deployed('compose.yaml'));
  return [node, broker, SLIM_IMAGE];
}

/** Pairs of an image and of the program that it is made of. */
const servers = process.argv.slice(2).map((word) => word.split('='));
const wanted =
  servers.length > 0
    ? servers.map(([image, program]) => [image, () => makeServer(image, program)])
    : wantedImages().map((image) => [image, () => make(image)]);

for (const [image, makeIt] of wanted) {
  if (!isThere(image) && !isPulled(image)) makeIt();
  console.log(image);
}
