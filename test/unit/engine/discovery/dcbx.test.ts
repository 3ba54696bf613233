import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DcbxAdmin } from '../../../../services/engine/contract/discovery.js';
import {
  advertisedCredit,
  agreeOnCredit,
  CET_PROTOCOL,
  cetApplications,
} from '../../../../services/mechanisms/credit/capability.js';
import {
  bridgeLevel,
  orientationOf,
  UNKNOWN_LEVEL,
} from '../../../../services/engine/discovery/capabilities/topology-level.js';
import {
  blankCee,
  ceeOf,
  type CeeState,
  renewCee,
  resolvedCee,
} from '../../../../services/engine/discovery/dcbx/dcbx-cee-machine.js';
import { chosenDcbx } from '../../../../services/engine/discovery/dcbx/dcbx-choice.js';
import {
  type IeeePeer,
  resolveIeee,
} from '../../../../services/engine/discovery/dcbx/dcbx-ieee-machine.js';
import { MISMATCH } from '../../../../services/engine/discovery/dcbx/dcbx-managed.js';
import { followsPeer } from '../../../../services/engine/discovery/dcbx/symmetric.js';
import { blankCreditExchange } from '../../../../services/engine/wire/lldp/capability-tlvs.js';
import { blankCeeDcbx } from '../../../../services/engine/wire/lldp/dcbx-cee.js';
import {
  blankEts,
  BY_UDP_PORT,
  decodeApplications,
  encodeApplications,
  type Ets,
} from '../../../../services/engine/wire/lldp/dcbx-ieee.js';
import { adminOf } from '../../../kit/discovery-link.js';

const IDENTITY = [0, 1, 2, 3, 4, 5, 6, 7];
const ROCE = { selector: BY_UDP_PORT, protocol: 4791, priority: 3 };

function shares(percent: number, change: Partial<Ets> = {}): Ets {
  return {
    ...blankEts(),
    classOf: IDENTITY,
    shares: [percent, 0, 0, 100 - percent, 0, 0, 0, 0],
    algorithms: [2, 0, 0, 2, 0, 0, 0, 0],
    ...change,
  };
}

function end(
  enabled: number,
  willing: boolean,
  part: Partial<DcbxAdmin> = {},
  capability = 8,
): DcbxAdmin {
  const pfc = { willing, noMacsecBypass: false, capability, enabled };
  return { ...adminOf({}).dcbx, ets: shares(50), pfc, ...part };
}

function peerOf({ ets, recommendation, pfc, applications }: DcbxAdmin, mac = 2): IeeePeer {
  return {
    mac,
    etsConfiguration: ets,
    etsRecommendation: recommendation,
    pfc,
    applications: applications.length === 0 ? null : { entries: applications },
  };
}

describe('the symmetric rule', () => {
  it('has only the willing follow, and of two willing the one with the lesser address', () => {
    const a = (willing: boolean) => ({ willing, mac: 1 });
    const b = (willing: boolean) => ({ willing, mac: 2 });
    assert.equal(followsPeer(a(false), b(true)), false);
    assert.equal(followsPeer(a(true), b(false)), true);
    assert.equal(followsPeer(a(true), b(true)), true);
    assert.equal(followsPeer(b(true), a(true)), false);
  });

  it('compares addresses as numbers of 48 bits', () => {
    const low = { willing: true, mac: 0x00ffffffffff };
    const high = { willing: true, mac: 0x800000000000 };
    assert.equal(followsPeer(low, high), true);
    assert.equal(followsPeer(high, low), false);
  });
});

describe('IEEE DCBX', () => {
  it('keeps different PFC of two unwilling ends to what both have, and both complain', () => {
    const [a, b] = [end(0b1100, false), end(0b0110, false)];
    for (const result of [resolveIeee(a, 1, peerOf(b)), resolveIeee(b, 2, peerOf(a, 1))]) {
      assert.equal(result.pfc, 0b0100);
      assert.equal(result.mismatches, MISMATCH.PFC);
    }
  });

  it('does not take over more priorities than it can have at once', () => {
    const [small, big] = [end(1, true, {}, 1), end(0b0111, false)];
    const result = resolveIeee(small, 1, peerOf(big));
    assert.equal(result.pfc, 1);
    assert.equal(result.mismatches, MISMATCH.PFC);
    assert.equal(resolveIeee(big, 2, peerOf(small, 1)).pfc, 1);
  });

  it('takes over a recommended table, and its own will shows beside it', () => {
    const willing = end(0, false, { ets: shares(50, { willing: true }) });
    const result = resolveIeee(willing, 1, peerOf(end(0, false, { recommendation: shares(70) })));
    assert.deepEqual(result.ets.shares, shares(70).shares);
    assert.equal(result.ets.willing, true);
    assert.equal(result.etsFrom, 'peer');
  });

  it('keeps its table without a will or a recommendation', () => {
    const recommending = peerOf(end(0, false, { recommendation: shares(70) }));
    const own = resolveIeee(end(0, false), 1, recommending);
    assert.deepEqual([own.ets.shares[0], own.etsFrom], [50, 'local']);
    const willing = end(0, false, { ets: shares(50, { willing: true }) });
    assert.equal(resolveIeee(willing, 1, peerOf(end(0, false))).etsFrom, 'local');
  });

  it('takes over a map of priorities to classes', () => {
    const willing = end(0, false, { ets: shares(50, { willing: true }) });
    const table = shares(70, { classOf: [1, 0, 0, 3, 3, 3, 6, 7] });
    const result = resolveIeee(willing, 1, peerOf(end(0, false, { recommendation: table })));
    assert.deepEqual([result.etsFrom, result.mismatches], ['peer', 0]);
    assert.deepEqual(result.ets.classOf, table.classOf);
  });

  it('leaves a priority where it is, and alone, if something goes by its class', () => {
    const ets = shares(50, { willing: true });
    const maps = [
      [0, 1, 2, 4, 4, 5, 6, 7],
      [0, 1, 3, 3, 4, 5, 6, 7],
      [7, 0, 2, 3, 2, 2, 2, 1],
    ];
    const from = maps.map((classOf) => {
      const peer = peerOf(end(0, false, { recommendation: shares(70, { classOf }) }));
      return resolveIeee(end(0, false, { ets, fixedClasses: 8 }), 1, peer).etsFrom;
    });
    assert.deepEqual(from, ['local', 'local', 'peer']);
  });

  it('keeps its table where its arbiter has no shares', () => {
    const ets = { ...shares(50, { willing: true }), algorithms: IDENTITY.map(() => 255) };
    const peer = peerOf(end(0, false, { recommendation: shares(70) }));
    const result = resolveIeee(end(0, false, { ets }), 1, peer);
    assert.deepEqual([result.etsFrom, result.mismatches], ['local', MISMATCH.ETS]);
  });

  it('complains of a shaper or an algorithm of a vendor', () => {
    const willing = end(0, false, { ets: shares(50, { willing: true }) });
    for (const table of [
      shares(70, { algorithms: [1, 0, 0, 2, 0, 0, 0, 0] }),
      shares(70, { algorithms: [255, 0, 0, 2, 0, 0, 0, 0] }),
    ]) {
      const result = resolveIeee(willing, 1, peerOf(end(0, false, { recommendation: table })));
      assert.deepEqual([result.etsFrom, result.mismatches], ['local', MISMATCH.ETS]);
    }
  });

  it('adds applications that it has no entry for, if it is willing', () => {
    const other = { selector: 1, protocol: 0x8906, priority: 4 };
    const peer = peerOf(end(0, false, { applications: [{ ...ROCE, priority: 5 }, other] }));
    const own = { applications: [ROCE] };
    assert.deepEqual(resolveIeee(end(0, true, own), 1, peer).applications, [ROCE, other]);
    assert.deepEqual(resolveIeee(end(0, false, own), 1, peer).applications, [ROCE]);
  });

  it('complains of an application that lost the PFC of its priority', () => {
    const willing = end(8, true, { applications: [ROCE] });
    assert.equal(resolveIeee(willing, 1, peerOf(end(16, false))).mismatches, MISMATCH.APPLICATION);
    assert.equal(resolveIeee(willing, 1, peerOf(end(8, false))).mismatches, 0);
  });
});

describe('the choice of DCBX', () => {
  it('answers CEE to a neighbor that has nothing else, and is IEEE for the rest', () => {
    const spoken = (ieee: boolean, cee: boolean) => ({ ieee, cee });
    assert.equal(chosenDcbx('auto', null), 'ieee');
    assert.equal(chosenDcbx('auto', spoken(false, false)), 'ieee');
    assert.equal(chosenDcbx('auto', spoken(false, true)), 'cee');
    assert.equal(chosenDcbx('auto', spoken(true, true)), 'ieee');
    assert.equal(chosenDcbx('cee', spoken(true, false)), 'cee');
    assert.equal(chosenDcbx('off', spoken(true, true)), 'none');
  });
});

describe('CEE DCBX', () => {
  /** Both ends exchange TLVs until neither has a change. */
  function settle(a: DcbxAdmin, b: DcbxAdmin): [CeeState, CeeState] {
    const states: [CeeState, CeeState] = [blankCee(), blankCee()];
    for (let i = 0; i < 4; i++) {
      states[0] = resolvedCee(states[0], a, ceeOf(b, states[1]));
      states[1] = resolvedCee(states[1], b, ceeOf(a, states[0]));
    }
    return states;
  }

  const rows: readonly (readonly [string, DcbxAdmin, DcbxAdmin, number, boolean])[] = [
    ['follows an unwilling peer', end(1, true), end(8, false), 8, false],
    ['leads a willing peer', end(1, false), end(8, true), 1, false],
    ['agrees with an equal', end(8, false), end(8, false), 8, false],
    ['agrees with a willing equal', end(8, true), end(8, true), 8, false],
    [
      'is off and says so when both insist on different ones',
      end(1, false),
      end(8, false),
      0,
      true,
    ],
    ['is off when two are willing and differ', end(1, true), end(8, true), 0, true],
  ];
  for (const [what, a, b, pfc, error] of rows) {
    it(what, () => {
      const [state] = settle(a, b);
      assert.equal(state.operation!.pfc, pfc);
      assert.equal(state.features.pfc.error, error);
    });
  }

  it('is off, with an error, without a peer or without its feature', () => {
    const own = end(8, false);
    let state = blankCee();
    state = resolvedCee(state, own, null);
    assert.deepEqual([state.operation!.pfc, state.features.pfc.error], [0, true]);
    let [other] = settle(own, own);
    const without = { ...ceeOf(own, blankCee()), pfc: null };
    other = resolvedCee(other, own, { ...without, acknowledged: other.sequence });
    other = resolvedCee(other, own, { ...without, acknowledged: other.sequence });
    assert.deepEqual([other.operation!.pfc, other.features.pfc.error], [0, true]);
  });

  it('stays as it was until the peer has acknowledged what is new', () => {
    const [first, second] = [end(8, false), end(16, false)];
    const willing = end(0, true);
    let [state, peer] = settle(first, willing);
    assert.equal(state.operation!.pfc, 8);
    renewCee(state);
    state = resolvedCee(state, second, ceeOf(willing, peer));
    assert.equal(state.operation!.pfc, 8);
    peer = resolvedCee(peer, willing, ceeOf(second, state));
    assert.equal(peer.acknowledged, state.sequence);
    state = resolvedCee(state, second, ceeOf(willing, peer));
    assert.equal(state.operation!.pfc, 16);
  });

  it('takes over groups of a peer, and its classes with them', () => {
    const willing = end(0, false, { ets: shares(50, { willing: true }) });
    const [state] = settle(willing, end(0, false, { ets: shares(70) }));
    assert.deepEqual(state.operation!.ets.shares, shares(70).shares);
    const [odd] = settle(
      willing,
      end(0, false, { ets: shares(70, { classOf: [0, 0, 0, 3, 4, 5, 6, 7] }) }),
    );
    assert.deepEqual(odd.operation!.ets.shares, shares(70).shares);
    assert.deepEqual(odd.operation!.ets.classOf, [0, 0, 0, 3, 4, 5, 6, 7]);
    assert.equal(odd.operation!.mismatches & MISMATCH.ETS, 0);
  });

  it('moves strict priorities out of the way of a peer’s groups, if there is room', () => {
    const willing = end(0, false, { ets: shares(50, { willing: true }) });
    const crowded = shares(40, {
      classOf: [0, 0, 3, 3, 7, 7, 7, 1],
      shares: [40, 0, 0, 40, 0, 0, 0, 20],
      algorithms: [2, 0, 0, 2, 0, 0, 0, 2],
    });
    const [state] = settle(willing, end(0, false, { ets: crowded }));
    assert.deepEqual(state.operation!.ets.classOf, [0, 0, 3, 3, 7, 7, 7, 6]);
    assert.equal(state.operation!.ets.algorithms[6], 0);
  });
});

describe('an agreement on credit', () => {
  const tlv = {
    ...blankCreditExchange(),
    capable: 0b11000,
    enabled: 0b01000,
    agreed: 0b01000,
    cumulative: true,
  };
  const able = { ...tlv, resync: true, channelled: true, channels: 16, ceTag: true };
  const full = { ...able, requestTpid: 0x88b5, responseTpid: 0x88b6 };

  it('is for priorities that both have switched on', () => {
    const result = agreeOnCredit(full, { ...full, channels: 4, unitOctets: 128 }, false);
    assert.equal(result.priorities, 0b01000);
    assert.equal(result.mode, 'cumulative');
    assert.equal(result.channels, 4);
    assert.equal(result.tags, true);
    assert.deepEqual([result.grantedUnitOctets, result.askedUnitOctets], [64, 128]);
    assert.equal(result.mismatch || result.unitMismatch, false);
  });

  it('is made with a peer that has Application Protocol entries alone, in amounts', () => {
    const octets = new Uint8Array(64);
    const end = encodeApplications(octets, 0, {
      entries: [...cetApplications(0b01000), { priority: 4, selector: 3, protocol: 4791 }],
    });
    assert.deepEqual(
      [...octets.subarray(0, end)],
      [...[0xfe, 11, 0x00, 0x80, 0xc2, 0x0c, 0x00], ...[0x61, 0x88, 0x08, 0x83, 0x12, 0xb7]],
    );
    const applications = { entries: [] };
    assert.equal(decodeApplications(octets.subarray(2, end), applications), 'ok');
    const peer = advertisedCredit({ grants: null, applications, cee: null });
    const result = agreeOnCredit(full, peer, false);
    assert.deepEqual(
      [result.priorities, result.mode, result.channels, result.tags, result.askedUnitOctets],
      [0b01000, 'incremental', 0, false, 64],
    );
    // The same in CEE, and its own TLV goes before.
    const feature = { enable: true, willing: false, error: false };
    const entries = [{ protocol: CET_PROTOCOL, selector: 0, priorities: 0b11000 }];
    const cee = { ...blankCeeDcbx(), applications: { ...feature, entries } };
    assert.equal(advertisedCredit({ grants: null, applications: null, cee })!.enabled, 24);
    assert.equal(advertisedCredit({ grants: full, applications, cee: null }), full);
    assert.equal(
      advertisedCredit({ grants: null, applications: { entries: [] }, cee: null }),
      null,
    );
  });

  it('takes from the peer what it says of its own grants', () => {
    const bufferUnits = [0, 0, 0, 40000, 0, 0, 0, 0];
    const result = agreeOnCredit(full, { ...full, wide: true, divided: true, bufferUnits }, false);
    assert.deepEqual(
      [result.askedWide, result.askedDivided, result.askedBufferUnits],
      [true, true, bufferUnits],
    );
  });

  it('counts incrementally and without channels or tags where one cannot', () => {
    const result = agreeOnCredit(full, tlv, false);
    assert.deepEqual([result.mode, result.channels, result.tags], ['incremental', 0, false]);
  });

  it('is not agreed with a neighbor that does not advertise it, or does not support it', () => {
    const silent = agreeOnCredit(full, null, false);
    assert.deepEqual([silent.priorities, silent.mismatch], [0, true]);
    const unable = agreeOnCredit(full, { ...full, capable: 0, enabled: 0 }, false);
    assert.deepEqual([unable.priorities, unable.mismatch], [0, true]);
    assert.equal(agreeOnCredit(null, full, false).mismatch, false);
  });

  it('does not come about with a unit that one of them cannot count in', () => {
    for (const unitOctets of [32, 4000]) {
      const result = agreeOnCredit(full, { ...full, unitOctets }, false);
      assert.deepEqual([result.priorities, result.unitMismatch], [0, true]);
    }
  });

  it('applies to priorities that the peer agrees on, too, and reports the others', () => {
    const result = agreeOnCredit(full, { ...full, agreed: 0b10000 }, false);
    assert.deepEqual([result.agreed, result.priorities, result.mismatch], [0b01000, 0, true]);
    const silent = agreeOnCredit(full, null, false);
    assert.equal(silent.agreed, 0);
  });

  it('is what the peer has switched on where this end follows', () => {
    const result = agreeOnCredit({ ...full, willing: true, enabled: 0 }, full, true);
    assert.equal(result.priorities, 0b01000);
    assert.equal(result.mismatch, false);
  });
});

describe('levels of topology recognition', () => {
  it('are one above the lowest neighbor, unknown without one, and do not grow without end', () => {
    assert.equal(bridgeLevel([0, 2]), 1);
    assert.equal(bridgeLevel([1, UNKNOWN_LEVEL]), 2);
    assert.equal(bridgeLevel([]), UNKNOWN_LEVEL);
    let level = 1;
    for (let i = 0; i < 300 && level !== UNKNOWN_LEVEL; i++) level = bridgeLevel([level]);
    assert.equal(level, UNKNOWN_LEVEL);
  });

  it('give the orientation of a port', () => {
    assert.deepEqual(
      [orientationOf(1, 0), orientationOf(1, 2), orientationOf(1, 1), orientationOf(1, 255)],
      [1, 0, 2, 255],
    );
  });
});
