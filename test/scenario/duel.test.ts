import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { contenderOf, settingsFor } from '../../services/fabric/scenario/contenders.js';
import { loadScenario } from '../../services/fabric/scenario/load-scenario.js';
import { fabricOf, ROOT, run } from '../kit/emulate.js';

const CLI = join(ROOT, 'dist/services/cli/main.js');
const EXAMPLE = 'examples/incast-pfc.yaml';
const folder = mkdtempSync(join(tmpdir(), 'selvage-duel-'));
after(() => {
  rmSync(folder, { recursive: true });
});

interface Manifest {
  readonly contenders: readonly { contender: string; set: string[]; digest: string; run: string }[];
  readonly figures: readonly {
    contender: string;
    droppedFrames: number;
    heldPs: Record<string, number>;
    goodputBps: Record<string, number>;
  }[];
}

describe('selvage duel', () => {
  const out = join(folder, 'duel');
  const mechanisms = 'none,pause,pfc,credit,pfc+dcqcn,pfc+qcn,credit+timely,pfc+sfc,pfc+ci';
  const words = ['duel', EXAMPLE, '--mechanisms', mechanisms, '--out', out, '--json'];
  const text = execFileSync(process.execPath, [CLI, ...words], { cwd: ROOT, encoding: 'utf8' });
  const manifest = JSON.parse(text) as Manifest;

  it('compares what the mechanisms are known for', () => {
    const of = (contender: string): Manifest['figures'][number] =>
      manifest.figures.find((figures) => figures.contender === contender)!;
    assert.ok(of('none').droppedFrames > 0);
    for (const lossless of [
      'pause',
      'pfc',
      'credit',
      'pfc+dcqcn',
      'pfc+qcn',
      'credit+timely',
      'pfc+sfc',
      'pfc+ci',
    ]) {
      assert.equal(of(lossless).droppedFrames, 0, lossless);
      assert.ok(of(lossless).heldPs['host']! > 0, lossless);
    }
    assert.ok(of('pfc+dcqcn').heldPs['host']! < of('pfc').heldPs['host']!);
  });

  it('can be had again from its manifest, bit for bit', () => {
    assert.deepEqual(JSON.parse(readFileSync(join(out, 'duel.json'), 'utf8')), manifest);
    for (const { contender, set, digest, run: name } of manifest.contenders) {
      assert.equal(run(fabricOf(EXAMPLE, ...set)).digest, digest, contender);
      assert.equal(readFileSync(join(out, name, 'digest'), 'utf8').trim(), digest);
    }
    const pfc = manifest.contenders.find(({ contender }) => contender === 'pfc')!;
    assert.equal(pfc.digest, run(fabricOf(EXAMPLE)).digest);
  });

  it('refuses what is no mechanism before anything runs', () => {
    for (const [list, message] of [
      ['pcf', /not a mechanism: pcf; write one of none, pause, pfc, credit, and behind it \+dcqcn/],
      ['pfc,pfc', /one of them is named twice/],
      ['pfc+credit', /not a mechanism: pfc\+credit/],
      ['dcqcn+qcn', /not a mechanism: dcqcn\+qcn/],
      ['', /not a mechanism: /],
    ] as const) {
      const args = [CLI, 'duel', EXAMPLE, '--mechanisms', list, '--out', join(folder, 'never')];
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
      assert.equal(status, 2, list);
      assert.match(stderr, message);
    }
  });

  it('keeps what the scenario says of a priority, and takes what carries load if it says nothing', () => {
    const loaded = loadScenario(join(ROOT, 'examples/victim-behind-pfc.yaml'));
    const { topology } = fabricOf('examples/victim-behind-pfc.yaml');
    const [priority, pause] = settingsFor(contenderOf('credit'), loaded, topology);
    assert.equal(
      priority,
      'priorities.3={"flowControl":"credit","responseDelay":"200ns","xoff":"100KB"}',
    );
    assert.equal(pause, 'pause=false');
    const plain = loadScenario(join(ROOT, 'examples/incast-lossy.yaml'));
    assert.match(settingsFor(contenderOf('pfc'), plain, topology)[0]!, /^priorities\.3=.*"pfc"/);
  });
});
