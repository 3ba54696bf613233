import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SlotsSpec } from '../../../../services/engine/contract/spec.js';
import { ScenarioError } from '../../../../services/settings/errors.js';
import { fabricOf } from '../../../kit/emulate.js';

const STAR = 'fabric: { generator: star, hosts: 4, hostLink: { rate: 1G, length: 100m } }\n';

function chipOf(scenario: string, name = 's1'): SlotsSpec | null {
  const spec = fabricOf(scenario).specs.find((device) => device.name === name)!;
  return spec.kind === 'switch' ? spec.slots : null;
}

/** Where it is, and what is wrong, of a scenario whose second line is the fabric. */
function problemOf(scenario: string): string {
  try {
    fabricOf(scenario);
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    return `${error.line}:${error.column}: ${error.message.replace(/^\S+ /, '')}`;
  }
  return 'nothing';
}

describe('an MVTX2802 that a scenario asks for', () => {
  it('has 682 slots, of which what is not kept is shared', () => {
    const chip = chipOf(`${STAR}switches: { model: mvtx2802 }\n`)!;
    assert.equal(chip.sharedSlots, 682 - 8 - 6 * 8 - 5 * 64);
    assert.deepEqual(chip.classSlots, [0, 0, 8, 8, 8, 8, 8, 8]);
    assert.deepEqual(chip.flowControl, [true, true, true, true]);
    const double = chipOf(`${STAR}switches: { model: mvtx2802, mvtx2802: { memory: 2MB } }\n`)!;
    assert.equal(double.sharedSlots - chip.sharedSlots, 1365 - 682);
  });

  it('is a shared buffer by default', () => {
    assert.equal(chipOf(STAR), null);
  });

  it('may be one switch of many, changed key by key', () => {
    const chip = chipOf(
      `${STAR}switches: { mvtx2802: { source: 30, xoff: 3, wred: { x: 10%, y: 60% } } }\n` +
        'devices:\n' +
        '  s*: { model: mvtx2802, mvtx2802: { classes: { 7: 20 }, wred: { x: 20% } } }\n' +
        '  s1: { ports: { 2: { flowControl: false, fixed: { class: 6 } } } }\n',
    )!;
    assert.deepEqual(chip.fixed[1], { trafficClass: 6, highPrecedence: false });
    assert.equal(chip.sourceSlots, 30);
    assert.deepEqual(chip.classSlots, [0, 0, 8, 8, 8, 8, 8, 20]);
    assert.deepEqual([chip.wred.firstHigh, chip.wred.secondHigh], [0.2, 0.6]);
    assert.deepEqual(chip.flowControl, [true, false, true, true]);
    assert.deepEqual(chip.xoffSlots, [3, 30, 3, 3]);
  });

  it('gives 802.3x to its flow-controlled links, and to no others', () => {
    const { specs } = fabricOf(
      `${STAR}devices: { s1: { model: mvtx2802, ports: { 2: { flowControl: false } } } }\n`,
    );
    const quanta = specs.map(({ name, ports }) => [name, ports.map((p) => p.pausing?.quanta ?? 0)]);
    assert.deepEqual(quanta, [
      ['h1', [65535]],
      ['h2', [0]],
      ['h3', [65535]],
      ['h4', [65535]],
      ['s1', [65535, 0, 65535, 65535]],
    ]);
  });
});

describe('an MVTX2802 that cannot be', () => {
  const wrong: readonly (readonly [string, string, string])[] = [
    [
      'a plan larger than the memory',
      `${STAR}switches: { model: mvtx2802, mvtx2802: { source: 200 } }`,
      '3:30: impossible reservations: s1 keeps 1056 slots (8 temporary, 48 of classes, 5 x 200 ' +
        'of sources) and has 682',
    ],
    [
      'more ports than it has',
      'fabric: { generator: star, hosts: 5, hostLink: { rate: 1G } }\nswitches: { model: mvtx2802 }',
      '3:20: s1 has 5 ports; an MVTX2802 has 4, and one for its CPU (cpuPort)',
    ],
    [
      'a rate that it does not have',
      'fabric: { generator: star, hosts: 3 }\ndevices: { s1: { model: mvtx2802 } }',
      '3:25: s1:p1 has 100G; ports of an MVTX2802 have 10M, 100M, 1G',
    ],
    [
      'cutting through',
      `${STAR}switches: { model: mvtx2802, cutThrough: true }`,
      '3:42: s1 is an MVTX2802, which stores and forwards',
    ],
    [
      'a frame longer than a slot',
      `${STAR}switches: { model: mvtx2802 }\n` +
        'load: [{ stream: { from: h1, to: h2 }, bytes: 9KB, frame: 9000 }]',
      '3:20: frames of 9000 bytes do not fit s1: a slot of an MVTX2802 has 1536',
    ],
    [
      'a stop of one slot',
      `${STAR}switches: { model: mvtx2802, mvtx2802: { xoff: 1 } }`,
      '3:48: switches.mvtx2802.xoff: not a whole number in range: 1; write a whole number from 2 to 1365',
    ],
    [
      'a stop that never comes',
      `${STAR}devices: { s1: { model: mvtx2802, mvtx2802: { xoff: 65 } } }`,
      '3:53: xoff at 65 slots of a source would never come: it has 64',
    ],
    [
      'no room for a stop',
      `${STAR}switches: { model: mvtx2802, mvtx2802: { source: 6 } }`,
      '3:50: impossible xoff: after it s1:p1 needs 6 slots and before it 2, and a source has 6',
    ],
    [
      'a shaper without strict classes',
      `${STAR}switches: { model: mvtx2802, mvtx2802: { shaper: { peak: 32, average: 16 } } }`,
      '3:42: a shaper of s1 needs class P6 strict, and scheduler is classes; write ' +
        'strict-delay-bound or strict-wfq',
    ],
    [
      'an average above the peak',
      `${STAR}devices: { s1: { model: mvtx2802, mvtx2802: { scheduler: strict-wfq, ` +
        'shaper: { peak: 16, average: 32 } } } }',
      '3:70: an average rate of 32 above the peak rate of 16; lower it',
    ],
    [
      'weights that do not add up',
      `${STAR}switches: { model: mvtx2802, mvtx2802: { scheduler: strict-wfq, ` +
        'weights: { 0: 4, 1: 4, 2: 8, 3: 8, 4: 16, 5: 16 } } }',
      '3:65: weights add up to 56, and must to 64',
    ],
    [
      'a class without a weight',
      `${STAR}switches: { model: mvtx2802, mvtx2802: { scheduler: wfq, weights: { 0: 64 } } }`,
      '3:58: no weight for class 1; write all of 0, 1, 2, 3, 4, 5, 6, 7',
    ],
    [
      'a weight for a strict class',
      `${STAR}switches: { model: mvtx2802, mvtx2802: { scheduler: strict-wfq, ` +
        'weights: { 0: 4, 1: 4, 2: 8, 3: 8, 4: 16, 5: 16, 7: 8 } } }',
      '3:65: a weight for class 7, which is strict; leave it out',
    ],
    [
      'weights that nothing uses',
      `${STAR}switches: { model: mvtx2802, mvtx2802: { scheduler: delay-bound, weights: { 0: 64 } } }`,
      '3:66: weights act with scheduler wfq or strict-wfq, and it is delay-bound',
    ],
    [
      'two orders of its queues',
      `${STAR}switches: { model: mvtx2802, arbiter: strict, mvtx2802: { scheduler: wfq } }`,
      '3:70: s1 has its own arbiter, and scheduler wfq; leave one out',
    ],
    [
      'thresholds of VLANs that nothing reads',
      `${STAR}switches: { model: mvtx2802, mvtx2802: { vlanCongestion: { 10: 4 } } }`,
      '3:42: VLAN 10 has a threshold, and multicast is unmanaged; write managed',
    ],
    [
      'a port of the CPU that is not there',
      `${STAR}switches: { model: mvtx2802, mvtx2802: { cpuPort: 5 } }`,
      '3:51: s1 has no port 5: it has 4',
    ],
    [
      '802.3x of the CPU',
      `${STAR}devices: { s1: { model: mvtx2802, ports: { 4: { flowControl: true } }, ` +
        'mvtx2802: { cpuPort: 4 } } }',
      '3:93: port 4 of s1 is that of its CPU, which has no 802.3x',
    ],
    [
      'slots for a class that has none',
      `${STAR}switches: { model: mvtx2802, mvtx2802: { classes: { 1: 8 } } }`,
      '3:53: switches.mvtx2802.classes: unknown key: 1; allowed: a class 2 to 7; P0 and P1 have none',
    ],
    [
      'levels that do not rise',
      `${STAR}switches: { mvtx2802: { wred: { levels: [2KB, 1KB, 3KB] } } }`,
      '3:33: the levels do not rise: the third is the highest',
    ],
    [
      'a reaction that 802.3 does not allow',
      `${STAR}switches: { model: mvtx2802, mvtx2802: { responseDelay: 1025ns } }`,
      '3:57: responseDelay too long: 1025ns; at most 1024ns (802.3 31B.3.7 at 1G)',
    ],
  ];
  for (const [name, scenario, message] of wrong) {
    it(`is refused where it stands: ${name}`, () => {
      assert.equal(problemOf(`${scenario}\n`), message);
    });
  }

  it('has no priority with flow control of its own', () => {
    const fast = '{ between: [h5, s2], rate: 10G }, { between: [h6, s2], rate: 10G }';
    const devices = ['h5', 'h6'].map((host) => `{ name: ${host}, kind: host }`).join(', ');
    assert.match(
      problemOf(
        'fabric: { generator: star, hosts: 2, hostLink: { rate: 1G }, ' +
          `devices: [${devices}, { name: s2, kind: switch }], links: [${fast}] }\n` +
          'devices: { s1: { model: mvtx2802, priorities: { 3: pfc } }, ' +
          'h1: { priorities: { 3: pfc } }, h2: { priorities: { 3: pfc } } }\n',
      ),
      /pfc of priority 3 rules no link: .* one end is a four-port MVTX2802, which knows PAUSE only/,
    );
  });
});
