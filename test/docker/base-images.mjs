// Makes the images that ours are built from and run with, where no registry is reachable: Debian by
// debootstrap, with the Node of this machine and Debian's own broker under the names that
// deploy/ asks for. Run as root: `node test/docker/base-images.mjs`.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DEBIAN = 'selvage-base:bookworm';
const SUITE = 'bookworm';
/** The broker, what its health check in Compose calls, and what npm trusts. */
const PACKAGES = 'ca-certificates,nats-server,wget';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

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

/** A file system of Debian with Node and npm in it. */
function makeDebian() {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-debian-'));
  const root = join(folder, 'root');
  try {
    command('debootstrap', ['--variant=minbase', `--include=${PACKAGES}`, SUITE, root]);
    const bin = join(root, 'usr/local/bin');
    mkdirSync(bin, { recursive: true });
    cpSync(realpathSync(process.execPath), join(bin, 'node'));
    const npm = realpathSync(command('which', ['npm']).toString().trim());
    const modules = join(root, 'usr/local/lib/node_modules');
    cpSync(dirname(dirname(npm)), join(modules, 'npm'), { recursive: true });
    cpSync(CERTIFICATES, join(root, CERTIFICATES));
    command('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(bin, 'npm')]);
    command('ln', ['-s', '../lib/node_modules/npm/bin/npx-cli.js', join(bin, 'npx')]);
    const archive = join(folder, 'root.tar');
    command('tar', ['-C', root, '-cf', archive, '.']);
    docker('import', '--change', `ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, archive, DEBIAN);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function make(image) {
  if (!isThere(DEBIAN)) makeDebian();
  if (image === SLIM_IMAGE) command('docker', ['build', '-t', image, '-'], { input: SLIM });
  else docker('tag', DEBIAN, image);
}

const SLIM_IMAGE = /^ARG SLIM_IMAGE=(.+)$/m.exec(deployed('slim.Dockerfile'))[1];
/** What Node is linked to, and certificates of authorities: no shell and no packages. */
const SLIM = `FROM ${DEBIAN} AS debian
RUN mkdir /slim && cp --parents $(ldd /usr/local/bin/node | grep -o '/[^ ]*') \\
  ${CERTIFICATES} /etc/passwd /etc/nsswitch.conf /slim
FROM scratch
COPY --from=debian /slim /
`;

function deployed(name) {
  const deploy = join(dirname(fileURLToPath(import.meta.url)), '../../deploy');
  return readFileSync(join(deploy, name), 'utf8');
}

/** Every image that deploy/ names and that Debian can replace. */
function wantedImages() {
  const [node] = /(?<=^ARG NODE_IMAGE=).+$/m.exec(deployed('Dockerfile'));
  const [broker] = /(?<=^ +image: )nats:.+$/m.exec(deployed('compose.yaml'));
  return [node, broker, SLIM_IMAGE];
}

for (const image of wantedImages()) {
  if (!isThere(image) && !isPulled(image)) make(image);
  console.log(image);
}
