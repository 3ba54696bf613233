/**
 * Negative controls of `negotiation` under `--check=deep`: defects of one line in a copy of the
 * compiled engine, which negotiates what 802.1Q 38.4 does not say, and the sentence of the rule.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { EngineCopy } from '../kit/engine-copy.js';

const PROGRAM = 'test/kit/deep/main.js';
const MACHINE = 'services/engine/discovery/dcbx/dcbx-ieee-machine.js';

/** Hosts that take PFC and shares from their switch, which recommends them. */
const WILLING = `
selvage: 1
duration: 100us
fabric: { generator: star, hosts: 4, link: { rate: 25G, length: 5m } }
switches: { arbiter: { ets: { 0: 30%, 3: 70% } } }
hosts: { arbiter: strict }
priorities: { 3: pfc, 4: none }
discovery: { second: 1us, recommend: true }
devices:
  h*: { discovery: { willing: [pfc, ets] }, priorities: { 3: none, 4: pfc } }
load:
  - { incast: { from: [h2, h3, h4], to: h1 }, bytes: 60KB, priority: 3 }
  - { incast: { from: [h2, h3, h4], to: h1 }, bytes: 60KB, priority: 0 }
`;

describe('the second oracle negotiates itself', () => {
  const copy = new EngineCopy(['services', 'test/kit']);
  const folder = mkdtempSync(join(tmpdir(), 'selvage-'));
  const file = join(folder, 'willing.yaml');
  writeFileSync(file, WILLING);
  after(() => {
    copy.remove();
    rmSync(folder, { recursive: true });
  });

  it('and agrees with a sound engine', () => {
    const { status, stdout, stderr } = copy.run(PROGRAM, ['deep', file]);
    assert.equal(status, 0, stdout + stderr);
  });

  for (const { name, sentence, ...defect } of [
    {
      name: 'a port that keeps its own shares',
      sentence: /deep check, negotiation: ETS Configuration states shares .*, expected 30, /,
      from: 'result.ets = { ...table, willing, shaper, classes };',
      to: '',
    },
    {
      name: 'a port that keeps its own PFC',
      sentence:
        /deep check, negotiation: PFC Configuration states priorities 10000, expected 1000 /,
      from: 'result.pfc = other.enabled;',
      to: 'result.pfc = own.enabled;',
    },
  ]) {
    it(`and notices ${name}`, () => {
      const { stdout, stderr } = copy.run(PROGRAM, ['deep', file], { file: MACHINE, ...defect });
      assert.match(stdout, sentence, stdout + stderr);
    });
  }
});
