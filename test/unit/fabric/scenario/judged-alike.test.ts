/**
 * Mistakes with one key, over all sections: the program and the published JSON Schema, through a
 * standard validator, refuse each, with one or two messages in an editor.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { editorErrors } from '../../../kit/json-schema.js';
import { problemOf } from './written-files.js';

const LOAD = 'load: [{ stream: { from: h1, to: h2 }, bytes: 4KB }]\n';
const PAIR = 'fabric: { generator: pair }\n';

const MISTAKES = [
  'credit: { unit: 64us }',
  'credit: { unit: mtuu }',
  'credit: { keepAlive: 1KB }',
  'credit: { channels: [{ channel: 1, vlan: [3] }] }',
  'credit: { channels: [{ vlans: [3] }] }',
  'credit: { grant: dynamic }',
  'credit: { buffer: 0 }',
  'credit: { grantFactor: 150% }',
  'credit: { grantFactor: 0% }',
  'credit: { syncTries: 0 }',
  'credit: { syncTries: 1.5 }',
  'credit: { codec: CE }',
  'credit: { xoff: 3KB }',
  'credit: on',
  'cbfc: { channels: [0, 1] }',
  'cbfc: { channels: [0, 1, 2, 3, 4, 5, 6, 32] }',
  'cbfc: { creditSize: 100 }',
  'cbfc: { creditSize: 32us }',
  'cbfc: { cfMinSpacing: 1KB }',
  'cbfc: { cfMaxSpacing: 16385 }',
  'cbfc: { sharing: sometimes }',
  'cbfc: { sharedDynamic: 8 }',
  'cbfc: { pools: [{ channels: [0] }] }',
  'llr: { enabled: yes }',
  'llr: { enabled: 1 }',
  'llr: { profile: acme }',
  'llr: { replayTimeout: 5KB }',
  'llr: true',
  'pause: { xoff: 3us }',
  'pause: { xoff: dynamik }',
  'pause: 3',
  'pause: { enable: true }',
  'priorities: { 3: { flowControl: pfc, quanta: 65536 } }',
  'priorities: { 3: { flowControl: pfc, refresh: 1001% } }',
  'priorities: { 3: { flowControl: pfc, watchdog: { detection: 5KB } } }',
  'priorities: { 3: { ecn: { kmin: 5us } } }',
  'priorities: { 3: { ecn: on } }',
  'priorities: { 3: { sfc: 1 } }',
  'priorities: { 3: { ci: maybe } }',
  'priorities: { 3: { cbfc: true } }',
  'priorities: { all: { 3: pfc } }',
  'priorities: [pfc]',
  'ci: { enable: true, priority: 8 }',
  'ci: { threshold: 4us }',
  'ci: { Enable: true }',
  'sfc: { proxy: always }',
  'sfc: { quote: 3us }',
  `sfc: { send: 'no' }`,
  'qcn: { priorities: [9] }',
  'qcn: { priorities: 3 }',
  'qcn: { w: x }',
  'qcn: { gd: 2us }',
  'dcqcn: { g: 256 }',
  'dcqcn: { g: 200% }',
  'dcqcn: { cnpInterval: 50 }',
  'dcqcn: { rateAi: 40 }',
  'timely: { minRtt: 5KB }',
  'timely: { tLow: 50us, tHigh: 5us }',
  'hpcc: { eta: 95 }',
  'hpcc: { eta: 0% }',
  'hpcc: { maxStage: -1 }',
  'swift: { target: 10KB }',
  'swift: { beta: 2 }',
  'ecn: { min: 5KB }',
  'devices: { h1: { credit: { channels: [] } } }',
  'devices: { h1: { credit: { keepAlive: 1ms } } }',
  'devices: { h1: { cbfc: { fallback: none } } }',
  'devices: { h1: { cbfc: { channels: [1] } } }',
  'devices: { h1: { dcqcn: { g: 0.5 } } }',
  'devices: { h1: { llr: { enabled: perhaps } } }',
  'devices: { h1: { nic: { pools: 3us } } }',
  'devices: { h1: { priorities: { 3: { xoff: 5us } } } }',
  'devices: { h1: { pipeline: 3KB } }',
  `devices: { '': { mac: 0 } }`,
  'hosts: { nic: 82600 }',
  'hosts: { nic: { model: 82599, dcb: 3 } }',
  'hosts: { nic: plain }',
  'switches: { model: mvtx2802, mvtx2802: { weights: { 9: 3 } } }',
  'switches: { mvtx2802: { memory: 3MB } }',
  'switches: { failover: { detection: 3KB } }',
  'switches: { failover: on }',
  'discovery: { willing: [pcf] }',
  'discovery: { willing: pfc }',
  'discovery: { status: sending }',
  'discovery: { changes: [{ at: 3 }] }',
  'discovery: { changes: [{ at: 3us, devices: h*, clases: [0] }] }',
  'faults: [{ kind: loss, probability: 3us, at: 1us }]',
  'faults: [{ kind: steal-credit, interval: 3us }]',
  'faults: [{ kind: steal-credits, size: 3KB, interval: 3us }]',
  'faults: [{ kind: link-down, probability: 3% }]',
  'faults: [{ kind: loss, probability: 3%, errorRate: 1.0e-6 }]',
  'expect: [{ metric: credit-lst, max: 0 }]',
  'expect: [{ metric: credit-lost, max: 3us }]',
  'expect: [{ metric: llr.replays }]',
  'expect: [{ metric: digest, min: 3 }]',
  'expect: [{ metric: sfc.reaction, max: 3 }]',
  'load: [{ stream: { from: h1, to: h2 }, bytes: 4KB, rate: 3us }]',
  'load: [{ stream: { from: h1, to: h2 }, incast: { from: [h1], to: h2 }, bytes: 4KB }]',
  'load: [{ stream: { from: h1, to: h2 }, bytes: 4KB, frame: 1000, mtu: 1000 }]',
  'load: [{ stream: { from: h1, to: h2 }, bytes: 4KB, congestion: dcqn }]',
  'load: [{ stream: { from: h1, to: h2 }, bytes: 4KB, priority: 8 }]',
  'load: [{ bytes: 4KB }]',
  'load: [{ stream: h1 }]',
  'load: [{ stream: { from: h1, to: h2, via: s1 }, bytes: 4KB }]',
  'fabric: { generator: pair, link: { rate: 100G, delay: 1us, length: 10m } }',
  'fabric: { generator: pair, hosts: 3 }',
  'fabric: { generator: star, hosts: 0 }',
  'fabric: { generator: fat-tree, k: 3 }',
  'fabric: { generator: fat-tree, k: 4, leaves: 3 }',
  'fabric: { generator: pair, link: { rate: 101G } }',
  'fabric: { generator: pair, link: { rate: 100G, postFecBer: 2 } }',
  'classes: { transmit: [0, 1] }',
  'classes: { arbiter: wrr }',
  'classes: { arbiter: { dwrr: { 0: 0 } } }',
  'observe: { series: 5KB }',
  'observe: { traces: { share: 2 } }',
  'observe: { events: step }',
  'observe: { captures: { ports: s1 } }',
  'infrastructure: [{ kind: kill }]',
  'placement: { a: h1, b: 3 }',
  'plugins: ./x.mjs',
];

/** What no schema expresses: a relation of two values, or of a value and its unit. */
const RELATIONS = [
  'credit: { unit: 63B }',
  'cbfc: { ccInterval: 1s }',
  'cbfc: { ccInterval: 0.5us }',
  'priorities: { 3: { flowControl: pfc, ecn: { min: 5KB, max: 1KB, probability: 10% } } }',
  'classes: { arbiter: { ets: { 0: 50%, 1: 60% } } }',
];

/** A whole scenario with the mistake. */
function scenarioWith(mistake: string): string {
  const [key] = mistake.split(':');
  const fabric = key === 'fabric' ? '' : PAIR;
  return `selvage: 1\n${fabric}${mistake}\n${key === 'load' ? '' : LOAD}`;
}

/** Lines that the program prints of it. */
function refusalsOf(text: string): string[] {
  return problemOf({ 'main.yaml': text }).split('\n');
}

describe('one mistake', () => {
  for (const mistake of MISTAKES) {
    it(`is refused alike: ${mistake}`, () => {
      const text = scenarioWith(mistake);
      assert.match(refusalsOf(text)[0]!, /^main\.yaml:[23]:\d+: /);
      const errors = editorErrors(parse(text));
      assert.ok(errors.length === 1 || errors.length === 2, errors.join('\n'));
    });
  }

  for (const mistake of RELATIONS) {
    it(`is refused by the program, which knows both values: ${mistake}`, () => {
      const text = scenarioWith(mistake);
      assert.match(refusalsOf(text)[0]!, /^main\.yaml:[23]:\d+: /);
      assert.deepEqual(editorErrors(parse(text)), []);
    });
  }
});
