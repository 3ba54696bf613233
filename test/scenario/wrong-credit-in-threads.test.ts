/** Every octet of credit messages forged or corrupted, with tenants and other faults beside. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunResults } from '../../services/runtime/results/results.js';
import { fabricOf, run } from '../kit/emulate.js';
import { inThreads } from '../kit/threads.js';

const FRAME_OCTETS = 60;
/** Behind addresses and EtherType; the channel is what comes last of a message. */
const OPCODE_AT = 14;
const CHANNEL_END = 36;
const FAULT_US = 40;
const END_US = 90;

/** Three tenants over two switches; faults end at 90 us. */
function tenants(faults: readonly string[], credit: string): string {
  return `
duration: 280us
seed: 5
fabric:
  devices:
    - { name: h1, kind: host }
    - { name: h2, kind: host }
    - { name: h3, kind: host }
    - { name: h4, kind: host }
    - { name: s1, kind: switch }
    - { name: s2, kind: switch }
  links:
    - { between: [h1, s1], rate: 10G, length: 10m }
    - { between: [h2, s1], rate: 10G, length: 3m }
    - { between: [s1, s2], rate: 10G, length: 120m }
    - { between: [s2, h3], rate: 10G, length: 10m }
    - { between: [s2, h4], rate: 10G, length: 10m }
priorities: { 3: credit }
credit:
  keepAlive: 60us
  channels: [ { channel: 1, vlans: [5] }, { channel: 2, vlans: [6], share: 2 }, { channel: 9 } ]
  ${credit}
load:
  - { name: a, stream: { from: [h1, h2], to: h3 }, rate: 40%, priority: 3, transport: raw, frame: 1518, vlan: 5 }
  - { name: b, stream: { from: h2, to: h4 }, rate: 60%, priority: 3, transport: raw, frame: 9216, vlan: 6 }
  - { name: c, stream: { from: h4, to: h1 }, rate: 30%, priority: 3, transport: raw, frame: 64 }
faults:
${faults.map((fault) => `  - ${fault}`).join('\n')}
`;
}

/** A grant or request of channel 1 and priority 3 with one octet that differs. */
function forged(by: string, opcode: string, octet: number, to: number): string {
  const octets = Buffer.alloc(FRAME_OCTETS);
  octets.write(`0180c20000010200000000998808${opcode}010800`, 'hex');
  octets.writeUInt16BE(0x4000, 24);
  octets.writeUInt16BE(1, 34);
  octets[octet] = to;
  const hex = octets.toString('hex');
  return `{ kind: forge, where: { port: '${by}' }, octets: '${hex}', at: ${FAULT_US}us, for: 3us, interval: 2us }`;
}

function corrupted(frames: string): string {
  const during = `at: ${FAULT_US}us, for: ${END_US - FAULT_US}us`;
  return `{ kind: control, where: { link: s1 s2 }, frames: ${frames}, action: corrupt, ${during} }`;
}

const CHAOS = [
  '{ kind: link-down, where: { device: h1 }, at: 44us, for: 5us }',
  "{ kind: loss, where: { port: 's2:p1' }, probability: 5%, at: 30us, for: 60us }",
  "{ kind: steal-credit, where: { port: 'h2:p1' }, size: 4KB, interval: 5us, at: 40us, for: 20us }",
];

/** Repaired within two periods of an idle account and round trips. */
function isWhole(results: RunResults, what: string): void {
  assert.equal(results.failure?.reason, undefined, what);
  assert.equal(results.status, 'complete', what);
  assert.deepEqual(results.lostCredits, [], what);
  for (const { port, available, bufferUnits } of results.credits) {
    assert.ok(available <= bufferUnits, `${what}: ${port} has ${available} of ${bufferUnits}`);
  }
}

describe('wrong words of credit among tenants and other faults', () => {
  const TERMS = [
    'grant: static',
    'grant: demand, request: never',
    'grant: demand, age: 20us',
    'unsolicited: false',
    'tags: true',
  ];
  for (const [t, terms] of TERMS.entries()) {
    const credit = terms.replaceAll(', ', '\n  ');
    it(`leave credit whole and one digest, whatever octet: ${terms}`, async () => {
      for (let octet = OPCODE_AT + t; octet < CHANNEL_END; octet += TERMS.length) {
        const isGrant = octet % 2 === 0;
        const by = isGrant ? 's2:p1' : 's1:p3';
        const wrong = forged(by, isGrant ? '0111' : '0110', octet, (octet * 37 + t) & 0xff);
        const fabric = fabricOf(tenants(octet % 4 === 0 ? [wrong, ...CHAOS] : [wrong], credit));
        const alone = run(fabric);
        isWhole(alone, `octet ${octet}`);
        if (octet % 3 !== 0) continue;
        const threads = (await inThreads(fabric, 2 + (t % 2)).run()).results;
        assert.deepEqual(threads, alone);
      }
    });

    it(`leave credit whole and one digest where bits are wrong: ${terms}`, async () => {
      const faults = [corrupted('ce-grant'), corrupted('ce-request'), ...CHAOS];
      const fabric = fabricOf(tenants(faults, credit));
      const alone = run(fabric);
      isWhole(alone, 'corrupted');
      const threads = (await inThreads(fabric, 2 + (t % 2)).run()).results;
      assert.deepEqual(threads, alone);
    });
  }
});
