/**
 * Negative controls of `--check=deep` in scenarios that no example has: defects of one line in a
 * copy of the compiled engine, and the sentence of the rule that they break.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { EngineCopy } from '../kit/engine-copy.js';

const PROGRAM = 'test/kit/deep/main.js';

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

/** More than the shared slots and those of the sources hold. */
const SLOTS = `
selvage: 1
duration: 3ms
fabric: { generator: star, hosts: 4, link: { rate: 1G, length: 5m } }
switches:
  model: mvtx2802
  mvtx2802: { flowControl: false, source: 10, classes: { 2: 200, 3: 200 } }
load:
  - { incast: { from: [h2, h3, h4], to: h1 }, bytes: 1MB, priority: 0 }
`;

/** Two flows to one host; the switch before theirs is told to isolate them. */
const ISOLATED = `
selvage: 1
duration: 60us
fabric: { generator: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 2, link: { rate: 25G } }
priorities: { 2: { flowControl: pfc }, 3: { flowControl: pfc, ci: true } }
ci: { priority: 2, detect: 20KB, low: 6KB, messages: 2 }
load:
  - { incast: { from: [h1, h2, h3], to: h4 }, bytes: 40KB, priority: 3 }
`;

/** Packets of which a switch forwards the headers, beyond a short queue. */
const TRIMMED = `
selvage: 1
duration: 60us
fabric: { generator: star, hosts: 4, link: { rate: 25G } }
priorities: { 0: { trim: { size: 96B, priority: 6, queue: 12KB } } }
load:
  - { incast: { from: [h2, h3, h4], to: h1 }, bytes: 30KB, priority: 0, transport: selective }
`;

const TRIMMER = 'services/mechanisms/trim/trimmer.js';
const ISOLATION = 'services/mechanisms/ci/point.js';
const DCBX = 'services/engine/discovery/dcbx/dcbx-ieee-machine.js';
const CASES = [
  {
    title: 'of what ends negotiate',
    scenario: WILLING,
    defects: [
      {
        name: 'a port that keeps its own shares',
        sentence: /deep check, negotiation: ETS Configuration states shares .*, expected 30, /,
        file: DCBX,
        from: 'result.ets = { ...table, willing, shaper, classes };',
        to: '',
      },
      {
        name: 'a port that keeps its own PFC',
        sentence: /negotiation: PFC Configuration states priorities 10000, expected 1000 /,
        file: DCBX,
        from: 'result.pfc = other.enabled;',
        to: 'result.pfc = own.enabled;',
      },
    ],
  },
  {
    title: 'of isolated flows',
    scenario: ISOLATED,
    defects: [
      {
        name: 'a CIM too many',
        sentence: /deep check, messages: a CIM is not due \(802.1Qcz 49.4.2\)/,
        file: 'services/mechanisms/ci/machine.js',
        from: 'return cimCount < maxCim;',
        to: 'return cimCount <= maxCim;',
      },
      {
        name: 'a flow that is isolated a frame late',
        sentence: /deep check, messages: (no CIM is sent that is due|a frame waited in class 3)/,
        file: ISOLATION,
        from: 'queueOctets >= thresholdOctets;',
        to: 'queueOctets >= thresholdOctets + 1500;',
      },
      {
        name: 'a flow that returns while its queue is long',
        sentence: /deep check, messages: a (CIM is not due|frame waited in class)/,
        file: ISOLATION,
        from: 'if (queueOctets > lowOctets)',
        to: 'if (queueOctets > 2 * lowOctets)',
      },
    ],
  },
  {
    title: 'of trimmed packets',
    scenario: TRIMMED,
    defects: [
      {
        name: 'headers that are too long',
        sentence: /deep check, buffers: headers of a packet have octets 97, expected 96/,
        file: TRIMMER,
        from: /(words\[headers \+ [^\]]*\] = spec.octets);/,
        to: '$1 + 1;',
      },
      {
        name: 'a queue that is a packet too long',
        sentence: /deep check, buffers: a packet makes its queue \d+ bytes long/,
        file: TRIMMER,
        from: '?.queueOctets ?? Infinity',
        to: '?.queueOctets + 2000',
      },
    ],
  },
  {
    title: 'of slots',
    scenario: SLOTS,
    defects: [
      {
        name: 'shared slots that no frame is given',
        sentence: /deep check, buffers: a frame is dropped for want of a slot, and there is one /,
        file: 'services/engine/mvtx2802/machine.js',
        from: /if \(free\[(.*SHARED.*)\] > 0\)/,
        to: 'if (free[$1] > 5)',
      },
    ],
  },
];

for (const { title, scenario, defects } of CASES) {
  describe(`the second oracle's model ${title}`, () => {
    const copy = new EngineCopy(['services', 'test/kit']);
    const folder = mkdtempSync(join(tmpdir(), 'selvage-'));
    const file = join(folder, 'scenario.yaml');
    writeFileSync(file, scenario);
    after(() => {
      copy.remove();
      rmSync(folder, { recursive: true });
    });

    it('agrees with a sound engine', () => {
      const { status, stdout, stderr } = copy.run(PROGRAM, ['deep', file]);
      assert.equal(status, 0, stdout + stderr);
    });

    for (const { name, sentence, ...defect } of defects) {
      it(`notices ${name}`, () => {
        const { stdout, stderr } = copy.run(PROGRAM, ['deep', file], defect);
        assert.match(stdout, sentence, stdout + stderr);
      });
    }
  });
}
