import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ROOT, runScenario } from '../kit/emulate.js';

const CLI = join(ROOT, 'dist/programs/selvage.js');

function selvage(...words: string[]): string {
  return execFileSync(process.execPath, [CLI, ...words], { cwd: ROOT, encoding: 'utf8' });
}

describe('selvage why --try', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-try-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('measures the victims under each other mechanism, and without the load that fills the root', () => {
    const run = join(folder, 'victim');
    selvage('run', 'examples/victim-behind-pfc.yaml', '--quiet', '--out', run);
    const text = selvage('why', run, '--try');
    const rateOf = (name: string): number => {
      const line = text.split('\n').find((one) => one.startsWith(`  ${name} `))!;
      return Number(/([\d.]+) Gb\/s/.exec(line)![1]);
    };
    assert.ok(rateOf('as it is') < 40);
    assert.ok(rateOf('without load congestion') > 90);
    assert.ok(rateOf('pfc+sfc') > 60);
    assert.ok(rateOf('credit') < 40);
    assert.match(
      text,
      /^pfc\+sfc helps the victims most, without drops: 6\d\.\d Gb\/s in place of 3/m,
    );
  });

  it('measures what a fault costs', () => {
    const file = join(folder, 'slow.yaml');
    writeFileSync(
      file,
      `selvage: 1
fabric: { generator: star, hosts: 3, link: { rate: 100G, length: 10m } }
priorities: { 3: pfc }
faults: [{ name: tired, kind: slow-link, where: { link: h2 s1 }, rate: 10G, at: 20us }]
load: [{ incast: { from: h1, to: h2 }, bytes: 1MB, priority: 3 }]
expect: [{ metric: completion.max, max: 1us }]
`,
    );
    const run = join(folder, 'slow');
    try {
      selvage('run', file, '--quiet', '--out', run);
    } catch {
      // It misses what it expects.
    }
    const text = selvage('why', run, '--try');
    assert.match(text, /^without fault tired helps the culprits most/m);
    // 625 kB left at 10 Gb/s and not at 100.
    const added = Number(/^fault tired added (\d+) us to the FCT of .*h1->h2$/m.exec(text)![1]);
    assert.ok(added > 300 && added < 800, `${added}`);
  });

  it('measures what a fault costs that holds up no queue, and names what never ends for it', () => {
    const file = join(folder, 'lossy.yaml');
    writeFileSync(
      file,
      `selvage: 1
duration: 2ms
fabric: { generator: star, hosts: 4, link: { rate: 100G, length: 10m } }
faults:
  - { name: hole, kind: loss, where: { port: "h2:p1" }, probability: 100%, at: 20us, for: 1us }
  - { name: cut, kind: link-down, where: { link: s1 h4 }, at: 20us }
load:
  - { name: late, incast: { from: h1, to: h2 }, bytes: 1MB }
  - { name: never, incast: { from: h3, to: h4 }, bytes: 1MB }
`,
    );
    const run = join(folder, 'lossy');
    const summary = execFileSync(
      'sh',
      ['-c', `${process.execPath} ${CLI} run ${file} --out ${run} || true`],
      { encoding: 'utf8', cwd: ROOT },
    );
    assert.match(summary, /^ {2}selvage why \S+ --try +what each fault added to FCTs/m);
    const text = selvage('why', run, '--try');
    // 11 frames, the round trip after which they are missed, and what was sent meanwhile.
    const added = Number(
      /^fault hole added ([\d.]+) us to the FCT of late\/h1->h2$/m.exec(text)![1],
    );
    assert.ok(added > 1.3 && added < 10, `${added}`);
    // It still loses what the other fault takes.
    assert.match(
      text,
      /^without fault cut helps the culprits most, with 11 drops in place of 777: /m,
    );
    assert.match(
      text,
      /^fault cut added nothing to the FCT of a flow that is complete; 1 flow is complete only without it$/m,
    );
  });

  it('goes on from before a fault, with what a run from the start has, and prints it as JSON', () => {
    const file = join(folder, 'branch.yaml');
    // Random streams are named by the place of a fault: the others keep theirs.
    writeFileSync(
      file,
      `selvage: 1
fabric: { generator: star, hosts: 4, link: { rate: 100G, length: 10m } }
priorities: { 3: pfc }
faults:
  - { kind: slow-link, where: { link: h2 s1 }, rate: 10G, at: 40us, for: 60us }
  - { kind: slow-link, where: { link: h3 s1 }, rate: 40G, at: 10us, for: 5us, every: 20us, random: true }
  - { kind: host-pause, where: { device: h2 }, at: 120us, for: 30us }
load: [{ name: i, incast: { from: [h1, h4], to: h2 }, bytes: 1MB, priority: 3 }, { name: o, stream: { from: h1, to: h3 }, bytes: 1MB, priority: 3 }]
`,
    );
    const run = join(folder, 'branch');
    selvage('run', file, '--quiet', '--out', run);
    const { remedies, trees } = JSON.parse(selvage('why', run, '--try', '--json')) as Printed;
    assert.ok(trees.length > 0);
    const { helped, flows, tried, best } = remedies;
    const summary = selvage('run', file, '--out', run);
    assert.match(
      summary,
      new RegExp(
        [
          ' {2}fault .* frames waited  recovered after',
          ' {2}fault1 .* took part +\\S+ us',
          ' {2}fault2 .* \\S+ us +0',
          ' {2}fault3 .* \\S+ ms +\\S+ ns\n',
        ].join('\n'),
      ),
    );
    assert.equal(helped, 'culprits');
    assert.equal(best, 'without fault fault1');
    const froms = { fault1: '40us', fault3: '120us' };
    for (const [fault, from] of Object.entries(froms)) {
      const { goodputBps, allGoodputBps, allCompletionPs, drops, added } = tried.find(
        ({ name }) => name === `without fault ${fault}`,
      )!;
      const number = Number(fault.slice(-1)) - 1;
      const whole = runScenario(
        readFileSync(file, 'utf8').replace('selvage: 1', ''),
        `faults.${number}.until=${from}`,
      );
      const own = whole.flows.filter(({ name }) => flows.includes(name));
      const sum = own.reduce((total, flow) => total + flow.goodputBps, 0);
      const asItIs = new Map(
        runScenario(readFileSync(file, 'utf8').replace('selvage: 1', '')).flows.map(
          ({ name, completionPs: ps }) => [name, ps!],
        ),
      );
      const slower = whole.flows.map((flow) => asItIs.get(flow.name)! - flow.completionPs!);
      const sumPs = slower.reduce((total, ps) => total + Math.max(0, ps), 0);
      assert.deepEqual([added.fault, added.sumPs], [fault, sumPs]);
      const times = whole.flows.map(({ completionPs }) => completionPs ?? Infinity);
      assert.deepEqual(
        { goodputBps, allGoodputBps, allCompletionPs, drops },
        {
          goodputBps: sum / own.length,
          allGoodputBps: whole.goodputBps,
          allCompletionPs: Math.max(...times),
          drops: 0,
        },
      );
    }
  });
});

interface Printed {
  readonly trees: readonly object[];
  readonly remedies: {
    readonly helped: string;
    readonly flows: readonly string[];
    readonly best: string | null;
    readonly tried: readonly {
      readonly name: string;
      readonly goodputBps: number;
      readonly allGoodputBps: number;
      readonly allCompletionPs: number;
      readonly drops: number;
      readonly added: { readonly fault: string; readonly sumPs: number };
    }[];
  };
}
