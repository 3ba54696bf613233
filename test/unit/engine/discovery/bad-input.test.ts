/**
 * What cannot be is counted under its reason, and never does more harm than the standard allows.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  blankStatistics,
  type LldpStatistics,
} from '../../../../services/engine/discovery/lldp/lldp-managed.js';
import {
  blankReceive,
  countDownReceive,
  receiveLldp,
} from '../../../../services/engine/discovery/lldp/receive-machine.js';
import {
  CHASSIS_MAC,
  macIdentifier,
  textIdentifier,
} from '../../../../services/engine/wire/lldp/basic-tlvs.js';
import { blankCeeDcbx, encodeCeeDcbx } from '../../../../services/engine/wire/lldp/dcbx-cee.js';
import {
  blankEts,
  blankPfcConfiguration,
  encodeEtsConfiguration,
  encodePfcConfiguration,
} from '../../../../services/engine/wire/lldp/dcbx-ieee.js';
import { encodeLldp, NEAREST_BRIDGE } from '../../../../services/engine/wire/lldp/lldpdu.js';
import { OUI_SELVAGE, splitTlvs, type Tlv } from '../../../../services/engine/wire/lldp/tlv.js';
import { adminOf, DiscoveryEnd, runLink, specOf, TICK_PS } from '../../../kit/discovery-link.js';

const PORT = { neighborsMost: 4, identifier: OUI_SELVAGE };

function lldpdu(mac: number, ttlSeconds: number, tlvs: readonly Tlv[] = []): Uint8Array {
  const octets = new Uint8Array(1500);
  const length = encodeLldp(octets, 0, {
    destination: NEAREST_BRIDGE,
    source: mac,
    chassisId: macIdentifier(CHASSIS_MAC, mac),
    portId: textIdentifier(5, 'p1'),
    ttlSeconds,
    tlvs,
  });
  return octets.slice(0, length);
}

function tlvOf(encode: (octets: Uint8Array) => number): Tlv {
  const octets = new Uint8Array(600);
  return splitTlvs(octets.subarray(0, encode(octets)))![0]!;
}

const pfc = tlvOf((octets) => encodePfcConfiguration(octets, 0, blankPfcConfiguration()));
const cee = tlvOf((octets) => encodeCeeDcbx(octets, 0, blankCeeDcbx()));
const ets = tlvOf((octets) => encodeEtsConfiguration(octets, 0, blankEts()));

/** A copy of a TLV, or of a frame, with one octet changed. */
const changed = (octets: Uint8Array, at: number, value: number): Uint8Array =>
  octets.map((octet, i) => (i === at ? value : octet));
const bent = ({ type, value }: Tlv, at: number, octet: number): Tlv => ({
  type,
  value: changed(value, at, octet),
});
const cut = ({ type, value }: Tlv): Tlv => ({ type, value: value.slice(0, -1) });

/** Offsets in a frame: the first TLV, and the low octet of its length. */
const FIRST_TLV = 14;
const FIRST_LENGTH = 15;

const good = lldpdu(1, 121, [pfc]);
const again: Tlv = { type: 1, value: macIdentifier(CHASSIS_MAC, 1) };

type Counts = Partial<LldpStatistics>;
const bad = (reason: keyof LldpStatistics): Counts => ({
  statsFramesInErrorsTotal: 1,
  statsFramesDiscardedTotal: 1,
  [reason]: 1,
});
const alone = (reason: keyof LldpStatistics): Counts => ({
  statsTLVsDiscardedTotal: 1,
  statsRemTablesInserts: 1,
  [reason]: 1,
});

const CASES: readonly (readonly [string, Uint8Array, Counts])[] = [
  ['a frame that ends within a TLV', good.slice(0, 30), bad('truncatedTotal')],
  ['a frame that ends within a TLV header', good.slice(0, 15), bad('truncatedTotal')],
  ['a first TLV of another type', changed(good, FIRST_TLV, 4 << 1), bad('misorderedTotal')],
  ['a mandatory TLV twice', lldpdu(1, 9, [again]), bad('repeatedMandatoryTotal')],
  [
    'a chassis ID without an identifier',
    Uint8Array.from([...good.slice(0, FIRST_LENGTH), 1, 4, ...good.slice(FIRST_LENGTH + 8)]),
    bad('mandatoryLengthErrorsTotal'),
  ],
  ['a time to live of zero', lldpdu(1, 0), { shutdownsInTotal: 1 }],
  ['a TLV of a wrong length', lldpdu(1, 9, [cut(pfc)]), alone('tlvLengthErrorsTotal')],
  [
    'an organizational TLV without an organization',
    lldpdu(1, 9, [{ type: 127, value: Uint8Array.of(0, 0x80) }]),
    alone('tlvLengthErrorsTotal'),
  ],
  ['shares of 101 percent', lldpdu(1, 9, [bent(ets, 9, 101)]), alone('etsSumErrorsTotal')],
  ['a traffic class 15', lldpdu(1, 9, [bent(ets, 5, 0xff)]), alone('tlvValueErrorsTotal')],
  [
    'the same TLV twice',
    lldpdu(1, 9, [pfc, pfc]),
    { statsRemTablesInserts: 1, statsTLVsDiscardedTotal: 2, duplicateTlvsTotal: 2 },
  ],
  [
    'IEEE DCBX and CEE at once',
    lldpdu(1, 9, [pfc, cee]),
    { statsRemTablesInserts: 1, dcbxConflictsTotal: 1 },
  ],
];

describe('bad LLDPDUs', () => {
  for (const [what, octets, counts] of CASES) {
    it(`counts ${what}`, () => {
      const [rx, stats] = [blankReceive(), blankStatistics()];
      receiveLldp(rx, stats, PORT, octets);
      assert.deepEqual(stats, { ...blankStatistics(), statsFramesInTotal: 1, ...counts });
    });
  }
});

describe('bad neighbors', () => {
  it('that flap leave nothing behind, however often', () => {
    const [rx, stats] = [blankReceive(), blankStatistics()];
    for (let i = 0; i < 1000; i++) {
      receiveLldp(rx, stats, PORT, lldpdu(1, 5, [pfc]));
      if (i % 2 === 0) receiveLldp(rx, stats, PORT, lldpdu(1, 0));
      else countDownReceive(rx, stats, 5);
      assert.equal(rx.neighbors.length, 0);
    }
    assert.equal(stats.statsRemTablesInserts, 1000);
    assert.equal(stats.statsRemTablesDeletes, 1000);
    assert.equal(stats.shutdownsInTotal, 500);
    assert.equal(stats.statsAgeoutsTotal, 500);
  });

  it('that flap do not make a port speak faster than its credit', () => {
    const end = new DiscoveryEnd(specOf(2, [{ fromPs: 0, admin: adminOf({}) }]));
    const other = new DiscoveryEnd(specOf(3, [{ fromPs: 0, admin: adminOf({}) }]));
    for (let i = 0; i < 200; i++) {
      end.deliver((i * TICK_PS) / 10, lldpdu(9, i % 2 === 0 ? 100 : 0));
    }
    runLink([end, other], () => [], 20 * TICK_PS);
    const { txCreditMax } = end.spec.timers;
    assert.ok(end.sent.length <= 20 + txCreditMax, `${end.sent.length}`);
  });

  it('that are two are counted, and negotiate nothing', () => {
    const [rx, stats] = [blankReceive(), blankStatistics()];
    receiveLldp(rx, stats, PORT, lldpdu(1, 9, [pfc]));
    receiveLldp(rx, stats, PORT, lldpdu(2, 9, [pfc]));
    assert.equal(stats.severalPeersTotal, 1);
  });
});

describe('more to say than fits', () => {
  it('leaves out what does not, whole, and counts it', () => {
    const systemDescription = 'x'.repeat(255);
    const applications = Array.from({ length: 160 }, (_, i) => ({
      selector: 1,
      protocol: 2000 + i,
      priority: 3,
    }));
    const spec = specOf(2, [{ fromPs: 0, admin: adminOf({ applications }) }]);
    const { identity } = spec;
    const names = {
      systemDescription,
      systemName: systemDescription,
      portDescription: systemDescription,
    };
    const end = new DiscoveryEnd({
      ...spec,
      identity: { ...identity, ...names, portId: 'y'.repeat(255) },
    });
    const peer = new DiscoveryEnd(specOf(3, [{ fromPs: 0, admin: adminOf({}) }]));
    runLink([end, peer], () => [1e6], TICK_PS / 2);
    assert.ok(end.port.agents[0]!.stats.lengthErrorsTotal > 0);
    const { neighbors, ...rest } = peer.port.agents[0]!.rx;
    assert.equal(rest.tooManyNeighborsTimer, 0);
    assert.equal(neighbors.length, 1);
    assert.equal(peer.port.agents[0]!.stats.statsFramesInErrorsTotal, 0);
    assert.equal(neighbors[0]!.remote.discarded, 0);
  });
});
