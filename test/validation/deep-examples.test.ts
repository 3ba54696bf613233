/** Examples under `--check=deep`: all of them in the long suite, one of each kind in each run. */

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { buildFabric } from '../../services/fabric/assembly/fabric.js';
import { loadScenario } from '../../services/fabric/scenario/load-scenario.js';
import { deepSentence } from '../../services/oracle/verdict.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf, ROOT } from '../kit/emulate.js';
import { isLong } from '../kit/long-suite.js';

const FOLDER = join(ROOT, 'examples');
/** Each has a rule, or a reason to judge nothing, that the others have not. */
const SLICE = [
  ...['ets-shares', 'failover', 'incast-cbfc', 'incast-ci', 'incast-dcqcn', 'link-retry'],
  ...['mvtx2802-assurance', 'storm-watchdog', 'three-flow-controls'],
];
const ALL = readdirSync(FOLDER).flatMap((name) =>
  name.endsWith('.yaml') ? [name.slice(0, -'.yaml'.length)] : [],
);
const WALL_BUDGET_MS = 1000;
/** Rules that have something to compare wherever a frame is sent. */
const EVERYWHERE = ['wire', 'conservation'];

/** Its frames of 256 octets take a minute. */
const SHORTER: Readonly<Record<string, string>> = { 'ets-shares': 'duration=300us' };

function judged(name: string): string {
  const set = isLong ? undefined : SHORTER[name];
  const overrides = set === undefined ? {} : { set: [set] };
  return judgedIn(buildFabric(loadScenario(join(FOLDER, `${name}.yaml`), overrides)));
}

function judgedIn(fabric: Fabric): string {
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

describe('congestion isolation', () => {
  it('is judged of no chip that has no queues for it', () => {
    judgedIn(
      fabricOf(`
duration: 13us
fabric: { generator: star, link: { rate: 1G } }
switches: { model: mvtx2802 }
priorities: { 4: { ci: true } }
load: [{ all-to-all: {}, bytes: 39000, priority: 5 }]
`),
    );
  });
});

describe('a lossless overflow by a fault', () => {
  it('is one in the second oracle, too, whose account is beyond XOFF', () => {
    const sentence = judgedIn(
      fabricOf(`
duration: 200us
fabric: { generator: dumbbell, left: 4 }
pause: { xoff: 20KB }
load:
  - { stream: { from: h2, to: h6 } }
  - { permutation: {} }
faults:
  - { kind: slow-link, rate: 333M, for: 20us, every: 60us }
`),
    );
    assert.match(sentence, /buffers/);
    assert.match(sentence, /pause-initiator \(a fault at the port\)/);
  });
});

describe('what is not judged is named', () => {
  it('with its reason', () => {
    const sentence = judged('mvtx2802-assurance');
    assert.match(sentence, /arbiter \(a scheduler with due dates\)/);
    assert.match(sentence, /work \(a chip that shapes and holds classes\)/);
  });
});
