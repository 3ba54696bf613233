import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fabricOf } from '../../../kit/emulate.js';
import { PAIR, problemOf } from './written-files.js';

const ECN = 'priorities: { 3: { ecn: { step: 80KB } } }';
const LOAD = 'stream: { from: h1, to: h2 }, bytes: 1MB, priority: 3';

/** Text from line 3 of a scenario of two hosts, and the beginning of what is said about it. */
const refused: readonly (readonly [string, string])[] = [
  ['dcqcn: { cnpInterval: 0ns }', 'main.yaml:3:23: dcqcn.cnpInterval: not above 0: 0ns; write '],
  ['dcqcn: { alphaPeriod: 0us }', 'main.yaml:3:23: dcqcn.alphaPeriod: not above 0: 0us'],
  ['dcqcn: { gain: 0 }', 'main.yaml:3:16: dcqcn.gain: not above 0: 0'],
  ['dcqcn: { gain: 2 }', 'main.yaml:3:16: dcqcn.gain: not a share: 2; '],
  ['dcqcn: { fastCycles: 0 }', 'main.yaml:3:22: dcqcn.fastCycles: not a whole number in range: 0'],
  ['dcqcn: { minRate: 10 b/s }', 'main.yaml:3:19: minRate of 10 bit/s; at least 1k, '],
  ['dcqcn: { cnpPriority: 8 }', 'main.yaml:3:23: dcqcn.cnpPriority: not a whole number in range'],
  ['dcqcn: { raiseTime: 1us }', 'main.yaml:3:10: dcqcn: unknown key: raiseTime; allowed: '],
  ['qcn: { timeReset: 0ms }', 'main.yaml:3:19: qcn.timeReset: not above 0: 0ms'],
  ['qcn: { sampleBase: 0 }', 'main.yaml:3:20: qcn.sampleBase: not a size: 0; write auto, or '],
  ['qcn: { weight: 11 }', 'main.yaml:3:16: qcn.weight: not a whole number in range: 11; '],
  ['qcn: { defence: none }', 'main.yaml:3:17: qcn.defence: unknown: none; one of auto, disabled, '],
  ['qcn: { priorities: [9] }', 'main.yaml:3:21: qcn.priorities.0: not a whole number in range: 9'],
  ['timely: { low: 0us }', 'main.yaml:3:16: timely.low: not above 0: 0us; '],
  ['timely: { low: 500us }', 'main.yaml:3:16: high is not above low'],
  [
    `load: [{ ${LOAD}, congestion: timely }]`,
    'main.yaml:3:77: timely needs acknowledgements: set transport: reliable',
  ],
  [
    `load: [{ ${LOAD}, congestion: hpcc }]`,
    'main.yaml:3:77: hpcc needs acknowledgements: set transport: reliable',
  ],
  [
    `load: [{ ${LOAD}, congestion: swift }]`,
    'main.yaml:3:77: swift needs acknowledgements: set transport: reliable',
  ],
  ['hpcc: { roundTrip: 0us }', 'main.yaml:3:20: hpcc.roundTrip: not above 0: 0us'],
  ['hpcc: { minRate: 10 b/s }', 'main.yaml:3:18: minRate of 10 bit/s; at least 1k, '],
  ['swift: { target: 0us }', 'main.yaml:3:18: swift.target: not above 0: 0us'],
  ['swift: { least: 2000 }', 'main.yaml:3:17: most is not above least'],
  ['swift: { flowMost: 0.1 }', 'main.yaml:3:20: flowMost is not above flowLeast'],
  ['qcn: { quote: 65 }', 'main.yaml:3:15: qcn.quote: not a whole number in range: 65'],
  [
    'qcn: { priorities: [3, 6] }',
    'main.yaml:3:24: priority 6 is that of the messages (cnmPriority), too',
  ],
  [
    'qcn: { priorities: [0] }',
    'main.yaml:3:21: priority 0 is what outsiders are remapped to (alternatePriority)',
  ],
  [
    'qcn: { priorities: [3] }\nclasses: { transmit: [0, 1, 2, 3, 3, 5, 6, 7] }',
    'main.yaml:3:21: priorities 3 and 4 share the traffic class 3, but only 3 is a CNPV; ',
  ],
  [
    'qcn: { priorities: [3] }\npriorities: { 3: pfc, 6: credit }',
    'main.yaml:3:1: priority 6 has credit, and none is granted for messages that switches make',
  ],
  [
    'qcn: { priorities: [4, 3] }\npriorities: { 4: pfc }',
    'main.yaml:3:24: priority 3 is a CNPV without flow control, whose frames are dropped where ' +
      'memory is short; give priorities: { 3: pfc }, or { 3: none } if that is meant',
  ],
  [
    'qcn: { priorities: [3] }\npriorities: { 3: { ecn: { step: 80KB } } }',
    'main.yaml:3:21: priority 3 is a CNPV without flow control, ',
  ],
  [
    "qcn: { priorities: [3] }\ndevices: { 's*': { priorities: { 3: pfc } } }",
    'main.yaml:3:21: priority 3 is a CNPV without flow control, ',
  ],
  [
    'qcn: { priorities: [3], outside: [h1] }\npriorities: { 3: credit }',
    'main.yaml:3:1: priority 3 has credit, and the credit of a frame that is remapped at an edge ',
  ],
  [
    'qcn: { priorities: [3], defence: edge, alternatePriority: 6 }\npriorities: { 3: pfc, 6: cbfc }',
    'main.yaml:3:1: priority 6 has cbfc, and the credit of a frame that is remapped at an edge ',
  ],
  [
    'qcn: { priorities: [3] }\npriorities: { 3: pfc, 6: cbfc }\n' +
      'devices: { s1: { priorities: { 6: { flowControl: credit } } } }',
    'main.yaml:3:1: priority 6 has credit, and none is granted for messages that switches make',
  ],
  [
    'qcn: { priorities: [3], outside: [h1] }\npriorities: { 3: pfc }\n' +
      'devices: { s1: { priorities: { 3: { flowControl: cbfc } } } }',
    'main.yaml:3:1: priority 3 has cbfc, and the credit of a frame that is remapped at an edge ',
  ],
  [
    'qcn: { priorities: [3], outside: [h1] }\npriorities: { 3: pfc }\n' +
      'ports: [{ where: { device: s1 }, priorities: { 3: cbfc } }]',
    'main.yaml:3:1: priority 3 has cbfc, and the credit of a frame that is remapped at an edge ',
  ],
  [
    `load: [{ ${LOAD}, congestion: dcqn }]`,
    'main.yaml:3:77: load.0.congestion: unknown: dcqn; one of none, dcqcn, qcn, timely, hpcc, swift; did you ',
  ],
  [
    `load: [{ ${LOAD}, congestion: dcqcn }]`,
    'main.yaml:3:77: dcqcn without marking on priority 3; give priorities: { 3: { ecn: { min: ',
  ],
  [
    `${ECN}\nload: [{ ${LOAD}, congestion: dcqcn, ect: false }]`,
    'main.yaml:4:89: dcqcn needs packets that may be marked: leave ect out, or set it true',
  ],
  [
    `load: [{ ${LOAD}, congestion: qcn }]`,
    'main.yaml:3:77: qcn on priority 3, which no queue watches; give qcn: { priorities: [3] }',
  ],
  [
    `${ECN}\ngroups: { g: [h1, h2] }\n` +
      'load: [{ stream: { from: h1, to: g }, bytes: 1MB, priority: 3, congestion: dcqcn }]',
    'main.yaml:5:76: dcqcn slows down a flow with one receiver, not to a group',
  ],
];

describe('rate controls', () => {
  for (const [text, message] of refused) {
    it(`refuse ${text.split('\n')[0]!}`, () => {
      assert.equal(problemOf(`${PAIR}${text}\n`).slice(0, message.length), message);
    });
  }

  it('take a priority for notification that may lose frames only where that is allowed', () => {
    const star = 'fabric: { generator: star, hosts: 2 }\nqcn: { priorities: [3] }\n';
    for (const said of [
      'priorities: { 3: pfc }',
      'priorities: { 3: none }',
      'priorities: { 3: { flowControl: none, alpha: 1 } }',
      'priorities: { 3: credit }',
      'priorities: { all: pfc, 3: { alpha: 1 } }',
      'pause: true',
    ]) {
      assert.ok(fabricOf(`${star}${said}\n`), said);
    }
  });

  it('refuse hosts and ports that are not there', () => {
    const star =
      'fabric: { generator: star, hosts: 2 }\npriorities: { 3: pfc }\nqcn: { priorities: [3], ';
    assert.throws(() => fabricOf(`${star}outside: [h7] }\n`), /:4:\d+: .*h7/);
    assert.throws(() => fabricOf(`${star}ports: { 's2:*': edge } }\n`), /no port of a switch is/);
  });
});

it('refuses telemetry on a way with more switches than there is room for', () => {
  const chain = (switches: number): string => {
    const names = ['h1', ...Array.from({ length: switches }, (_, i) => `s${i + 1}`), 'h2'];
    const kindOf = (name: string): string => (name.startsWith('h') ? 'host' : 'switch');
    const devices = names.map((name) => `{ name: ${name}, kind: ${kindOf(name)} }`);
    const links = names
      .slice(1)
      .map((name, i) => `{ between: [${names[i]!}, ${name}], rate: 100G }`);
    return `fabric: { devices: [${devices.join(', ')}], links: [${links.join(', ')}] }
load: [{ ${LOAD}, transport: reliable, congestion: hpcc }]
`;
  };
  assert.ok(fabricOf(chain(5)));
  assert.throws(() => fabricOf(chain(6)), /crosses 6 switches, and telemetry has room for 5/);
});
