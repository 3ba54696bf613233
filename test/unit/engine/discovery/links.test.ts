/** Both ends of a link, whatever happens to their LLDPDUs, come to what the rules prescribe. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DcbxAdmin, DcbxMode } from '../../../../services/engine/contract/discovery.js';
import {
  creditIsInRange,
  databaseIsWhole,
} from '../../../../services/engine/discovery/discovery-invariants.js';
import { RandomStream } from '../../../../services/engine/kernel/random.js';
import {
  blankCreditExchange,
  type CreditExchange,
  MAX_CR_BLK_DEFAULT,
} from '../../../../services/engine/wire/lldp/capability-tlvs.js';
import { blankEts, type Ets } from '../../../../services/engine/wire/lldp/dcbx-ieee.js';
import {
  adminOf,
  type Medium,
  DiscoveryEnd,
  runLink,
  specOf,
  TICK_PS,
} from '../../../kit/discovery-link.js';
import { fc } from '../../../kit/properties.js';

const IDENTITY = [0, 1, 2, 3, 4, 5, 6, 7];
const WIRE_PS = 1e6;
const good: Medium = () => [WIRE_PS];

function etsOf(percent: number, willing: boolean): Ets {
  const shares = [percent, 0, 0, 100 - percent, 0, 0, 0, 0];
  const algorithms = [2, 0, 0, 2, 0, 0, 0, 0];
  // Strict classes share a group in CEE, so only classes 0 and 3 have priorities here.
  return { ...blankEts(), willing, classOf: IDENTITY, shares, algorithms };
}

const admins: fc.Arbitrary<DcbxAdmin> = fc
  .record({
    mode: fc.constantFrom<DcbxMode>('auto', 'ieee', 'cee', 'off'),
    etsWilling: fc.boolean(),
    percent: fc.integer({ min: 1, max: 99 }),
    recommends: fc.boolean(),
    pfcWilling: fc.boolean(),
    capability: fc.integer({ min: 1, max: 8 }),
    enabled: fc.integer({ min: 0, max: 255 }),
  })
  .map(({ mode, etsWilling, percent, recommends, pfcWilling, capability, enabled }) => ({
    mode,
    ets: etsOf(percent, etsWilling),
    recommendation: recommends ? etsOf(100 - percent, false) : null,
    pfc: { willing: pfcWilling, noMacsecBypass: false, capability, enabled },
    applications: [],
    fixedClasses: 0,
  }));

interface End {
  readonly admin: DcbxAdmin;
  readonly mac: number;
}

interface Prescribed {
  readonly protocol: 'none' | 'ieee' | 'cee';
  readonly pfc: number;
  readonly share: number;
}

const count = (mask: number): number => IDENTITY.filter((p) => (mask & (1 << p)) !== 0).length;

/** The rules as they are written, for one end. */
function prescribed(own: End, peer: End): Prescribed {
  const { mode } = own.admin;
  const local = { pfc: own.admin.pfc.enabled, share: own.admin.ets.shares[0]! };
  if (mode === 'off') return { protocol: 'none', ...local };
  const answersCee = mode === 'auto' && peer.admin.mode === 'cee';
  if (mode !== 'cee' && !answersCee) {
    const speaks = peer.admin.mode === 'ieee' || peer.admin.mode === 'auto';
    return { protocol: 'ieee', ...(speaks ? ieee(own, peer) : local) };
  }
  const speaks = peer.admin.mode === 'cee' || peer.admin.mode === 'auto';
  return { protocol: 'cee', ...(speaks ? cee(own, peer) : { pfc: 0, share: local.share }) };
}

function ieee(own: End, peer: End): Omit<Prescribed, 'protocol'> {
  const [mine, theirs] = [own.admin.pfc, peer.admin.pfc];
  const recommended = own.admin.ets.willing ? peer.admin.recommendation : null;
  const share = (recommended ?? own.admin.ets).shares[0]!;
  const iAdopt = mine.willing && (!theirs.willing || own.mac < peer.mac);
  const theyAdopt = theirs.willing && (!mine.willing || peer.mac < own.mac);
  if (iAdopt && count(theirs.enabled) <= mine.capability) return { share, pfc: theirs.enabled };
  if (theyAdopt && count(mine.enabled) <= theirs.capability) return { share, pfc: mine.enabled };
  return { share, pfc: mine.enabled & theirs.enabled };
}

function cee(own: End, peer: End): Omit<Prescribed, 'protocol'> {
  const [mine, theirs] = [own.admin.pfc, peer.admin.pfc];
  const follows = own.admin.ets.willing && !peer.admin.ets.willing;
  const share = (follows ? peer : own).admin.ets.shares[0]!;
  if (mine.willing !== theirs.willing) {
    return { share, pfc: (mine.willing ? theirs : mine).enabled };
  }
  return { share, pfc: mine.enabled === theirs.enabled ? mine.enabled : 0 };
}

function stateOf(end: DiscoveryEnd): Prescribed {
  const { protocol, pfc, ets } = end.port.operation;
  return { protocol, pfc, share: ets.shares[0]! };
}

function isSound(end: DiscoveryEnd): boolean {
  return databaseIsWhole(end.spec, end.port) && creditIsInRange(end.spec, end.port);
}

/** Loses a third, doubles a sixth, and delays up to five seconds, so that some overtake others. */
function badMedium(random: RandomStream): Medium {
  const delay = (): number => WIRE_PS + random.below(5000) * 1e9;
  return () => {
    const luck = random.below(6);
    if (luck < 2) return [];
    return luck === 2 ? [delay(), delay()] : [delay()];
  };
}

const credits: fc.Arbitrary<CreditExchange | null> = fc.option(
  fc
    .record({
      willing: fc.boolean(),
      capable: fc.integer({ min: 1, max: 255 }),
      enabled: fc.integer({ min: 0, max: 255 }),
      unitOctets: fc.constantFrom(64, 128, 2560, 9216),
      ceTag: fc.boolean(),
    })
    .map(({ enabled, capable, ceTag, ...rest }) => ({
      ...blankCreditExchange(),
      ...rest,
      ceTag,
      capable,
      enabled: enabled & capable,
      requestTpid: ceTag ? 0x88b5 : 0,
      responseTpid: ceTag ? 0x88b6 : 0,
    })),
);

/** Priorities with credit, and the neighbor's unit, by the rules. */
function creditOf(
  own: CreditExchange | null,
  mac: number,
  peer: CreditExchange | null,
  peerMac: number,
): readonly [number, number] {
  if (own === null || peer === null) return [0, 0];
  const units = [own.unitOctets, peer.unitOctets];
  if (Math.max(...units) > MAX_CR_BLK_DEFAULT) return [0, 0];
  const follows = own.willing && (!peer.willing || mac < peerMac);
  const leads = peer.willing && (!own.willing || peerMac < mac);
  const wanted = follows ? peer.enabled : leads ? own.enabled : own.enabled & peer.enabled;
  const agreed = wanted & own.capable & peer.capable;
  return [agreed, agreed === 0 ? 0 : peer.unitOctets];
}

const BAD_UNTIL = 200 * TICK_PS;
const GOOD_UNTIL = 400 * TICK_PS;
const QUIET_UNTIL = 700 * TICK_PS;

describe('two ends of a link', () => {
  it('come to the prescribed state after loss, repetition, delay and restarts, and stay', () => {
    const restarts = fc.array(fc.tuple(fc.nat(199), fc.nat(1)), { maxLength: 4 });
    fc.assert(
      fc.property(admins, admins, fc.boolean(), restarts, fc.nat(), (a, b, swap, when, seed) => {
        const macs = swap ? [2, 1] : [1, 2];
        const own = [
          { admin: a, mac: macs[0]! },
          { admin: b, mac: macs[1]! },
        ] as const;
        const make = ({ admin, mac }: End): DiscoveryEnd =>
          new DiscoveryEnd(specOf(mac, [{ fromPs: 0, admin: adminOf(admin) }]));
        const ends = [make(own[0]), make(own[1])] as const;
        const medium = badMedium(new RandomStream(seed, 'medium'));
        for (const [second, which] of [...when].sort(([s], [t]) => s - t)) {
          runLink(ends, medium, second * TICK_PS);
          ends[which]!.restart(second * TICK_PS);
        }
        runLink(ends, medium, BAD_UNTIL);
        assert.ok(ends.every(isSound));
        runLink(ends, good, GOOD_UNTIL);
        const expected = [prescribed(own[0], own[1]), prescribed(own[1], own[0])];
        assert.deepEqual(ends.map(stateOf), expected);
        const sent = ends.map((end) => end.sent.length);
        runLink(ends, good, QUIET_UNTIL);
        assert.deepEqual(ends.map(stateOf), expected);
        assert.ok(ends.every(isSound));
        // Nothing but one LLDPDU in an interval.
        assert.deepEqual(
          ends.map((end, i) => end.sent.length - sent[i]!),
          [10, 10],
        );
      }),
      { seed: 11, numRuns: 150 },
    );
  });

  it('come to the prescribed credit, whatever their TLVs met on the way', () => {
    fc.assert(
      fc.property(credits, credits, fc.boolean(), fc.nat(), (a, b, swap, seed) => {
        const macs = swap ? [2, 1] : [1, 2];
        const ends = [a, b].map((credit, i) => {
          const admin = adminOf({}, { exchange: credit });
          return new DiscoveryEnd(specOf(macs[i]!, [{ fromPs: 0, admin }]));
        }) as [DiscoveryEnd, DiscoveryEnd];
        runLink(ends, badMedium(new RandomStream(seed, 'medium')), BAD_UNTIL);
        runLink(ends, good, GOOD_UNTIL);
        const found = ends.map(({ port }) => [
          port.agreement.priorities,
          port.agreement.askedUnitOctets,
        ]);
        const expected = [creditOf(a, macs[0]!, b, macs[1]!), creditOf(b, macs[1]!, a, macs[0]!)];
        assert.deepEqual(found, expected);
        assert.equal(found[0]![0], found[1]![0]);
      }),
      { seed: 12, numRuns: 100 },
    );
  });

  it('agree within one way of the link and one answer, if nothing is lost', () => {
    const configured = adminOf({ pfc: { ...adminOf({}).dcbx.pfc, enabled: 8 } });
    const willing = adminOf({ pfc: { ...adminOf({}).dcbx.pfc, willing: true } });
    const a = new DiscoveryEnd(specOf(1, [{ fromPs: 0, admin: configured }]));
    const b = new DiscoveryEnd(specOf(2, [{ fromPs: 0, admin: willing }]));
    runLink([a, b], good, TICK_PS);
    assert.equal(b.port.operation.pfc, 8);
    assert.deepEqual(b.port.settledPs, [WIRE_PS]);
    assert.ok(a.port.settledPs[0]! <= 3 * WIRE_PS);
  });

  it('return to their own when the neighbor ages out', () => {
    const configured = adminOf({ pfc: { ...adminOf({}).dcbx.pfc, enabled: 8 } });
    const willing = adminOf({ pfc: { ...adminOf({}).dcbx.pfc, willing: true, enabled: 1 } });
    const a = new DiscoveryEnd(specOf(1, [{ fromPs: 0, admin: configured }]));
    const b = new DiscoveryEnd(specOf(2, [{ fromPs: 0, admin: willing }]));
    runLink([a, b], good, 10 * TICK_PS);
    const receivedAt = 3;
    runLink([a, b], () => [], (receivedAt + 120) * TICK_PS);
    assert.equal(b.port.operation.pfc, 8);
    runLink([a, b], () => [], (receivedAt + 122) * TICK_PS);
    assert.equal(b.port.operation.pfc, 1);
    assert.equal(b.port.agents[0]!.stats.statsAgeoutsTotal, 1);
  });

  it('leave credit together when one of them no longer receives, and come back to it', () => {
    const credit = { ...blankCreditExchange(), capable: 8, enabled: 8 };
    const on = adminOf({}, { exchange: credit });
    const stages = [
      { fromPs: 0, admin: on },
      { fromPs: 20 * TICK_PS, admin: { ...on, status: 'send' as const } },
      { fromPs: 40 * TICK_PS, admin: on },
    ];
    const a = new DiscoveryEnd(specOf(1, stages));
    const b = new DiscoveryEnd(specOf(2, [{ fromPs: 0, admin: on }]));
    const creditAt = (second: number): number[] => {
      runLink([a, b], good, second * TICK_PS);
      return [a, b].map(({ port }) => port.agreement.priorities);
    };
    assert.deepEqual(creditAt(10), [8, 8]);
    assert.deepEqual(creditAt(21), [0, 0]);
    assert.deepEqual(
      [a, b].map(({ port }) => port.agreement.agreed),
      [0, 8],
    );
    assert.notEqual(b.port.operation.mismatches, 0);
    // The other end repeats its LLDPDU within an interval of 30 s.
    assert.deepEqual(creditAt(75), [8, 8]);
    assert.equal(b.port.operation.mismatches, 0);
  });

  it('part at once when one of them is silenced, and meet again', () => {
    const on = adminOf({ pfc: { ...adminOf({}).dcbx.pfc, enabled: 8 } });
    const stages = [
      { fromPs: 0, admin: on },
      { fromPs: 20 * TICK_PS, admin: { ...on, status: 'disabled' as const } },
      { fromPs: 40 * TICK_PS, admin: on },
    ];
    const willing = adminOf({ pfc: { ...adminOf({}).dcbx.pfc, willing: true } });
    const a = new DiscoveryEnd(specOf(1, stages));
    const b = new DiscoveryEnd(specOf(2, [{ fromPs: 0, admin: willing }]));
    runLink([a, b], good, 30 * TICK_PS);
    assert.equal(b.port.agents[0]!.rx.neighbors.length, 0);
    assert.equal(b.port.operation.pfc, 0);
    runLink([a, b], good, 60 * TICK_PS);
    assert.equal(b.port.operation.pfc, 8);
    assert.equal(a.port.agents[0]!.rx.neighbors.length, 1);
  });

  it('forget each other when their carrier was away, and advertise themselves again', () => {
    const configured = adminOf({ pfc: { ...adminOf({}).dcbx.pfc, enabled: 8 } });
    const willing = adminOf({ pfc: { ...adminOf({}).dcbx.pfc, willing: true } });
    const a = new DiscoveryEnd(specOf(1, [{ fromPs: 0, admin: configured }]));
    const b = new DiscoveryEnd(specOf(2, [{ fromPs: 0, admin: willing }]));
    runLink([a, b], good, 40 * TICK_PS);
    b.mechanism.linkUp(0);
    assert.equal(b.port.agents[0]!.rx.neighbors.length, 0);
    assert.equal(b.port.operation.pfc, 0);
    a.mechanism.linkUp(0);
    runLink([a, b], good, 72 * TICK_PS);
    assert.equal(b.port.operation.pfc, 8);
  });

  it('are not affected by a second neighbor: DCBX is as if there were none', () => {
    const configured = adminOf({ pfc: { ...adminOf({}).dcbx.pfc, enabled: 8 } });
    const willing = adminOf({ pfc: { ...adminOf({}).dcbx.pfc, willing: true, enabled: 1 } });
    const a = new DiscoveryEnd(specOf(1, [{ fromPs: 0, admin: configured }]));
    const stranger = new DiscoveryEnd(specOf(3, [{ fromPs: 0, admin: configured }]));
    const b = new DiscoveryEnd(specOf(2, [{ fromPs: 0, admin: willing }]));
    runLink([a, b], good, 5 * TICK_PS);
    assert.equal(b.port.operation.pfc, 8);
    stranger.step();
    b.deliver(6 * TICK_PS, stranger.sent[0]!.octets);
    runLink([a, b], good, 7 * TICK_PS);
    assert.equal(b.port.operation.pfc, 1);
    assert.equal(b.port.agents[0]!.rx.neighbors.length, 2);
    runLink([a, b], good, 140 * TICK_PS);
    assert.equal(b.port.operation.pfc, 8);
  });
});
