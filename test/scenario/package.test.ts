/**
 * What `npm pack` puts into a tarball is the whole program: npm installs it globally and in an empty
 * folder, and it works without the optional packages, and with them.
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';
import type { Registry } from '../kit/registry.js';
import { startRegistry } from '../kit/registry.js';

interface Manifest {
  readonly private?: boolean;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** In CycloneDX. */
interface Bill {
  readonly components: readonly { readonly name: string; readonly version: string }[];
}

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

/** On the disk, with the packages that it depends on, but for the optional ones. */
const INSTALLED_MOST_OCTETS = 70_000_000;
/** Without packages that it depends on. */
const MOST_OCTETS = 10_000_000;

describe('the package', () => {
  let folder = '';
  let tarball = '';
  let packed: Packed;
  let registry: Registry;
  const prefix = (): string => join(folder, 'global');
  const globalModules = (): string => join(prefix(), 'lib', 'node_modules');
  const project = (): string => join(folder, 'project');

  const npm = (where: string, ...words: string[]): Promise<Ended> =>
    ended('npm', [...words, '--registry', registry.url, '--cache', join(folder, 'cache')], where);
  const selvage = (...words: string[]): Promise<Ended> =>
    ended(join(prefix(), 'bin', 'selvage'), words, folder);

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'selvage-package-'));
    registry = await startRegistry();
    const { code, out, err } = await npm(
      ROOT,
      ...['pack', '--json', '--foreground-scripts=false', '--pack-destination', folder],
    );
    assert.equal(code, 0, err);
    [packed] = JSON.parse(out) as [Packed];
    tarball = join(folder, packed.filename);
    mkdirSync(project());
  });

  after(() => {
    registry.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('can be published, and holds neither sources nor tests', () => {
    assert.equal(MANIFEST.private, undefined);
    assert.ok(packed.unpackedSize < MOST_OCTETS, `${packed.unpackedSize} octets`);
    const odd = packed.files.filter(({ path }) =>
      /^(test|services|bench|dist\/(test|bench))\/|^dist\/services\/.*(?<!\.d\.ts)$|\.map$/.test(
        path,
      ),
    );
    assert.deepEqual(odd, []);
  });

  it('lists what it needs and carries, and carries nothing that it needs', async () => {
    const bill = JSON.parse(readFileSync(join(ROOT, 'dist/sbom.cdx.json'), 'utf8')) as Bill;
    assert.ok(packed.files.some(({ path }) => path === 'dist/sbom.cdx.json'));
    const listed = bill.components.map(({ name, version }) => `${name}@${version}`).sort();
    const words = ['ls', '--all', '--parseable', '--long', '--omit=dev', '--omit=peer'];
    const { out } = await npm(ROOT, ...words);
    const installed = out
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(':')[1]!);
    assert.ok(installed.length > 40);
    const ofPage = listed.filter((one) => /^(preact|uplot)@/.test(one));
    assert.deepEqual(ofPage.length, 2);
    assert.deepEqual(listed, [...installed, ...ofPage].sort());
    // A package in a bundle would be there twice, and unseen by audits.
    const programs = packed.files.filter(({ path }) => /^dist\/programs\/.*\.js$/.test(path));
    const files = programs.map(({ path }) => join(ROOT, `${path}.map`)).filter(existsSync);
    const maps = files.map((file) => readFileSync(file, 'utf8'));
    assert.ok(maps.some((map) => map.includes('services/cli/main.ts')));
    assert.ok(!maps.some((map) => map.includes('node_modules/')));
  });

  it('is installed globally in at most 70 MB, and npm warns of one script at most', async () => {
    const { code, out, err } = await npm(
      folder,
      ...['install', '--global', '--prefix', prefix(), tarball],
    );
    assert.equal(code, 0, err);
    // It compares versions, and may stay away: npm of some versions says so.
    const named = err.match(/(?<=^npm warn install-scripts {3})\S+/gm) ?? [];
    assert.ok(
      named.every((name) => name.startsWith('protobufjs@7.')),
      err,
    );
    assert.equal(err.replace(/^npm warn install-scripts.*\n/gm, ''), '');
    assert.match(out, /^\nadded \d+ packages in \S+\n$/);
    const octets = octetsOf(prefix());
    assert.ok(octets < INSTALLED_MOST_OCTETS, `${octets} octets`);
  });

  it('runs a scenario in one thread and in two, with tables as CSV only', async () => {
    assert.equal((await selvage('init')).code, 0);
    for (const threads of [[], ['--threads', '2']]) {
      const { code, out, err } = await selvage('run', 'scenario.yaml', '--out', 'run', ...threads);
      assert.equal(code, 0, err);
      assert.match(out, /leaf-spine-incast {2}complete/);
      assert.match(err, /Parquet tables .* need @duckdb\/node-api: npm install --global @duckdb/);
      assert.ok(existsSync(join(folder, 'run/flows.csv')));
      assert.ok(!existsSync(join(folder, 'run/flows.parquet')));
      rmSync(join(folder, 'run'), { recursive: true });
    }
  });

  it('names the optional package that a command needs, and how to install it', async () => {
    assert.equal((await selvage('run', 'scenario.yaml', '--out', 'asked', '--no-parquet')).err, '');
    for (const [words, name] of [
      [['query', 'asked', 'select 1'], '@duckdb/node-api'],
      [['k8s', 'run', 'scenario.yaml'], '@kubernetes/client-node'],
    ] as const) {
      const { code, err } = await selvage(...words);
      assert.equal(code, 2);
      const install = `npm install --global ${name}@${MANIFEST.peerDependencies[name]!}`;
      assert.match(err, new RegExp(`^[^\\n]+ need ${name}: ${install}\\n$`));
      assert.ok((await selvage('doctor')).out.includes(install));
    }
  });

  it('exports the library and the interface of plugins to a project, with their types', async () => {
    // As npm has installed it.
    mkdirSync(join(project(), 'node_modules'));
    symlinkSync(join(globalModules(), 'selvage'), join(project(), 'node_modules/selvage'));
    writeFileSync(
      join(project(), 'own.mts'),
      `import { load, run } from 'selvage';
      import * as plugin from 'selvage/plugin';
      const { results } = await run(load('../scenario.yaml')).outcome;
      const status: string = results.status;
      console.log(status, typeof plugin);`,
    );
    mkdirSync(join(project(), 'node_modules/@types'), { recursive: true });
    for (const name of ['@types/node', 'undici-types']) link(join(project(), 'node_modules'), name);
    const strict = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
    const compiler = join(ROOT, 'node_modules/.bin/tsc');
    const compiled = await ended('node', [compiler, ...strict, 'own.mts'], project());
    assert.deepEqual(compiled, { code: 0, out: '', err: '' });
    const { out } = await ended('node', ['own.mjs'], project());
    assert.equal(out, 'complete object\n');
  });

  it('writes Parquet and answers SQL with the optional packages', async () => {
    for (const name of Object.keys(MANIFEST.peerDependencies)) link(globalModules(), name);
    const { code, err } = await selvage('run', 'scenario.yaml', '--out', 'whole');
    assert.deepEqual([code, err], [0, '']);
    assert.ok(existsSync(join(folder, 'whole/flows.parquet')));
    assert.equal((await selvage('query', 'whole', 'select count(*) as n from flows')).code, 0);
  });
});

/** Asynchronous, since the registry is in this process. */
function ended(command: string, words: readonly string[], cwd: string): Promise<Ended> {
  const child = spawn(command, words, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.on('data', (data) => (out += String(data)));
  child.stderr.on('data', (data) => (err += String(data)));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ code, out, err });
    });
  });
}

function link(modules: string, name: string): void {
  mkdirSync(dirname(join(modules, name)), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
}

/** Blocks of the disk that a folder takes. */
function octetsOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? octetsOf(path) : lstatSync(path).blocks * 512;
    })
    .reduce((sum, octets) => sum + octets, 0);
}
