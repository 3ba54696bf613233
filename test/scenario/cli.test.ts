import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';

const LATE = 'transport: { reliable: { window: 4, ackEvery: 8 } }';
const MAIN = join(ROOT, 'dist/programs/selvage.js');

interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Under {
  readonly virtualPs: number;
}

describe('selvage', () => {
  let folder = '';
  const at = (name: string): string => join(folder, name);
  const selvage = (...words: string[]): Said => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...words], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { code: status, out: stdout, err: stderr };
  };
  const example = (name: string): string => join(ROOT, 'examples', `${name}.yaml`);

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'selvage-cli-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('runs a scenario, prints a summary and leaves a run directory', () => {
    const { code, out, err } = selvage('run', example('incast-pfc'), '--out', at('a'));
    assert.equal(code, 0);
    assert.equal(err, '');
    assert.match(out, /pass {2}lossless-drops/);
    assert.ok(out.split('\n').every((line) => line.length <= 250));
    assert.deepEqual(readdirSync(at('a')).sort(), [
      'digest',
      'episodes.csv',
      'episodes.parquet',
      'flows.csv',
      'flows.parquet',
      'margins.csv',
      'margins.parquet',
      'origin.json',
      'ports.csv',
      'ports.parquet',
      'report.html',
      'scenario.json',
      'series.csv',
      'series.parquet',
      'status',
      'summary.json',
      'why.json',
    ]);
    assert.equal(readFileSync(join(at('a'), 'status'), 'utf8'), 'complete\n');
    assert.equal(readFileSync(join(at('a'), 'flows.csv'), 'utf8').split('\n').length, 8 + 2);
  });

  it('writes the same files again for the same scenario, but for the wall clock', () => {
    selvage('run', example('incast-pfc'), '--out', at('b1'), '--quiet');
    selvage('run', example('incast-pfc'), '--out', at('b2'), '--quiet', '--check');
    for (const name of readdirSync(at('b1'))) {
      const [one, other] = ['b1', 'b2'].map((d) => readFileSync(join(at(d), name), 'utf8'));
      const timeless = (text: string): string => text.replace(/"elapsedSeconds": [\d.e-]+/, '');
      assert.equal(timeless(one!), timeless(other!), name);
    }
  });

  it('overwrites a run, and leaves a folder alone that is none', () => {
    const words = ['run', example('pair-line-rate'), '--quiet', '--out'];
    mkdirSync(at('mine'));
    writeFileSync(join(at('mine'), 'thesis.txt'), 'all of it');
    const refused = selvage(...words, at('mine'));
    assert.equal(refused.code, 2);
    assert.match(refused.err, /mine holds something that is not a run; name a new or empty folder/);
    assert.deepEqual(readdirSync(at('mine')), ['thesis.txt']);
    assert.equal(selvage(...words, at('twice')).code, 0);
    assert.equal(selvage(...words, at('twice')).code, 0);
  });

  it('runs the resolved scenario of a run directory to the same digest', () => {
    selvage('run', example('ring-all-reduce'), '--out', at('c1'), '--quiet');
    selvage('run', join(at('c1'), 'scenario.json'), '--out', at('c2'), '--quiet');
    const digest = (run: string): string => readFileSync(join(at(run), 'digest'), 'utf8');
    assert.equal(digest('c2'), digest('c1'));
  });

  it('records a series and episodes unless it is run with --no-observe, to the same digest', () => {
    selvage('run', example('pair-line-rate'), '--out', at('seen'), '--quiet', '--no-parquet');
    const words = ['--out', at('unseen'), '--quiet', '--no-parquet', '--no-observe'];
    selvage('run', example('pair-line-rate'), ...words);
    const observed = ['series.csv', 'episodes.csv', 'why.json'];
    const [seen, unseen] = [readdirSync(at('seen')), readdirSync(at('unseen'))];
    assert.deepEqual(
      seen.filter((name) => !unseen.includes(name)),
      observed.toSorted(),
    );
    const digest = (run: string): string => readFileSync(join(at(run), 'digest'), 'utf8');
    assert.equal(digest('unseen'), digest('seen'));
  });

  it('prints nothing but JSON with --json', () => {
    const { code, out } = selvage('run', example('pair-line-rate'), '--out', at('d'), '--json');
    assert.equal(code, 0);
    const summary = JSON.parse(out) as { digest: string; expectations: { ok: boolean }[] };
    assert.match(summary.digest, /^[0-9a-f]{32}$/);
    assert.ok(summary.expectations.every(({ ok }) => ok));
  });

  it('says by its exit code that an expectation failed', () => {
    const set = 'expect=[{ metric: throughput, min: 99G }]';
    const { code, out } = selvage('run', example('pair-line-rate'), '--set', set, '--out', at('e'));
    assert.equal(code, 1);
    assert.match(out, /FAIL {2}throughput/);
  });

  it('says that an expectation about nothing failed, and what was meant', () => {
    const set = 'expect=[{ metric: completed, flow: burst/h22->h1, min: 1 }]';
    const { code, out } = selvage('run', example('incast-pfc'), '--set', set, '--out', at('f'));
    assert.equal(code, 1);
    assert.match(out, /no flow is called burst\/h22->h1; did you mean burst\/h2->h1\?/);
  });

  it('fails when a lossless priority loses, and says where and when', () => {
    const set = 'priorities.3.headroom=1000';
    const { code, out } = selvage('run', example('incast-pfc'), '--set', set, '--out', at('g'));
    assert.equal(code, 3);
    assert.match(out, /FAILED at .* on s1:p\d, priority 3: a frame of a lossless priority/);
    assert.equal(readFileSync(join(at('g'), 'status'), 'utf8'), 'failed\n');
  });

  it('answers bad input with one line that names file, line, value and cure, and code 2', () => {
    const bad = (text: string): Said => {
      writeFileSync(at('bad.yaml'), text);
      return selvage('run', at('bad.yaml'), '--out', at('never'));
    };
    const cases: readonly [string, RegExp][] = [
      [
        'selvage: 1\nfabric: { generator: star, hots: 3 }\n',
        /bad\.yaml:2:28: .*hots.*did you mean hosts\?/,
      ],
      ['selvage: 1\nfabric: { generator: pear }\n', /bad\.yaml:2:\d+: .*pear.*did you mean pair\?/],
      ['selvage: 1\nduration: 5 minuts\n', /bad\.yaml:2:\d+: .*5 minuts/],
      ['selvage: 1\nfabric: { generator: pair\n', /bad\.yaml:\d/],
      [
        'selvage: 1\nfabric: { generator: pair }\nload:\n  - { name: x, stream: { from: h1, to: h3 }, bytes: 1KB }\n',
        /bad\.yaml:4:\d+: .*h3/,
      ],
    ];
    for (const [text, expected] of cases) {
      const { code, out, err } = bad(text);
      assert.equal(code, 2, err);
      assert.equal(out, '');
      assert.match(err, expected);
      assert.equal(err.trimEnd().split('\n').length, 1, err);
    }
    assert.ok(!existsSync(at('never')));
  });

  it('answers wrong usage, unreadable files and unwritable folders with code 2', () => {
    writeFileSync(at('file'), '');
    mkdirSync(at('foreign'));
    writeFileSync(join(at('foreign'), 'thesis.tex'), '');
    for (const words of [
      ['frobnicate'],
      ['run'],
      ['run', 'no-such-file.yaml'],
      ['run', folder],
      ['run', example('pair-line-rate'), '--bogus'],
      ['run', example('pair-line-rate'), '--out', join(at('file'), 'below')],
      ['run', example('pair-line-rate'), '--out', at('foreign')],
      ['run', example('pair-line-rate'), '--set', 'fabric.generator=pear'],
      ['run', example('pair-line-rate'), '--set', 'nonsense'],
      ['explain', 'xof'],
      ['topology', example('pair-line-rate'), '--format', 'png'],
      ['validate', 'no-such-file.yaml'],
    ]) {
      const { code, err } = selvage(...words);
      assert.equal(code, 2, `${words.join(' ')}: ${err}`);
      assert.notEqual(err, '');
      assert.ok(!err.includes('    at '), err);
    }
    assert.deepEqual(readdirSync(at('foreign')), ['thesis.tex']);
  });

  it('says that what it prints finds no room, and keeps what stood in a file', () => {
    const words = ['schema', '--out', at('schema.json')];
    writeFileSync(at('schema.json'), 'as it was');
    // No file may become longer than a block: what a full disk does, from a shell.
    const full = (script: string): { status: number | null; stderr: string } =>
      spawnSync('sh', ['-c', script, process.execPath, MAIN, ...words], { encoding: 'utf8' });
    const { status, stderr } = full('ulimit -f 1; exec "$0" "$@"');
    assert.equal(status, 2);
    assert.match(stderr, /schema\.json cannot be written: E(FBIG|NOSPC)/);
    assert.equal(readFileSync(at('schema.json'), 'utf8'), 'as it was');
    assert.ok(!existsSync(at('schema.json.new')));
    if (!existsSync('/dev/full')) return;
    words.splice(1);
    const printed = full('exec "$0" "$@" > /dev/full');
    assert.equal(printed.status, 2);
    assert.match(printed.stderr, /^standard output cannot be written: ENOSPC/);
  });

  it('warns where a scenario asks for what it hardly means, with the place and the remedy', () => {
    const flowlets = [example('leaf-spine-all-to-all'), '--set', 'switches.ecmp=flowlet'];
    const { code, out, err } = selvage('validate', ...flowlets);
    assert.equal(code, 0);
    assert.match(out, /: sound; /);
    assert.match(err, /^warning: \S+\.yaml:\d+:\d+: ecmp spreads the frames .*; use ecmp: flow/);
    const [verdict] = JSON.parse(selvage('validate', '--json', ...flowlets).out) as [
      { warnings: string[] },
    ];
    assert.equal(verdict.warnings.length, 1);
    const late = `load: [{ stream: { from: h1, to: h2 }, bytes: 1KB, ${LATE} }]`;
    writeFileSync(at('late.yaml'), `selvage: 1\nfabric: { generator: pair }\n${late}\n`);
    const warned = selvage('validate', 'late.yaml').err;
    assert.match(warned, /^warning: \S+\.yaml:3:98: ackEvery is more than window, .*; ackEvery: /);
  });

  it('refuses what would tell nothing, unless it is forced', () => {
    const spray = [example('leaf-spine-all-to-all'), '--set', 'switches.ecmp=packet'];
    const { code, err } = selvage('validate', ...spray);
    assert.equal(code, 2);
    assert.match(err, /^\S+\.yaml:\d+:\d+: ecmp spreads .* about \d+ for each .*; --force runs it/);
    assert.equal(selvage('run', ...spray, '--quiet').code, 2);
    const forced = selvage('run', ...spray, '--force', '--out', 'forced');
    assert.match(forced.out, /ecmp spreads the frames of/);
    assert.notEqual(forced.code, 2);
  });

  it('writes a starter that validates and runs, and overwrites nothing', () => {
    assert.equal(selvage('init', 'start.yaml').code, 0);
    assert.equal(selvage('validate', 'start.yaml').code, 0);
    assert.equal(selvage('run', 'start.yaml', '--quiet').code, 0);
    assert.equal(selvage('init', 'start.yaml').code, 2);
    assert.match(readdirSync(at('runs')).join(), /^leaf-spine-incast-[0-9a-f]{8}$/);
  });

  it('draws, explains and gives the schema that is kept in the repository', () => {
    assert.match(selvage('topology', example('pair-line-rate')).out, /h1/);
    assert.match(selvage('topology', example('pair-line-rate'), '--format', 'dot').out, /^graph/);
    assert.match(selvage('topology', example('pair-line-rate'), '--format', 'svg').out, /<svg/);
    assert.match(selvage('explain', 'headroom').out, /control frame/);
    assert.match(selvage('explain', 'priorities.*.xoff').out, /Default: dynamic/);
    const kept = readFileSync(join(ROOT, 'docs/scenario.schema.json'), 'utf8');
    assert.equal(selvage('schema').out, kept);
    const keys = readFileSync(join(ROOT, 'docs/keys.md'), 'utf8');
    assert.equal(selvage('explain', '--markdown').out, keys);
    assert.match(
      selvage('explain', 'credit').out,
      /Keys: unit, [^]*each is a topic, as\s+credit\./,
    );
  });

  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    it(`stopped by ${signal} keeps what was measured and marks the run as interrupted`, async () => {
      writeFileSync(
        at('long.yaml'),
        `selvage: 1
duration: 10s
fabric: { generator: star, hosts: 8 }
priorities: { 3: pfc }
load:
  - { name: s, permutation: { hosts: all, shift: 1 }, rate: 50%, priority: 3, transport: raw }
`,
      );
      // Its own folder for temporary files, where commands find a run that is under way.
      const env = { ...process.env, TMPDIR: folder };
      const words = ['run', 'long.yaml', '--control', '--out', at('long')];
      const child = spawn(process.execPath, [MAIN, ...words], { cwd: folder, env });
      const ended = new Promise((resolve) => child.on('exit', resolve));
      const hasBegun = (): boolean => {
        const { stdout } = spawnSync(process.execPath, [MAIN, 'status', '--json'], { env });
        const all = JSON.parse(String(stdout)) as Under[];
        return all.some(({ virtualPs }) => virtualPs > 0);
      };
      while (!hasBegun()) await new Promise((resolve) => setTimeout(resolve, 20));
      child.kill(signal);
      assert.equal(await ended, code);
      assert.equal(readFileSync(join(at('long'), 'status'), 'utf8'), 'interrupted\n');
      const summary = JSON.parse(readFileSync(join(at('long'), 'summary.json'), 'utf8')) as {
        virtualPs: number;
        priorities: { deliveredFrames: number }[];
      };
      assert.ok(summary.virtualPs > 0 && summary.virtualPs < 10e12);
      assert.ok(summary.priorities[0]!.deliveredFrames > 0);
    });
  }
});
