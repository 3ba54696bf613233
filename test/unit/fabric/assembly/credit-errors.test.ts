import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PortSpec } from '../../../../services/engine/contract/spec.js';
import { fabricOf, run } from '../../../kit/emulate.js';

/** Two hosts at a switch, and what a scenario adds to them. */
function star(rest: string, rate = '10G'): string {
  return `
fabric: { generator: star, hosts: 2, hostLink: { rate: ${rate} } }
load: [{ stream: { from: h1, to: h2 }, bytes: 100KB, priority: 3 }]
${rest}
`;
}

const CREDIT = 'priorities: { 3: credit }';
const ONE_SIDED = 'devices: { h1: { priorities: { 3: credit } } }';

const refused: readonly (readonly [string, string, RegExp])[] = [
  [
    'below 10 Gb/s',
    star(CREDIT, '1G'),
    /:5:18: credit on a link too slow for it: h1:p1 has 1G; credit needs 10G or more/,
  ],
  [
    'that no buffer could back',
    star(`${CREDIT}\ncredit: { buffer: 1KB }`),
    /:6:19: credits that no buffer could back: 15 units of 64 bytes are less than the longest /,
  ],
  [
    'that no count can hold',
    star(`${CREDIT}\ncredit: { buffer: 100GB }`),
    /:6:19: credits that no count can hold: 1562500000 units of 64 bytes; at most 1073741823 units/,
  ],
  [
    'that are answers to nobody',
    star(`${CREDIT}\ncredit: { unsolicited: false, request: never }`),
    /:6:24: grants are answers only, and the other end never requests credit/,
  ],
  [
    'that never come to a frame, as no request asks for more than is kept',
    star(`${CREDIT}\ncredit: { grant: demand, request: never, keep: 64B }`),
    /:6:48: 64 bytes for an idle account, where the longest frame of priority 3 takes 1536 and /,
  ],
  [
    'that never come to a frame at one end',
    star(
      `${CREDIT}\ncredit: { grant: demand, request: never }\ndevices: { s1: { credit: { keep: 1KB } } }`,
    ),
    /:7:34: 1024 bytes for an idle account, .*: it would wait for ever; keep: auto, at least 1536 /,
  ],
  [
    'of a tenant whose tags a bridge takes away',
    star(
      `${CREDIT}\nswitches: { forwarding: bridged }\ncredit: { channels: [{ channel: 0 }, { channel: 1, vlans: [7, 1] }] }`,
    ),
    /:7:\d+: VLAN 1 of channel 1 is native at a port of a bridged switch, .*; native: a VLAN of no /,
  ],
  [
    'that are agreed upon anew before an answer can come',
    star(`${CREDIT}\ncredit: { sync: 1ns }`),
    /:6:17: 1 ns is less than a message takes from h1:p1 and back, .*; sync: auto, or at least /,
  ],
  [
    'that age and would be granted again at once',
    star(`${CREDIT}\ncredit: { age: 1ms }`),
    /:6:16: ageing needs grant: demand at the other end of the link/,
  ],
  [
    'that are lent and could not be taken back',
    star(
      `${CREDIT}\ncredit: { counts: incremental, grant: demand, ` +
        'channels: [{ channel: 1, vlans: [5] }, { channel: 2, vlans: [6] }] }',
    ),
    /:6:19: counts: incremental with grant: demand and 2 channels: amounts cannot be taken back/,
  ],
  [
    'whose priority would change its class',
    star(
      `${CREDIT}\ndiscovery:\n  changes: [{ at: 3us, devices: h2, classes: [0, 1, 2, 4, 3, 5, 6, 7] }]`,
    ),
    /:7:37: h2: priority 3 has a class of its own, 4, but credit, .* leave it in 3$/m,
  ],
  [
    'whose class another priority would join',
    star(
      `${CREDIT}\ndiscovery:\n  changes: [{ at: 3us, devices: h*, classes: [3, 1, 2, 3, 4, 5, 6, 7] }]`,
    ),
    /:7:37: h1: priority 0 has a class of its own, 3, .* or take a class that no such priority has/,
  ],
  [
    'of CBFC, whose class another priority joins by discovery',
    star(
      `priorities: { 4: cbfc }\ndiscovery: {}\n` +
        'devices: { h1: { discovery: { classes: [0, 1, 2, 2, 2, 5, 6, 7] } } }',
    ),
    /:7:31: priority 4 has a class of its own, 2, but credit, cbfc, .* leave it in 4$/m,
  ],
  [
    'of CBFC, whose class another priority would join',
    star(
      `priorities: { 4: cbfc }\ndiscovery:\n` +
        '  changes: [{ at: 3us, devices: h1, classes: [0, 1, 4, 3, 4, 5, 6, 7] }]',
    ),
    /h1: priority 2 has a class of its own, 4, .* or take a class that no such priority has/,
  ],
  [
    'beyond the memory of the switch',
    star(`${CREDIT}\nswitches: { buffer: { size: 10KB } }`),
    /:6:29: impossible headroom: s1 needs \d+ bytes for headroom, reserves and credit/,
  ],
  [
    'at one end of a link',
    star(ONE_SIDED),
    /:5:35: priority 3 has credit at h1:p1 but not at the other end, s1:p1; make them alike or/,
  ],
];

describe('credits', () => {
  for (const [what, text, message] of refused) {
    it(`${what} are refused where they stand`, () => {
      assert.throws(() => fabricOf(text), message);
    });
  }

  it('fall back to what the scenario says where one end has none', () => {
    const hostPort = (fallback: string): PortSpec =>
      fabricOf(star(`${ONE_SIDED}\ncredit: { fallback: ${fallback} }`)).specs[0]!.ports[0]!;
    assert.deepEqual([hostPort('none').grants, hostPort('none').pausing], [null, null]);
    assert.equal(hostPort('pfc').grants, null);
    assert.equal(hostPort('pfc').pausing!.priorities, 0b1000);
    const results = run(fabricOf(star(`${ONE_SIDED}\ncredit: { fallback: pfc }`)));
    assert.equal(results.status, 'complete');
  });
});
