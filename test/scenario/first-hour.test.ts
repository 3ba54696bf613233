/** What a newcomer does in the first hour: examples by name, a starter, a cause, a page. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';

const MAIN = join(ROOT, 'dist/programs/selvage.js');
const folder = mkdtempSync(join(tmpdir(), 'selvage-hour-'));
after(() => {
  rmSync(folder, { recursive: true });
});

function selvage(...words: string[]): { code: number | null; out: string; err: string } {
  const env = { ...process.env, BROWSER: join(folder, 'browser') };
  const given = { cwd: folder, encoding: 'utf8', env } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...words], given);
  return { code: status, out: stdout, err: stderr };
}

describe('examples', () => {
  it('are all listed with what they show, and run from any folder by their names', () => {
    const { out } = selvage('examples');
    const names = readdirSync(join(ROOT, 'examples'))
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => file.slice(0, -'.yaml'.length));
    const listed = [...out.matchAll(/^ {2}(\S+) {2,}\S/gm)].map(([, name]) => name!);
    assert.deepEqual(listed.sort(), names.sort());
    const run = selvage('run', 'pair-line-rate', '--out', 'pair', '--no-parquet');
    assert.equal(run.code, 0, run.err);
    assert.match(run.out, /selvage duel pair-line-rate /);
    assert.equal(selvage('validate', '--strict', join(ROOT, 'examples/flap.yaml')).code, 0);
    assert.equal(selvage('topology', 'ring-deadlock').code, 0);
  });

  it('are printed by their names, and suggested where a name is wrong', () => {
    const text = readFileSync(join(ROOT, 'examples/incast-pfc.yaml'), 'utf8');
    assert.equal(selvage('examples', 'incast-pfc').out, text);
    const { code, err } = selvage('run', 'incast-pf');
    assert.equal(code, 2);
    assert.match(
      err,
      /^incast-pf: there is no such file, and no example .*did you mean incast-pfc/,
    );
    assert.match(selvage('examples', 'nope').err, /no example is called nope/);
  });

  it('give way to a file of the same name', () => {
    writeFileSync(join(folder, 'flap'), 'selvage: 2\n');
    assert.match(selvage('run', 'flap').err, /^flap:1:/);
  });
});

describe('init', () => {
  it('writes a scenario whose run shows pauses and a cause', () => {
    assert.equal(selvage('init', 'first.yaml').code, 0);
    assert.equal(selvage('validate', '--strict', 'first.yaml').code, 0);
    const { code, out } = selvage('run', 'first.yaml', '--out', 'first', '--no-parquet');
    assert.equal(code, 0);
    assert.match(
      out,
      /^leaf2:p1 priority 3 was congested .* filled by 3 flows of burst; a victim:/m,
    );
    assert.match(out, /^Pause, worst first$/m);
  });

  it('writes any fabric under any mechanism with any load, soundly', () => {
    let count = 0;
    const write = (...words: string[]): void => {
      const file = `s${++count}.yaml`;
      assert.equal(selvage('init', file, ...words).code, 0, words.join(' '));
      const { code, err, out } = selvage('validate', '--strict', file);
      assert.equal(code, 0, `${words.join(' ')}: ${out}${err}`);
    };
    for (const fabric of ['star', 'leaf-spine', 'fat-tree']) write('--fabric', fabric);
    for (const load of ['incast', 'all-to-all', 'random']) write('--load', load);
    for (const mechanism of [
      'none',
      'pause',
      'credit',
      'cbfc',
      'pfc+dcqcn',
      'pfc+hpcc',
      'pfc+ci',
      'cbfc+llr',
    ]) {
      write('--mechanism', mechanism, '--fabric', 'star');
    }
  });

  it('says what there is', () => {
    assert.match(
      selvage('init', 'x.yaml', '--fabric', 'sta').err,
      /unknown fabric: sta; there is .*star/,
    );
    assert.match(
      selvage('init', 'x.yaml', '--mechanism', 'pcf').err,
      /--mechanism: not a mechanism/,
    );
  });
});

describe('names in place of numbers', () => {
  it('choose a load in --set, and a flow in why', () => {
    const settings = ['--set', 'load.burst.bytes=100KB', '--set', 'load.victim.bytes=200KB'];
    const run = selvage('run', 'first.yaml', ...settings, '--out', 'named', '--no-parquet');
    assert.equal(run.code, 0, run.err);
    const flows = readFileSync(join(folder, 'named/flows.csv'), 'utf8');
    assert.equal([...flows.matchAll(/,burst,.*,100000,/g)].length, 3);
    assert.match(selvage('why', 'named', '--flow', 'victim').out, /^victim\/h4->h6 /);
    assert.match(selvage('why', 'named', '--flow', 'h4->h6').out, /^victim\/h4->h6 /);
    assert.match(selvage('why', 'named', '--flow', 'burst').err, /3 flows are called so; name one/);
    const { err } = selvage('run', 'first.yaml', '--set', 'load.brust.bytes=1KB');
    assert.match(
      err,
      /no such item of the list: "?brust"?; allowed: 0 to 1, or a name: burst, victim/,
    );
  });
});

describe('pages', () => {
  it('are opened by --open', async () => {
    const seen = join(folder, 'seen');
    writeFileSync(join(folder, 'browser'), `#!/bin/sh\nprintf %s "$1" > '${seen}'\n`);
    chmodSync(join(folder, 'browser'), 0o755);
    assert.equal(selvage('report', 'first', '--open').code, 0);
    while (!existsSync(seen) || readFileSync(seen, 'utf8') === '') {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    assert.equal(readFileSync(seen, 'utf8'), 'first/report.html');
  });
});

describe('an incast', () => {
  it('says that a sender is lost where its receiver is named among them', () => {
    const set = ['--set', 'load.burst.incast.from=h1..h5', '--set', 'load.burst.incast.to=h5'];
    const { out } = selvage('run', 'first.yaml', ...set, '--out', 'own', '--no-parquet');
    assert.match(out, /WARNING h5 receives the incast burst and is named among its senders/);
    const wide = selvage('run', 'first.yaml', '--set', 'load.burst.incast.from=h*', '--quiet');
    assert.doesNotMatch(wide.out + wide.err, /WARNING/);
  });
});

describe('a slowdown', () => {
  it('is never below one, of flows that have just begun neither', () => {
    const late = `load=[{ name: late, stream: { from: h1, to: h5 }, bytes: 9MB, start: 90us, priority: 3 }]`;
    const words = ['--set', 'duration=100us', '--set', late, '--set', 'expect=[]', '--json'];
    const { out } = selvage('run', 'first.yaml', ...words, '--out', 'late', '--no-parquet');
    const { priorities } = JSON.parse(out) as {
      priorities: { slowdown: { atLeast: { p99: number } } }[];
    };
    assert.equal(priorities[0]!.slowdown.atLeast.p99, 1);
  });
});

describe('an interrupt', () => {
  it('is confirmed at once, and leads to resume', async () => {
    const words = [
      'run',
      'first.yaml',
      '--set',
      'load.burst.bytes=400MB',
      '--out',
      'cut',
      '--force',
      '--control',
    ];
    // Its own folder for temporary files, where commands find a run that is under way.
    const env = { ...process.env, TMPDIR: folder };
    const child = spawn(process.execPath, [MAIN, ...words], { cwd: folder, env });
    let [out, err] = ['', ''];
    child.stderr.on('data', (text: Buffer) => (err += text.toString()));
    child.stdout.on('data', (text: Buffer) => (out += text.toString()));
    const hasBegun = (): boolean => {
      const all = JSON.parse(
        String(spawnSync(process.execPath, [MAIN, 'status', '--json'], { env }).stdout),
      ) as { virtualPs: number }[];
      return all.some(({ virtualPs }) => virtualPs > 0);
    };
    while (!hasBegun()) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill('SIGINT');
    const code = await new Promise((resolve) => child.on('close', resolve));
    assert.equal(code, 130);
    assert.match(err, /interrupted: what was measured is written/);
    assert.match(out, /^Next\n {2}selvage resume cut {2}/m);
    // Its page takes as long as all else that is written, and is written when it is wanted.
    const page = join(folder, 'cut/report.html');
    assert.equal(existsSync(page), false);
    assert.equal(selvage('report', 'cut').code, 0);
    assert.ok(existsSync(page));
  });
});

describe('keys without effect', () => {
  it('are warned of by run, with their place, as by validate', () => {
    const file = join(folder, 'idle-keys.yaml');
    writeFileSync(
      file,
      `selvage: 1
duration: 10us
fabric: { generator: star, hosts: 3 }
priorities: { 3: { flowControl: credit, xoff: 20KB, alpha: 2 } }
load: [{ incast: { from: [h1, h2], to: h3 }, bytes: 10KB, priority: 3 }]
`,
    );
    const warned =
      /^warning: .*idle-keys\.yaml:4:47: xoff has no effect on priority 3 under credit/m;
    assert.match(selvage('validate', file).err, warned);
    const { code, err } = selvage('run', file, '--out', join(folder, 'idle-keys'));
    assert.equal(code, 0);
    assert.match(err, warned);
    assert.match(err, /alpha has no effect/);
    assert.equal(selvage('run', file, '--quiet', '--out', join(folder, 'idle-keys')).err, '');
  });
});

describe('completion', () => {
  it('completes values: examples, mechanisms, templates', () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { out } = selvage('completion', shell);
      for (const word of ['incast-pfc', 'pfc+sfc', 'fat-tree', 'credit-loss-sweep']) {
        assert.ok(out.includes(word), `${shell}: ${word}`);
      }
    }
    const script = `source <('${process.execPath}' '${MAIN}' completion bash)
COMP_WORDS=(selvage run incast-c); COMP_CWORD=2; _selvage; echo "\${COMPREPLY[*]}"
COMP_WORDS=(selvage duel x.yaml --mechanisms pfc+s); COMP_CWORD=4; _selvage; echo "\${COMPREPLY[*]}"`;
    const { stdout } = spawnSync('bash', ['-c', script], { encoding: 'utf8', cwd: folder });
    assert.equal(stdout, 'incast-cbfc incast-ci incast-credit\npfc+swift pfc+sfc\n');
  });
});

describe('help of a duel', () => {
  it('names every mechanism that is registered', () => {
    const { out } = selvage('duel', '--help');
    for (const name of ['cbfc', '+llr', '+swift', 'plugin']) assert.ok(out.includes(name), name);
  });
});
