/** Examples under `--check=deep`: all of them in the long suite, one of each kind in each run. */

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { buildFabric } from '../../services/fabric/assembly/fabric.js';
import { loadScenario } from '../../services/fabric/scenario/load-scenario.js';
import { deepSentence } from '../../services/oracle/verdict.js';
import { Session } from '../../services/runtime/session.js';
import { ROOT } from '../kit/emulate.js';
import { isLong } from '../kit/long-suite.js';

const FOLDER = join(ROOT, 'examples');
/** Each has a rule, or a reason to judge nothing, that the others have not. */
const SLICE = [
  ...['ets-shares', 'failover', 'incast-cbfc', 'incast-ci', 'incast-credit', 'incast-dcqcn'],
  ...['incast-qcn', 'incast-timely', 'link-retry', 'lossy-and-lossless', 'mvtx2802-assurance'],
  ...['nic-pools', 'storm-watchdog', 'three-flow-controls'],
];
const ALL = readdirSync(FOLDER).flatMap((name) =>
  name.endsWith('.yaml') ? [name.slice(0, -'.yaml'.length)] : [],
);
const WALL_BUDGET_MS = 1000;
/** Rules that have something to compare wherever a frame is sent. */
const EVERYWHERE = ['wire', 'conservation'];

function judged(name: string): string {
  const fabric = buildFabric(loadScenario(join(FOLDER, `${name}.yaml`), {}));
  const session = new Session(fabric, { check: false, deep: true });
  while (session.advance(WALL_BUDGET_MS) === 'running');
  const { failure } = session.results('complete');
  const isDeep = failure?.reason.startsWith('deep check') === true;
  assert.ok(!isDeep, JSON.stringify(failure));
  const summary = session.deepSummary()!;
  for (const rule of EVERYWHERE) assert.ok(summary.judged.some((own) => own === rule));
  return deepSentence(summary);
}

describe('examples agree with the second oracle', () => {
  for (const name of isLong ? ALL : SLICE) {
    it(name, () => {
      assert.match(judged(name), /^deep check: judged \d+ of \d+ rules: wire, conservation/);
    });
  }
});

describe('what is not judged is named', () => {
  it('with its reason', () => {
    const sentence = judged('mvtx2802-assurance');
    assert.match(sentence, /arbiter \(a scheduler with due dates\)/);
    assert.match(sentence, /buffers \(a memory in slots\)/);
  });
});
