import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { axesOf, EXPERIMENTS } from '../../services/sweep/experiments.js';
import { loadFabric } from '../../services/cli/load-fabric.js';
import { fabricAt } from '../../services/sweep/settings.js';
import { combinations } from '../../services/sweep/grid.js';
import { measure } from '../../services/sweep/measure.js';
import { fabricOf, ROOT } from '../kit/emulate.js';

const CLI = join(ROOT, 'dist/programs/selvage.js');
const folder = mkdtempSync(join(tmpdir(), 'selvage-experiments-'));
after(() => {
  rmSync(folder, { recursive: true });
});

function selvage(...words: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [CLI, ...words], { cwd: folder, encoding: 'utf8' });
}

describe('experiments', () => {
  for (const experiment of EXPERIMENTS) {
    const { name, scenario, set } = experiment;
    it(`${name} shows that what it varies matters`, () => {
      const axes = axesOf(experiment);
      const rows = combinations(axes);
      const costOf = (values: readonly string[]): object => {
        const file = join(ROOT, 'examples', scenario);
        const fabric = fabricAt(axes, values, set, (own) => loadFabric(file, own));
        const { digest: _, ...cost } = measure(fabric, fabric.scenario.durationPs!);
        return cost;
      };
      const corner = costOf(rows[0]!);
      axes.forEach(({ values }, i) => {
        const other = rows.at(-1)!.map((value, j) => (j === i ? values[0]! : value));
        assert.notDeepEqual(costOf(other), costOf(rows.at(-1)!), axes[i]!.path);
      });
      assert.notDeepEqual(corner, costOf(rows.at(-1)!));
    });
  }

  it('measure nothing before and after where there is no such time', () => {
    const none = measure(fabricOf('examples/ring-deadlock-watchdog.yaml', 'expect=[]'), 100e6);
    assert.deepEqual(
      [none.goodputBeforeBps, none.goodputAfterBps, none.recoveryPs],
      [null, null, null],
    );
    const { set, scenario } = EXPERIMENTS.find(({ name }) => name === 'flap')!;
    const { goodputBeforeBps, goodputDuringBps, goodputAfterBps } = measure(
      fabricOf(`examples/${scenario}`, ...set, 'priorities.3=credit'),
      600e6,
    );
    // There is something to send all the time.
    assert.ok(
      goodputDuringBps! < goodputBeforeBps! && goodputAfterBps! > goodputBeforeBps!,
      `${goodputBeforeBps} ${goodputAfterBps}`,
    );
  });

  it('and sweeps leave unfinished messages a lower bound of the FCT, and name what is 0', () => {
    const words = ['sweep', join(ROOT, 'examples/incast-pfc.yaml'), '--set', 'expect=[]'];
    const { stdout } = selvage(...words, '--vary', 'duration=100us,2ms');
    const [verdict, head, short, long, zero] = stdout.split('\n') as [
      string,
      string,
      string,
      string,
      string,
    ];
    assert.match(
      verdict,
      /^duration=2ms comes first: FCT p99 \S+ us against > 100 us of duration=100us$/,
    );
    assert.match(head, /^ *duration +goodput +pause time \(worst port\) +FCT p99 +peak ingress/);
    assert.match(short, /^ *100us .* > \S+ us /);
    assert.match(long, /^ *2ms .* \d\S* us /);
    assert.doesNotMatch(long, />/);
    assert.match(zero, /^ *0 in all: dropped frames, .*stalled flows/);
  });

  it('are listed, and one that is not there is refused', () => {
    const { stdout } = selvage('experiment');
    for (const { name } of EXPERIMENTS) assert.ok(stdout.includes(name));
    const unknown = selvage('experiment', 'strom');
    assert.equal(unknown.status, 2);
    assert.match(unknown.stderr, /no experiment is called strom; did you mean storm\?/);
  });

  it('and sweeps, duels and hunts are refused before they begin where nothing can be written', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const scenario = join(ROOT, 'examples/incast-pfc.yaml');
    for (const words of [
      ['experiment', 'reboot-leaf', '--out', join(file, 'out')],
      ['sweep', scenario, '--vary', 'seed=1,2', '--csv', join(file, 'sweep.csv')],
      ['duel', scenario, '--out', join(file, 'out')],
      ['hunt', scenario, '--out', join(file, 'out')],
    ]) {
      const { status, stdout, stderr } = selvage(...words);
      assert.deepEqual([status, stdout], [2, ''], words[0]);
      assert.match(stderr, /^nothing can be written into .*file.*\n$/, words[0]);
    }
  });

  it('are run in part, and by named settings', () => {
    const out = join(folder, 'part');
    const words = [
      'experiment',
      'lossless-or-uet',
      '--out',
      out,
      '--only',
      'fabric=1:1,failed link',
    ];
    const some = ['--only', 'work=all-to-all', '--only', 'mechanism=pfc,uet'];
    const { status, stdout, stderr } = selvage(...words, ...some, '--json');
    assert.equal(status, 0, stderr);
    const rows = JSON.parse(stdout) as {
      set: object;
      outcome: { jobs: { iteration: { ps: number } }[] };
    }[];
    assert.deepEqual(
      rows.map(({ set }) => Object.values(set) as string[]),
      ['1:1', 'failed link'].flatMap((fabric) =>
        ['pfc', 'uet'].map((mechanism) => ['all-to-all', fabric, mechanism]),
      ),
    );
    const [whole, , failed] = rows.map(({ outcome }) => outcome.jobs[0]!.iteration.ps);
    assert.ok(failed! > 2 * whole!, `${failed} ${whole}`);
    assert.match(selvage(...words, '--only', 'fabric=3:1').stderr, /no 3:1.*there is 1:1, 2:1/);
    assert.match(
      selvage(...words, '--only', 'size=1').stderr,
      /write one of work, fabric, mechanism/,
    );
  });

  it('leave a table and a page', () => {
    const out = join(folder, 'reboot');
    assert.equal(selvage('experiment', 'reboot-leaf', '--out', out).status, 0);
    const lines = readFileSync(join(out, 'sweep.csv'), 'utf8').trim().split('\n');
    assert.equal(lines.length, 1 + 2 * 4);
    assert.match(lines[0]!, /^priorities_3,faults_0_for,goodput_bps,.*,fct_p99_ps,.*,digest$/);
    assert.ok(existsSync(join(out, 'sweep.html')));
  });
});
