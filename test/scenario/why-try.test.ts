import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';

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
  });
});
