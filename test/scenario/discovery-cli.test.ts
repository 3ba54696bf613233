/** `selvage neighbors`, `dcbx` and `paths`, as a person or a script sees them. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';

const MAIN = join(ROOT, 'dist/programs/selvage.js');
const folder = mkdtempSync(join(tmpdir(), 'selvage-discovery-'));
after(() => {
  rmSync(folder, { recursive: true });
});

function selvage(...words: string[]): { code: number | null; out: string; err: string } {
  const said = spawnSync(process.execPath, [MAIN, ...words], { cwd: folder, encoding: 'utf8' });
  return { code: said.status, out: said.stdout, err: said.stderr };
}

const example = (name: string): string => join(ROOT, 'examples', `discovery-${name}.yaml`);

describe('selvage neighbors', () => {
  it('names the link partner of every port', () => {
    const { code, out } = selvage('neighbors', example('willing-hosts'));
    assert.equal(code, 0);
    assert.match(out, /^ +h1:p1 +leaf1 +p1 +02:01:00:09:00:01 +bridge +\d+ s$/m);
    assert.match(out, /^ +leaf1:p1 +h1 +p1 +02:00:00:00:00:01 +station +\d+ s$/m);
  });

  it('says what is missing where there is no discovery', () => {
    const { code, err } = selvage('neighbors', join(ROOT, 'examples/incast-pfc.yaml'));
    assert.equal(code, 2);
    assert.match(err, /has no discovery; add `discovery: true`/);
  });
});

describe('selvage dcbx', () => {
  it('shows local, remote and operational values, and where they come from', () => {
    const { out } = selvage('dcbx', example('cee-host'));
    assert.match(out, /^ +h1:p1 +cee +none w +3 +3 \(peer\)/m);
    assert.match(out, /^ +s1:p2 +ieee +3 +3 w +3 \(local\)/m);
  });

  it('finds the swapped link, and has an exit code for it', () => {
    const found = selvage('dcbx', '--mismatch', '--json', example('miscabled'));
    assert.equal(found.code, 1);
    const { ports } = JSON.parse(found.out) as { ports: { port: string; mismatches: string[] }[] };
    assert.deepEqual(
      ports.map(({ port, mismatches }) => [port, mismatches]),
      [['h5:p1', ['application']]],
    );
    assert.equal(selvage('dcbx', '--mismatch', example('willing-hosts')).code, 0);
  });

  it('shows a moment between two changes', () => {
    const pfcAt = (...at: string[]): unknown => {
      const { out } = selvage('dcbx', '--json', example('willing-hosts'), ...at);
      interface Port {
        port: string;
        operational: { pfc: { priorities: number[] } };
      }
      const { ports } = JSON.parse(out) as { ports: Port[] };
      return ports.find(({ port }) => port === 'h5:p1')!.operational.pfc.priorities;
    };
    assert.deepEqual(pfcAt('--at', '50us'), [3]);
    assert.deepEqual(pfcAt('--at', '80us'), [3, 4]);
    assert.deepEqual(pfcAt(), [3]);
  });

  it('reads a run that was written, and says the same as its scenario', () => {
    const run = join(folder, 'run');
    assert.equal(selvage('run', example('cee-host'), '--out', run, '--quiet').code, 0);
    interface Port {
      operational: unknown;
      remote: unknown;
      mismatches: unknown;
    }
    const of = (what: string): Port[] =>
      (JSON.parse(selvage('dcbx', '--json', what).out) as { ports: Port[] }).ports;
    const plain = ({ operational, remote, mismatches }: Port): unknown[] => [
      operational,
      remote,
      mismatches,
    ];
    assert.deepEqual(of(run).map(plain), of(example('cee-host')).map(plain));
  });
});

describe('selvage paths', () => {
  it('lists the links that rule out credit, and why', () => {
    const words = ['--from', 'h1', '--to', 'h2', '--priority', '3'];
    const { code, out } = selvage('paths', example('island'), ...words);
    assert.equal(code, 0);
    assert.match(out, /priority 3 {2}lossless, mixed: s2:p2 > s3:p1; s3:p2 > s4:p1$/m);
    assert.match(out, /h1:p1 > s1:p1 +credit +both ends have credit exchange$/m);
    assert.match(out, /s2:p2 > s3:p1 +pfc +no credit exchange at s3:p1: PFC at both ends$/m);
  });

  it('calls a path refused where the scenario lets nothing but credit do', () => {
    const words = ['--from', 'h1', '--to', 'h2', '--priority', '3'];
    const { out } = selvage(
      'paths',
      example('island'),
      ...words,
      '--set',
      'credit.fallback=refuse',
    );
    assert.match(out, /priority 3 {2}refused: s2:p2 > s3:p1$/m);
    assert.match(
      out,
      /s2:p2 > s3:p1 +blocked +no credit exchange at s3:p1: nothing is sent without it$/m,
    );
  });

  it('prints how long the path took to settle, as the run does', () => {
    const words = ['--from', 'h1', '--to', 'h2', '--priority', '3', '--json'];
    interface Path {
      convergencePs: number[];
      lldpdus: number;
    }
    const [path] = JSON.parse(selvage('paths', example('island'), ...words).out) as [Path];
    const run = join(folder, 'island');
    const early = ['--set', 'load.0.start=250us', '--set', 'load.1.start=250us'];
    const quiet = ['--out', run, '--quiet', '--set', 'expect=[]', ...early];
    assert.equal(selvage('run', example('island'), ...quiet).code, 0);
    const { paths } = JSON.parse(readFileSync(join(run, 'discovery.json'), 'utf8')) as {
      paths: [Path];
    };
    assert.deepEqual(paths[0].convergencePs, path.convergencePs);
    assert.ok(path.convergencePs[0]! > 0 && path.lldpdus > 0);
  });

  it('calls a path lossy where a link has nothing, and names the link', () => {
    const words = ['--from', 'h5', '--to', 'h1', '--priority', '3', '--json'];
    const { out } = selvage('paths', example('miscabled'), ...words);
    const [path] = JSON.parse(out) as { verdict: string; because: string[] }[];
    assert.equal(path!.verdict, 'lossy');
    assert.deepEqual(path!.because, ['h5:p1 > leaf2:p2', 'leaf2:p3 > spine1:p2']);
  });

  it('refuses hosts, priorities and times that are none', () => {
    const between = (to: string, ...more: string[]): RegExpExecArray | null => {
      const { code, err } = selvage(
        'paths',
        example('island'),
        '--from',
        'h1',
        '--to',
        to,
        ...more,
      );
      assert.equal(code, 2);
      return /^.*$/m.exec(err);
    };
    assert.match(between('h9')![0], /there is no host h9/);
    assert.match(between('s1')![0], /s1 is a switch, not a host/);
    assert.match(between('h2', '--priority', '9')![0], /--priority 9 is none; they are 0 to 7/);
    assert.match(between('h2', '--at', 'noon')![0], /--at: not a time: noon/);
  });
});
