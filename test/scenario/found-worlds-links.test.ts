/** What generated worlds found of accounts and link layers, made small: in every runner. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Session } from '../../services/runtime/session.js';
import { fabricOfYaml, fine, wrongWith } from '../kit/found-worlds.js';

describe('the last frame of a tenant, which has left its line', () => {
  it('still needs the credit that would otherwise age', () => {
    const wrong = wrongWith(`
duration: 150us
fabric: { generator: star, hosts: 3, link: { rate: 10G, length: 2km } }
priorities: { 1: credit }
credit: { grant: demand, keep: 64B, age: 18us, channels: [{ channel: 0, vlans: [7] }, { channel: 1 }] }
load: [{ incast: { from: [h2, h3], to: h1 }, bytes: 26000, priority: 1 }]
faults: [{ kind: link-down, at: 43us, for: 500ns }]
`);
    assert.deepEqual(wrong, fine);
  });
});

describe('a promise to recover, of a link that was down meanwhile', () => {
  const agreed =
    'duration: 72us\n' +
    'fabric: { generator: pair, link: { rate: 100G, length: 2km } }\n' +
    'priorities: { 7: credit }\n' +
    'load: [{ permutation: {}, bytes: 1700, priority: 7 }]\n';
  const slow = '{ kind: slow-link, rate: 50G, for: 2us, recover: 30us }';

  it('begins anew when it is up', () => {
    const down = '{ kind: link-down, at: 25us, for: 6us }';
    assert.deepEqual(wrongWith(`${agreed}faults: [${slow}, ${down}]`), fine);
  });
});

describe('a priority with CBFC', () => {
  it('has no credit exchange, whatever DCBX comes to', () => {
    const wrong = wrongWith(`
duration: 40us
fabric: { generator: pair, link: { rate: 100G, length: 100m } }
priorities: { 1: cbfc, 6: credit }
discovery: { second: 400ns, changes: [{ at: 4us, devices: '*', credit: [1, 6] }] }
load: [{ all-to-all: {}, bytes: 90000, priority: 1 }]
`);
    assert.deepEqual(wrong, fine);
  });
});

describe('an 82599 with link-level retry', () => {
  it('has received no frame that its link layer does not let out', () => {
    const wrong = wrongWith(`
duration: 400us
fabric: { generator: star, hosts: 3, link: { rate: 100G, length: 5m } }
hosts: { nic: { model: 82599 } }
llr: { enabled: true, whileInit: discard, whileFlush: discard }
load: [{ all-to-all: {}, bytes: 90000, priority: 0, transport: { reliable: { timeout: 20us } } }]
faults: [{ kind: loss, probability: 100%, at: 2us, for: 20us }]
`);
    assert.deepEqual(wrong, fine);
  });
});

describe('link-level retry', () => {
  it('initialises where INITs are due faster than the line carries them', () => {
    const wrong = wrongWith(`
duration: 60ms
fabric: { generator: pair, link: { rate: 10M, length: 5m } }
llr: { enabled: true, profile: 200g-40m, dataAgeTimeout: 70ms }
load: [{ stream: { from: h1, to: h2 }, bytes: 5KB, transport: reliable }]
`);
    assert.deepEqual(wrong, fine);
  });
});

describe('an account that opens', () => {
  const early = (grant: string): string => `
duration: 40us
fabric: { generator: star, hosts: 4 }
priorities: { 6: credit }
credit: { grant: ${grant}, shaper: 1G, channels: [{ channel: 0 }, { channel: 101, vlans: [2] }],
  buffer: 12KB, fallback: none }
discovery: { second: 4us, fastInterval: 1 }
load: [{ stream: { from: [h2, h3, h4], to: h1 }, vlan: { outer: 2 }, priority: 6 }]
`;

  const late = (fabric: string, fault: string): string => `
duration: 72us
fabric: ${fabric}
priorities: { 1: credit, 2: credit }
credit:
  { grant: static, unsolicited: false, shaper: 1G, sync: 1600ns, fallback: none,
    channels: [{ channel: 10, share: 0.5 }, { channel: 11, vlans: [2], share: 1 },
      { channel: 12, vlans: [7], share: 0.5 }] }
discovery: true
load:
  - { stream: { from: h1, to: h2 }, priority: 2, bytes: 13000 }
  - { all-reduce: { hosts: [h2, h1] }, priority: 1, bytes: 43500 }
faults: [${fault}]
`;

  it('begins as soon as there is room, when the link partner requests no more', () => {
    const fault = '{ kind: loss, priority: 1, probability: 100%, for: 711239ps, recover: 48us }';
    assert.deepEqual(wrongWith(late('{ generator: star }', fault)), fine);
  });

  it('need not begin while what came before fills the buffer', () => {
    const fabric =
      '{ generator: star, hosts: 2, link: { rate: 400G, length: 50m, interfaceDelay: 100ns } }';
    const fault =
      '{ kind: loss, priority: 1, probability: 50%, at: 1477422ps, for: 711239ps, recover: 50us }';
    assert.deepEqual(wrongWith(late(fabric, fault)), fine);
  });

  for (const grant of ['static', 'demand']) {
    it(`waits for room where frames came before credit was agreed on: grant: ${grant}`, () => {
      assert.deepEqual(wrongWith(early(grant)), fine);
    });
  }
});

describe('CBFC with no more credits than a frame takes', () => {
  it('tells what a shorter frame has freed at once', () => {
    const wrong = wrongWith(`
duration: 130us
fabric: { generator: star, hosts: 3, link: { rate: 50G, length: 5m } }
priorities: { 7: cbfc }
cbfc: { buffer: 20KB, limit: port, sharing: none }
load:
  - { incast: { from: [h1, h2], to: h3 }, bytes: 20KB, priority: 7 }
  - { stream: { from: h1, to: h2 }, transport: raw, frame: 1518, bytes: 20KB, priority: 7 }
`);
    assert.deepEqual(wrong, fine);
  });
});

describe('link-level retry that gives frames up before an acknowledgement can come', () => {
  const hasty = (timers: string): string => `
duration: 72us
fabric: { generator: star, hosts: 3, link: { rate: 400G, length: 300m } }
priorities: { 2: credit }
load: [{ incast: { from: [h1, h2], to: h3 }, bytes: 450KB, priority: 2 }]
faults: [{ kind: reboot, at: 0ns, for: 1us, recover: 40us }]
llr: { enabled: true, whileInit: discard, whileFlush: discard, ${timers} }
`;

  it('loses credit by its settings, and not by a fault', () => {
    assert.deepEqual(wrongWith(hasty('dataAgeTimeout: 800ns')), fine);
  });

  it('is warned of', () => {
    for (const timers of ['dataAgeTimeout: 800ns', 'replayTimer: 400ns, replays: 1']) {
      const { warnings } = fabricOfYaml(hasty(timers));
      assert.match(warnings[0]!.message, /given up.*: leave it at auto$/);
    }
  });
});

describe('recovery of credit from a fault', () => {
  it('begins again when link partners negotiate again', () => {
    const wrong = wrongWith(`
duration: 72us
fabric: { generator: star, hosts: 3, link: { length: 2km } }
priorities: { 5: credit }
discovery: { second: 1600ns, interval: 1, hold: 1, fastInterval: 2, dcbx: cee, changes: [
  { at: 5079581ps, devices: 'h*', dcbx: ieee },
  { at: 7472244ps, devices: h3, creditCapable: [5, 3, 0] }] }
load: [{ stream: { from: h1, to: h2 }, priority: 0, bytes: 31500 }]
faults: [{ kind: slow-receiver, rate: 40G, at: 0ns, for: 428603ps, recover: 48us }]
`);
    assert.deepEqual(wrong, fine);
  });
});

describe('a tenant that has to return unused credit', () => {
  it('may do so at the moment by which its link has recovered from a fault', () => {
    const wrong = wrongWith(`
duration: 885888ns
fabric: { generator: star, hosts: 3, link: { rate: 40G, length: 5m, interfaceDelay: 700ns } }
priorities: { 7: credit }
credit: { grant: demand, request: blocked, keep: 10KB, unit: 64B, prediction: 0.5, tags: true,
  tagWait: 50ns, refresh: 36912ns, syncTries: 4, keepAlive: 55368ns, channels: [
  { channel: 100, share: 2 }, { channel: 101, vlans: [2], share: 2 }, { channel: 102, vlans: [7] }] }
load:
  - { permutation: { shift: 2 }, vlan: 2, priority: 7, end: 39242618ps }
  - { all-to-all: { hosts: [h2, h1] }, bytes: 3100, priority: 7 }
  - { incast: { from: [h2, h3], to: h1 }, bytes: 19000, priority: 7 }
faults: [{ kind: freeze, at: 65701631ps, for: 31697609ps, recover: 442944ns }]
`);
    assert.deepEqual(wrong, fine);
  });
});

describe('a class whose frames a link that is not ready discards', () => {
  it('has had its turn', () => {
    const wrong = wrongWith(`
duration: 41526ns
fabric: { generator: leaf-spine, leaves: 2, hostsPerLeaf: 1, oversubscription: 1,
  link: { rate: 40G, length: 100m, preFecBer: 1e-6, fec: rs-528, errorBurst: 12 } }
devices: { 'h*': { arbiter: { dwrr: { 2: 7 } } } }
load:
  - { incast: { from: [h1], to: h2 }, bytes: 39000, priority: 7, vlan: { inner: 7, outer: 7 } }
  - { permutation: {}, priority: 3, bytes: 46500 }
llr: { enabled: true, priorities: all, frames: 1, bytes: 50KB, replayTimer: 185ns,
  dataAgeTimeout: 1846ns, spacing: 400, whileInit: discard, whileFlush: discard }
`);
    assert.deepEqual(wrong, fine);
  });
});

describe('link-level retry that is not ready', () => {
  it('discards new frames and begins all the same: the second oracle agrees', () => {
    const fabric = fabricOfYaml(`
duration: 5ms
fabric: { generator: pair, link: { rate: 10M, length: 5m } }
priorities: { 3: none }
llr: { enabled: true, whileInit: discard }
load: [{ incast: { from: [h1], to: h2 }, bytes: 3000, priority: 3, transport: { reliable: { timeout: 200us } } }]
`);
    const session = new Session(fabric, { check: true, deep: true });
    while (session.advance(1000) === 'running');
    const { failure, ports } = session.results('complete');
    assert.equal(failure, null);
    const discarded = ports.flatMap(({ priorities }) => priorities.map(({ drops }) => drops));
    assert.ok(discarded.some((drops) => (drops['link-not-ready'] ?? 0) > 0));
  });
});
