import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { YangContainer } from '../../services/mechanisms/managed-objects.js';
import { managedObjects } from '../../services/runtime/results/managed-objects.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf, ROOT } from '../kit/emulate.js';

const NAMES = ['devices', 'pfc', 'qcn', 'ci', 'sfc'].map((name) => `selvage-${name}`);
const MODULES = NAMES.map((name) => join(ROOT, 'yang', `${name}.yang`));

const isMissing = spawnSync('yanglint', ['--version']).status !== 0 && 'no yanglint';

function objectsOf(example: string): YangContainer {
  const fabric = fabricOf(`examples/${example}.yaml`);
  const session = new Session(fabric, { check: false });
  session.runTo(Infinity);
  return managedObjects(fabric, session.engine, NAMES);
}

describe('managed objects', () => {
  it('are those that devices have at the end of a run', () => {
    const text = JSON.stringify(objectsOf('victim-behind-sfc'));
    assert.match(text, /"sfc-monitor-queue":\[3\],"sfc-min-interval":"5000000"/);
    assert.match(text, /"sfc-sfcms-transmitted":"[1-9]/);
    const paused = JSON.stringify(objectsOf('victim-behind-pfc'));
    assert.match(paused, /"name":"leaf2:p5","number":5,.*"ieee8021-pfc-requests":"[1-9]/);
  });
});

describe('yanglint', { skip: isMissing }, () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'selvage-yang-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  const judge = (data: string): { readonly isValid: boolean; readonly says: string } => {
    const file = join(folder, 'data.json');
    writeFileSync(file, data);
    const words = ['-t', 'data', '-p', join(ROOT, 'yang'), ...MODULES, file];
    const { status, stderr } = spawnSync('yanglint', words, { encoding: 'utf8' });
    return { isValid: status === 0, says: stderr };
  };

  const examples = [
    ['victim-behind-sfc', 'selvage-sfc:sfc', 'selvage-pfc:pfc'],
    ['incast-ci', 'selvage-ci:ci', 'selvage-pfc:pfc'],
    ['incast-qcn', 'selvage-qcn:qcn'],
    ['storm-watchdog', 'selvage-pfc:pfc', 'watchdog-storms'],
  ] as const;
  for (const [example, ...nodes] of examples) {
    it(`validates the managed objects of ${example} by the modules`, () => {
      const data = JSON.stringify(objectsOf(example));
      for (const node of nodes) assert.ok(data.includes(`"${node}"`), node);
      const { isValid, says } = judge(data);
      assert.ok(isValid, says);
    });
  }

  it('refuses what the modules do not allow', () => {
    const data = JSON.stringify(objectsOf('victim-behind-sfc'));
    const wrong = [
      data.replaceAll('"sfc-tx-priority":6', '"sfc-tx-priority":3'),
      data.replaceAll('"sfc-tx-priority":6', '"sfc-tx-priority":8'),
      data.replaceAll('"sfc-sfcms-forged"', '"sfc-sfcms-believed"'),
      data.replaceAll(/"sfc-target":"\d+",/g, ''),
    ];
    for (const one of wrong) {
      assert.notEqual(one, data);
      assert.ok(!judge(one).isValid);
    }
  });
});
