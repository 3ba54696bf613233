import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fabricOf } from '../../../kit/emulate.js';
import { PAIR, problemOf } from './written-files.js';

/** Line 3 of a scenario of two hosts, and the beginning of what is said about it. */
const refused: readonly (readonly [string, string])[] = [
  ['discovery: maybe', 'main.yaml:3:12: discovery: not a discovery setting: maybe; write true, '],
  ['discovery: { interval: 0 }', 'main.yaml:3:24: discovery.interval: not a whole number in range'],
  ['discovery: { hold: 101 }', 'main.yaml:3:20: discovery.hold: not a whole number in range: 101'],
  ['discovery: { second: 0s }', 'main.yaml:3:22: discovery.second: not above 0: 0s'],
  ['discovery: { willing: [cake] }', 'main.yaml:3:24: discovery.willing.0: unknown: cake; '],
  ['discovery: { dcbx: cin }', 'main.yaml:3:20: discovery.dcbx: unknown: cin; one of auto, ieee, '],
  ['discovery: { reach: [] }', 'main.yaml:3:14: discovery.reach: empty; DCBX goes with the first'],
  ['discovery: { neighbours: 2 }', 'main.yaml:3:14: discovery: unknown key: neighbours; allowed: '],
  [
    'discovery: { changes: [{ at: 0s, devices: h1 }] }',
    'main.yaml:3:30: discovery.changes.0.at: not above 0: 0s',
  ],
  [
    'discovery: { changes: [{ at: 1s, devices: h1, arbiter: { ets: { 0: 30%, 3: 60% } } }] }',
    'main.yaml:3:58: shares sum to 90 %; they must sum to 100 %',
  ],
  [
    'discovery: { changes: [{ at: 1s, devices: h1, pfc: [8] }] }',
    'main.yaml:3:53: discovery.changes.0.pfc.0: not a whole number in range: 8',
  ],
  [
    'discovery: { applications: [{ udp: 4791, priority: 9 }] }',
    'main.yaml:3:52: discovery.applications.0.priority: not a whole number in range: 9',
  ],
  [
    'devices: { h1: { discovery: { second: 1s } } }',
    'main.yaml:3:31: devices.h1.discovery: unknown key: second; allowed: status, ',
  ],
];

describe('discovery', () => {
  for (const [text, message] of refused) {
    it(`refuses ${text}`, () => {
      assert.equal(problemOf(`${PAIR}${text}\n`).slice(0, message.length), message);
    });
  }

  it('refuses a change to a device that is not there', () => {
    const changes = 'discovery: { changes: [{ at: 1s, devices: leaf7 }] }';
    assert.throws(
      () => fabricOf(`fabric: { generator: star, hosts: 2 }\n${changes}\n`),
      /:3:\d+: .*there is no device leaf7/,
    );
  });

  it('builds links for PFC that only one end has, because both ends negotiate it', () => {
    const ends = 'priorities: { 3: pfc }\ndevices: { "h*": { priorities: { 3: none } } }';
    const star = `fabric: { generator: star, hosts: 2 }\n${ends}\n`;
    assert.throws(() => fabricOf(star), /priority 3 has pfc at/);
    const { specs } = fabricOf(`${star}discovery: true\n`);
    assert.ok(specs.every(({ ports }) => ports.every(({ pausing }) => pausing?.priorities === 8)));
    const watching = `${star}discovery: { drives: false }\n`;
    assert.throws(() => fabricOf(watching), /priority 3 has pfc at/);
  });
});

describe('capabilities that ports advertise', () => {
  it('are those of the scenario: source flow control, congestion notification, isolation', () => {
    const { specs } = fabricOf(`fabric: { generator: star, hosts: 2 }
priorities: { 3: { sfc: true, ci: true }, 5: none }
ci: { priority: 4 }
sfc: { encapsulation: ipv6 }
devices: { h2: { sfc: { receive: false } } }
qcn: { priorities: [5] }
discovery: true
`);
    const [h1, h2, s1] = specs.map(({ ports }) => ports[0]!.discovery!.stages[0]!.admin);
    const told = [h1!, h2!, s1!].map(({ sourceFlowControl }) => {
      const { sends, proxy, responds, ipv4, ipv6, monitored } = sourceFlowControl!;
      return { sends, proxy, responds, ipv4, ipv6, monitored };
    });
    const plain = { ipv4: false, ipv6: true, monitored: 8 };
    assert.deepEqual(told, [
      { sends: false, proxy: false, responds: true, ...plain },
      { sends: false, proxy: false, responds: false, ...plain },
      { sends: true, proxy: true, responds: false, ...plain },
    ]);
    assert.deepEqual(s1!.congestionNotification, { priorities: 32, ready: 32 });
    assert.deepEqual(s1!.congestionIsolation!.queueMap, [0, 0, 0, 4, -5, 0, 0, 0]);
  });
});
