/** Every arbiter is watched by `--check`, and what is unfair about each is noticed. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Session } from '../../services/runtime/session.js';
import type { Failure } from '../../services/runtime/results/results.js';
import type { Nic82599 } from '../../services/engine/nic-82599/nic.js';
import { fabricOf } from '../kit/emulate.js';
import { mechanismOf } from '../../services/mechanisms/credit/mechanism.js';

type Engine = Session['engine'];

/** What is wrong with a run, whose engine may have injected damage. */
function failureOf(scenario: string, damage?: (engine: Engine) => void): Failure | null {
  const session = new Session(fabricOf(scenario), { check: true });
  damage?.(session.engine);
  while (session.advance(1000) === 'running');
  return session.results('complete').failure;
}

function nicOf(engine: Engine, host: string): Nic82599 {
  const place = engine.devices.findIndex(({ spec }) => spec.name === host);
  return engine.hosting.parts(place).nic!;
}

/** The highest class that may go, always. */
function pickHighest(engine: Engine, device: string): void {
  for (const { spec, arbiters } of engine.devices) {
    if (spec.name !== device) continue;
    for (const arbiter of arbiters) arbiter.pick = (eligible) => 31 - Math.clz32(eligible);
  }
}

function noCharge(): void {
  /** A granted party is not charged. */
}

/** Two tenants of one priority send to one host, by shares of 1 and 3. */
const TENANTS = `
duration: 200us
fabric: { generator: star, hosts: 3, hostLink: { rate: 10G, length: 10m } }
priorities: { 3: credit }
credit: { channels: [{ channel: 1, vlans: [10], share: 1 }, { channel: 2, vlans: [20], share: 3 }] }
load:
  - { name: red, stream: { from: h2, to: h1 }, vlan: 10, rate: line, priority: 3 }
  - { name: blue, stream: { from: h3, to: h1 }, vlan: 20, rate: line, priority: 3 }
`;

/** Congesting flows have class 2 for themselves, and share the way to h5 with class 5. */
const ISOLATED = `
duration: 300us
fabric:
  generator: leaf-spine
  leaves: 2
  spines: 1
  hostsPerLeaf: 4
  hostLink: { rate: 100G, length: 10m }
  fabricLink: { rate: 100G, length: 50m }
switches: { pipeline: 500ns, buffer: { size: 4MB }, arbiter: { ets: { 2: 40%, 3: 20%, 5: 40% } } }
priorities:
  2: { flowControl: pfc, responseDelay: 200ns, xoff: 100KB }
  3: { flowControl: pfc, responseDelay: 200ns, xoff: 250KB, ci: true }
ci: { priority: 2, detect: 40KB, low: 10KB }
load:
  - { name: jam, stream: { from: [h1, h2, h3], to: h5 }, rate: line, priority: 3 }
  - { name: other, stream: { from: h6, to: h5 }, rate: line, priority: 5 }
`;

const SLOTTED = `
duration: 10ms
fabric: { generator: star, hosts: 3, hostLink: { rate: 100M, length: 10m } }
classes: { arbiter: { dwrr: { 1: 1, 4: 3 } } }
switches: { model: mvtx2802, mvtx2802: { flowControl: false, source: 124, wred: { sum: wfq } } }
load:
  - { name: a, stream: { from: h2, to: h1 }, rate: line, priority: 1 }
  - { name: b, stream: { from: h3, to: h1 }, rate: line, priority: 4 }
`;

/** h1 sends, and h2 takes, two classes over less PCIe than they would fill. */
const narrow = (sender: string, taker: string): string => `
duration: 3ms
fabric: { generator: pair, link: { rate: 10G, length: 1km } }
priorities: { 0: pfc, 1: pfc }
devices:
  h1: { nic: { model: 82599, ${sender} ${SHARES} } }
  h2: { nic: { model: 82599, ${taker} ${SHARES} } }
load:
  - { name: a, stream: { from: h1, to: h2 }, priority: 0 }
  - { name: b, stream: { from: h1, to: h2 }, priority: 1 }
`;
const SHARES =
  'bandwidth: { groups: { 0: 100% }, classes: { 0: { group: 0, share: 70% }, 1: { group: 0, share: 30% } } }';
const SLOW = 'pcie: { rate: 4G, latency: 500ns },';
const MACHINES = `
duration: 3ms
fabric: { generator: pair, link: { rate: 10G, length: 1km } }
hosts: { nic: { model: 82599, vms: [4, 1] } }
load:
  - { name: large, stream: { from: h1, to: h2 }, vm: 0 }
  - { name: small, stream: { from: h1, to: h2 }, vm: 1 }
`;

const NEGOTIATED = `
duration: 1ms
fabric: { generator: star, hosts: 3, hostLink: { rate: 10G, length: 10m } }
switches: { arbiter: { ets: { 1: 20%, 2: 80% } } }
discovery: { second: 1us, recommend: true, willing: [] }
priorities: { 1: pfc, 2: pfc }
load:
  - { name: a, stream: { from: h2, to: h1 }, rate: line, priority: 1 }
  - { name: b, stream: { from: h3, to: h1 }, rate: line, priority: 2 }
`;

const CLASS_GOT_MORE = /a class got more than its share of the port/;

const CASES: readonly (readonly [string, string, (engine: Engine) => void, RegExp])[] = [
  [
    'turns among tenants that go by other shares than theirs',
    TENANTS,
    (engine) => {
      mechanismOf(engine).accounts.share = () => 1;
    },
    /a tenant got more than its share/,
  ],
  [
    'a class that gets what belongs to the queue of isolated flows',
    ISOLATED,
    (engine) => {
      pickHighest(engine, 'leaf2');
    },
    CLASS_GOT_MORE,
  ],
  [
    'a class of an MVTX2802',
    SLOTTED,
    (engine) => {
      pickHighest(engine, 's1');
    },
    CLASS_GOT_MORE,
  ],
  [
    'a class where link partners have negotiated shares',
    NEGOTIATED,
    (engine) => {
      pickHighest(engine, 's1');
    },
    CLASS_GOT_MORE,
  ],
  [
    'a class in the packet plane of an 82599',
    narrow('', ''),
    (engine) => {
      nicOf(engine, 'h1').packetPlane.classes.granted = noCharge;
    },
    CLASS_GOT_MORE,
  ],
  [
    'a class in its descriptor plane',
    narrow(SLOW, ''),
    (engine) => {
      nicOf(engine, 'h1').descriptorPlane.granted = noCharge;
    },
    CLASS_GOT_MORE,
  ],
  [
    'a class in its receive plane',
    narrow('', SLOW),
    (engine) => {
      nicOf(engine, 'h2').receivePlane.granted = noCharge;
    },
    CLASS_GOT_MORE,
  ],
  [
    'a virtual machine with the refill of another',
    MACHINES,
    (engine) => {
      nicOf(engine, 'h1').vms[0]!.setRefill(1, 100);
    },
    /a virtual machine got more than its share/,
  ],
];

describe('unfair arbiters', () => {
  for (const [name, scenario, damage, reason] of CASES) {
    it(`${name}: noticed, and silent where nothing is wrong`, () => {
      assert.equal(failureOf(scenario), null);
      assert.match(failureOf(scenario, damage)?.reason ?? 'not noticed', reason);
    });
  }
});
