/**
 * What `npm pack` puts into a tarball is the whole program: unpacked into an empty folder, with the
 * packages that it depends on and none of the optional ones, it works; and with these, too.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';

interface Manifest {
  readonly private?: boolean;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
interface LockedPackage {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
}

/** With the packages that it depends on, but for the optional ones. */
const INSTALLED_MOST_OCTETS = 60_000_000;
/** Without packages that it depends on. */
const MOST_OCTETS = 8_000_000;

describe('the package', () => {
  let folder = '';
  let packed: Packed;
  const modules = (): string => join(folder, 'node_modules');
  const node = (...words: string[]): { code: number | null; out: string; err: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, words, {
      cwd: folder,
      encoding: 'utf8',
    });
    return { code: status, out: stdout, err: stderr };
  };
  const selvage = (...words: string[]): ReturnType<typeof node> =>
    node(join(modules(), 'selvage/dist/services/cli/main.js'), ...words);
  const link = (names: readonly string[]): void => {
    for (const name of names) {
      mkdirSync(dirname(join(modules(), name)), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', name), join(modules(), name));
    }
  };

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'selvage-package-'));
    const npm = spawnSync(
      'npm',
      ['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
      {
        cwd: ROOT,
        encoding: 'utf8',
      },
    );
    assert.equal(npm.status, 0, npm.stderr);
    [packed] = JSON.parse(npm.stdout) as [Packed];
    mkdirSync(join(modules(), 'selvage'), { recursive: true });
    const into = ['-xzf', join(folder, packed.filename), '-C', join(modules(), 'selvage')];
    const tar = spawnSync('tar', [...into, '--strip-components=1'], { encoding: 'utf8' });
    assert.equal(tar.status, 0, tar.stderr);
    link(Object.keys(MANIFEST.dependencies));
  });

  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('can be published, and holds neither sources nor tests', () => {
    assert.equal(MANIFEST.private, undefined);
    assert.ok(packed.unpackedSize < MOST_OCTETS, `${packed.unpackedSize} octets`);
    const odd = packed.files.filter(({ path }) =>
      /^(test|services|bench|dist\/(test|bench))\/|\.(map|tsbuildinfo)$/.test(path),
    );
    assert.deepEqual(odd, []);
  });

  it('takes at most 60 MB with what it depends on', () => {
    const octets = neededPackages().reduce((sum, path) => sum + octetsOf(path), 0);
    assert.ok(octets > 10_000_000, `${octets} octets: are the packages here?`);
    assert.ok(packed.unpackedSize + octets < INSTALLED_MOST_OCTETS, `${octets} octets`);
  });

  it('runs a scenario in one thread and in two, with tables as CSV only', () => {
    assert.equal(selvage('init').code, 0);
    for (const threads of [[], ['--threads', '2']]) {
      const { code, out, err } = selvage('run', 'scenario.yaml', '--out', 'run', ...threads);
      assert.equal(code, 0, err);
      assert.match(out, /my-first-fabric {2}complete/);
      assert.match(
        err,
        /Parquet tables .* need the optional package @duckdb\/node-api: npm install/,
      );
      assert.ok(existsSync(join(folder, 'run/flows.csv')));
      assert.ok(!existsSync(join(folder, 'run/flows.parquet')));
      rmSync(join(folder, 'run'), { recursive: true });
    }
  });

  it('names the optional package that a command needs, and how to install it', () => {
    assert.equal(selvage('run', 'scenario.yaml', '--out', 'asked', '--no-parquet').err, '');
    for (const [words, name] of [
      [['query', 'asked', 'select 1'], '@duckdb/node-api'],
      [['k8s', 'run', 'scenario.yaml'], '@kubernetes/client-node'],
    ] as const) {
      const { code, err } = selvage(...words);
      assert.equal(code, 2);
      assert.match(
        err,
        new RegExp(`^[^\\n]+ need the optional package ${name}: npm install ${name}\\n$`),
      );
    }
  });

  it('exports the library and the interface of plugins', () => {
    const program = `
      import { load, run } from 'selvage';
      import * as plugin from 'selvage/plugin';
      const { results } = await run(load('scenario.yaml')).outcome;
      console.log(results.status, typeof plugin);`;
    const { out, err } = node('--input-type=module', '--eval', program);
    assert.equal(out, 'complete object\n', err);
  });

  it('writes Parquet and answers SQL with the optional packages', () => {
    link(Object.keys(MANIFEST.optionalDependencies));
    const { code, err } = selvage('run', 'scenario.yaml', '--out', 'whole');
    assert.deepEqual([code, err], [0, '']);
    assert.ok(existsSync(join(folder, 'whole/flows.parquet')));
    assert.equal(selvage('query', 'whole', 'select count(*) as n from flows').code, 0);
  });
});

/** Folders of packages that an installation without optional ones has. */
function neededPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  return Object.entries(packages)
    .filter(
      ([path, { dev, optional, devOptional }]) => path !== '' && !(dev ?? optional ?? devOptional),
    )
    .map(([path]) => join(ROOT, path));
}

/** Of the files in a folder, but for packages within. */
function octetsOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? octetsOf(path) : lstatSync(path).size;
    })
    .reduce((sum, octets) => sum + octets, 0);
}
