/** The package as another one has it: packed, unpacked, imported by its name. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { load, PluginError, run, ScenarioError } from '../../services/library/index.js';
import { blocksOf, doAsPageSays } from '../kit/page.js';
import { ROOT, run as runToEnd, fabricOf } from '../kit/emulate.js';

const PAGE = 'docs/library.md';
const EXAMPLE = join(ROOT, 'examples/incast-pfc.yaml');

describe('the library', () => {
  it('gives the results of the command line, in one thread and in several', async () => {
    const expected = runToEnd(fabricOf('examples/incast-pfc.yaml'));
    for (const options of [{}, { threads: 2, check: true }]) {
      const { results, expectations } = await run(load(EXAMPLE), options).outcome;
      assert.deepEqual(results, expected);
      assert.ok(expectations.length > 0 && expectations.every(({ ok }) => ok));
    }
  });

  it('yields its progress, and ends', async () => {
    const going = run(load(EXAMPLE, { set: ['load.0.bytes=4MB', 'expect=[]'] }));
    const shares: number[] = [];
    for await (const { share } of going) shares.push(share);
    assert.ok(shares.length > 0);
    assert.deepEqual(
      shares,
      [...shares].sort((a, b) => a - b),
    );
    assert.equal((await going.outcome).results.status, 'complete');
    const late: number[] = [];
    for await (const { share } of going) late.push(share);
    assert.deepEqual(late, shares.slice(-1));
  });

  it('throws a failure of the run where its progress is read, and in threads alike', async () => {
    const text = `export default { api: 1, kind: 'congestion-control', name: 'gone', help: 'x.',
  feedback: 'acknowledgements', state: {}, acknowledged() { throw new Error('gone'); } };`;
    const folder = mkdtempSync(join(tmpdir(), 'selvage-'));
    writeFileSync(join(folder, 'gone.mjs'), text);
    const document = {
      selvage: 1,
      plugins: ['gone.mjs'],
      fabric: { generator: 'pair' },
      load: [
        {
          stream: { from: 'h1', to: 'h2' },
          bytes: 99_000,
          congestion: 'gone',
          transport: 'reliable',
        },
      ],
    };
    for (const options of [{}, { threads: 2 }]) {
      const going = run(load(document, { folder }), options);
      const read = async (): Promise<void> => {
        for await (const { share } of going) assert.ok(share <= 1);
      };
      const isFailure = (error: unknown): boolean =>
        error instanceof PluginError && error.message.startsWith('gone threw at ');
      await assert.rejects(read(), isFailure);
      await assert.rejects(going.outcome, isFailure);
    }
    rmSync(folder, { recursive: true });
  });

  it('goes on when a loop over its progress is left early', async () => {
    const going = run(load(EXAMPLE, { set: ['expect=[]'] }));
    for await (const { share } of going) {
      assert.ok(share <= 1);
      break;
    }
    assert.equal((await going.outcome).results.status, 'complete');
  });

  it('takes an object that extends files, as a file does', () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvage-'));
    writeFileSync(join(folder, 'base.yaml'), 'selvage: 1\nfabric: { generator: pair }\n');
    const scenario = load({ extends: 'base.yaml', name: 'own' }, { folder });
    assert.deepEqual([scenario.name, scenario.devices], ['own', ['h1', 'h2']]);
    assert.throws(() => load({ extends: 'none.yaml' }, { folder }), /unusable base file/);
    rmSync(folder, { recursive: true });
  });

  it('refuses what an object has and no file says', () => {
    const pair = { selvage: 1, fabric: { generator: 'pair' } };
    const circle: Record<string, unknown> = { ...pair };
    circle['hosts'] = circle;
    for (const [document, problem] of [
      [{ ...pair, seed: () => 1 }, /seed: no value of a scenario: a function$/],
      [{ ...pair, seed: 1n }, /seed: no value of a scenario: a bigint$/],
      [{ ...pair, seed: NaN }, /seed: no value of a scenario: NaN$/],
      [circle, /the object contains itself$/],
      [[], /not a mapping of keys; a scenario begins with selvage: 1$/],
    ] as const) {
      assert.throws(
        () => load(document),
        (error) => error instanceof ScenarioError && problem.test(error.message),
      );
    }
  });

  it('takes an object, whose paths start in a folder', async () => {
    const document = {
      selvage: 1,
      plugins: ['aim.mjs'],
      fabric: { generator: 'pair' },
      load: [
        { stream: { from: 'h1', to: 'h2' }, bytes: 1000, congestion: 'aim', transport: 'reliable' },
      ],
    };
    const scenario = load(document, { folder: join(ROOT, 'examples'), set: ['name=pair'] });
    assert.equal(scenario.name, 'pair');
    assert.deepEqual(scenario.devices, ['h1', 'h2']);
    const { results } = await run(scenario).outcome;
    assert.equal(results.plugins[0]!.name, 'aim');
    assert.equal(
      (await run(load(scenario.document as object)).outcome).results.digest,
      results.digest,
    );
  });

  it('names the path of what is wrong in an object, and the line of a file', () => {
    const stray = { stream: { from: 'h1', to: 'h9' }, bytes: 1000 };
    const pair = { selvage: 1, fabric: { generator: 'pair' } };
    const messagesOf = (document: object, set: readonly string[] = []): string[] => {
      try {
        load(document, { set });
      } catch (error) {
        assert.ok(error instanceof ScenarioError);
        return [error, ...error.others].map(({ message }) => message);
      }
      return [];
    };
    const unknownHost = 'there is no host h9; did you mean h1?';
    assert.deepEqual(messagesOf({ ...pair, load: [stray] }), [`load.0.stream.to: ${unknownHost}`]);
    const [first, second] = messagesOf({ ...pair, seed: -1, lode: [] });
    assert.match(first!, /^unknown key: lode; /);
    assert.match(second!, /^seed: not /);
    assert.match(messagesOf(pair, ['seed=-1'])[0]!, /^--set seed=-1: /);
    const folder = mkdtempSync(join(tmpdir(), 'selvage-library-'));
    writeFileSync(join(folder, 'base.yaml'), 'selvage: 1\nseed: -1\n');
    const base = { ...pair, extends: join(folder, 'base.yaml') };
    assert.match(messagesOf(base)[0]!, /base\.yaml:2:7: seed: not /);
    rmSync(folder, { recursive: true });
  });

  it('ends where a signal asks, also before it begins', async () => {
    const scenario = load(EXAMPLE, { set: ['load.0.bytes=100MB', 'expect=[]'] });
    for (const options of [{}, { threads: 2 }]) {
      const { outcome } = run(scenario, { ...options, signal: AbortSignal.timeout(50) });
      assert.equal((await outcome).results.status, 'interrupted');
    }
    const { outcome } = run(scenario, { signal: AbortSignal.abort() });
    assert.equal((await outcome).results.status, 'interrupted');
  });

  it('throws errors that a program can distinguish', async () => {
    assert.throws(
      () => load({ selvage: 1, lode: [] }),
      (error) => {
        assert.ok(error instanceof ScenarioError);
        assert.match(error.message, /unknown key: lode; .*did you mean load\?/);
        return true;
      },
    );
    await assert.rejects(run(load(EXAMPLE), { threads: 0 }).outcome, RangeError);
    assert.throws(() => run({ ...load(EXAMPLE) }), TypeError);
    const misspelt = { thread: 2 } as object;
    assert.throws(
      () => run(load(EXAMPLE), misspelt),
      new TypeError(
        'unknown option: thread; there is threads, check, signal; did you mean threads?',
      ),
    );
    assert.throws(
      () => load(EXAMPLE, { set: 'seed=1' } as object),
      new TypeError('set: seed=1 is no list of path=value'),
    );
    const text = `export default { api: 1, kind: 'congestion-control', name: 'bad', help: 'Throws.',
      feedback: 'acknowledgements', state: {}, acknowledged() { gone(); } };`;
    const folder = mkdtempSync(join(tmpdir(), 'selvage-library-'));
    writeFileSync(join(folder, 'bad.mjs'), text);
    const set = [`plugins=["${join(folder, 'bad.mjs')}"]`, 'load.0.congestion=bad'];
    const scenario = load(EXAMPLE, { set });
    rmSync(folder, { recursive: true });
    await assert.rejects(run(scenario).outcome, PluginError);
  });
});

describe(PAGE, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-library-'));
  const done = (command: string, ...words: string[]): void => {
    const { status, stdout, stderr } = spawnSync(command, words, { cwd: folder, encoding: 'utf8' });
    assert.equal(status, 0, `${command} ${words.join(' ')}\n${stdout}${stderr}`);
  };

  before(() => {
    // As `npm install` does it, but without a network: what it depends on is here already.
    const installed = join(folder, 'node_modules/selvage');
    mkdirSync(installed, { recursive: true });
    done('npm', 'pack', ROOT, '--ignore-scripts', '--silent');
    const packed = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
    done('tar', '-xzf', packed, '--strip-components=1', '-C', installed);
    symlinkSync(join(ROOT, 'node_modules'), join(installed, 'node_modules'));
    for (const name of ['sweep-buffer.mjs', 'aim.mjs']) {
      copyFileSync(join(ROOT, 'examples', name), join(folder, name));
    }
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('does what it says, with the package as it is installed', () => {
    assert.equal(doAsPageSays(PAGE, folder, process.env), 3);
  });

  it('has types for the examples and for plugins', () => {
    const names = blocksOf(PAGE).flatMap(({ name }) => (name?.endsWith('.mjs') ? [name] : []));
    writeFileSync(
      join(folder, 'control.ts'),
      `import type { CongestionControl } from 'selvage/plugin';
export default {
  api: 1,
  kind: 'congestion-control',
  name: 'typed',
  help: 'Halves.',
  feedback: 'marks',
  state: { marks: 0 },
  marked(connection) {
    connection.state.marks++;
    connection.rateBps = Math.max(1e9, connection.rateBps / 2);
    // @ts-expect-error: not declared
    connection.state.other = 1;
  },
} satisfies CongestionControl<never, 'marks'>;
`,
    );
    const options = ['--noEmit', '--checkJs', '--allowJs', '--strict', '--skipLibCheck'];
    const system = ['--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
    const roots = ['--typeRoots', join(ROOT, 'node_modules/@types')];
    const files = [...names, 'sweep-buffer.mjs', 'aim.mjs', 'control.ts'];
    done(join(ROOT, 'node_modules/.bin/tsc'), ...options, ...system, ...roots, ...files);
  });
});
