import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WspArbiter } from '../../../../services/engine/arbiter/wsp-arbiter.js';
import {
  driftedFactor,
  memoryWindow,
  nextStamp,
  rateFactorOf,
  startSpacing,
} from '../../../../services/engine/nic-82599/rate-scheduler.js';
import {
  leastRefill,
  linkPercents,
  refillMultiplier,
  refillsOfClasses,
  refillsOfGroups,
} from '../../../../services/engine/nic-82599/refill-rule.js';
import { VmArbiter } from '../../../../services/engine/nic-82599/vm-arbiter.js';
import { fc } from '../../../kit/properties.js';
import type { ModelClass } from './model.js';
import { drift, ieeeCredits, ceeCredits, stampAfter, VmModel, WspModel } from './model.js';
import { arrivesAt, Backlog } from './vectors.js';

/** Configurations of the form of arbiter-vectors.json that are not in it. */
const GRANTS = 400;

const length = fc.oneof(
  fc.constantFrom(64, 65, 1518, 1522, 9728),
  fc.integer({ min: 64, max: 9728 }),
);
const supply = fc.oneof(
  fc.record({ pattern: fc.array(length, { minLength: 1, maxLength: 3 }) }),
  fc.record({ frames: fc.array(length, { maxLength: 60 }) }),
);
const arrivals = fc.array(
  fc.record(
    {
      who: fc.nat(7),
      from: fc.nat(200),
      every: fc.integer({ min: 1, max: 50 }),
      frames: fc.array(length, { minLength: 1, maxLength: 3 }),
    },
    { requiredKeys: ['who', 'from', 'frames'] },
  ),
  { maxLength: 3 },
);
const stalls = fc.array(
  fc.record({ who: fc.nat(7), fromGrant: fc.nat(200), grants: fc.integer({ min: 1, max: 100 }) }),
  { maxLength: 3 },
);

interface Load {
  readonly queues: readonly { pattern?: number[]; frames?: number[] }[];
  readonly arrivals: readonly { who: number; from: number; every?: number; frames: number[] }[];
  readonly stalls: readonly { who: number; fromGrant: number; grants: number }[];
}

/** Calls `decide` with those that may be served, until it grants none; it gives who was granted. */
function serve(
  load: Load,
  decide: (eligible: number[], octetsOf: (who: number) => number) => number | null,
): void {
  const queues = load.queues.map((own) => new Backlog(own));
  for (let grant = 0; grant < GRANTS; grant++) {
    for (const { who, from, every, frames } of load.arrivals) {
      const arrival = { from, frames, ...(every === undefined ? {} : { every }) };
      if (arrivesAt(arrival, grant)) queues[who]?.add(frames);
    }
    const isOff = (who: number): boolean =>
      load.stalls.some(
        ({ who: off, fromGrant, grants }) =>
          off === who && grant >= fromGrant && grant < fromGrant + grants,
      );
    const all = Array.from(queues.keys());
    const eligible = all.filter((who) => queues[who]!.head() !== undefined && !isOff(who));
    const granted = decide(eligible, (who) => queues[who]!.head()!);
    if (granted === null) return;
    queues[granted]!.take();
  }
}

describe('any configuration of an 82599', () => {
  const row: fc.Arbitrary<ModelClass> = fc.record({
    bwg: fc.nat(3),
    refill: fc.oneof(fc.integer({ min: 1, max: 511 }), fc.integer({ min: 1, max: 8 })),
    max: fc.oneof(fc.integer({ min: 1, max: 4095 }), fc.integer({ min: 1, max: 60 })),
    lsp: fc.nat(9).map((n) => n === 0),
    gsp: fc.nat(3).map((n) => n === 0),
  });
  const classes = fc.array(
    fc
      .tuple(row, fc.boolean())
      .map(([own, isBare]) => (own.gsp && isBare ? { ...own, refill: 0 } : own)),
    { minLength: 8, maxLength: 8 },
  );
  const queues = fc.array(supply, { minLength: 8, maxLength: 8 });

  it('grants classes as the data sheet says, grant by grant and credit by credit', () => {
    const config = fc.record({
      weighted: fc.nat(9).map((n) => n > 0),
      recycle: fc.boolean(),
      classes,
      load: fc.record({ queues, arrivals, stalls }),
    });
    let all = 0;
    fc.assert(
      fc.property(config, ({ weighted, recycle, classes: rows, load }) => {
        const model = new WspModel(weighted, recycle, new Map(rows.entries()));
        const arbiter = new WspArbiter();
        arbiter.setModes({ weighted, recycle });
        rows.forEach(({ bwg, refill, max, lsp, gsp }, tc) => {
          const strict = { linkStrict: lsp, groupStrict: gsp };
          arbiter.setClass(tc, { group: bwg, refill, most: max, ...strict });
        });
        serve(load, (eligible, octetsOf) => {
          const wanted = model.pick(eligible);
          const found = arbiter.pick(eligible.reduce((bits, tc) => bits | (1 << tc), 0));
          assert.equal(found, wanted ?? -1);
          if (wanted === null) return null;
          model.granted(wanted, octetsOf(wanted));
          arbiter.granted(found, octetsOf(wanted));
          all++;
          assert.equal(arbiter.cycles, model.cycles);
          for (const [tc, credits] of model.credit) assert.equal(arbiter.credit[tc], credits);
          for (const [g, credits] of model.groupCredit) {
            assert.equal(arbiter.groupCredit[g], credits);
          }
          return wanted;
        });
      }),
      { numRuns: 300 },
    );
    assert.ok(all > 20_000, `${all} grants`);
  });

  it('grants virtual machines as the data sheet says, grant by grant and credit by credit', () => {
    const config = fc.record({
      weighted: fc.nat(4).map((n) => n > 0),
      refills: fc.array(fc.integer({ min: 24, max: 16_384 }), { minLength: 1, maxLength: 16 }),
      load: fc.record({
        queues: fc.array(supply, { minLength: 16, maxLength: 16 }),
        arrivals,
        stalls,
      }),
    });
    fc.assert(
      fc.property(config, ({ weighted, refills, load }) => {
        const model = new VmModel(weighted, refills);
        const arbiter = new VmArbiter(refills.length);
        arbiter.setWeighted(weighted);
        refills.forEach((refill, vm) => {
          arbiter.setRefill(vm, refill);
        });
        serve({ ...load, queues: load.queues.slice(0, refills.length) }, (eligible, octetsOf) => {
          refills.forEach((_, vm) => {
            arbiter.setReady(vm, eligible.includes(vm));
          });
          const wanted = model.pick(eligible);
          assert.equal(arbiter.pick(), wanted ?? -1);
          if (wanted === null) return null;
          model.granted(wanted, octetsOf(wanted));
          arbiter.granted(wanted, octetsOf(wanted));
          assert.equal(arbiter.rounds, model.rounds);
          assert.deepEqual([...arbiter.credit], model.credit);
          return wanted;
        });
      }),
      { numRuns: 300 },
    );
  });

  const linkMbps = fc.constantFrom(1000, 10_000);

  it('spaces frames of a rate, and drifts, as the data sheet says', () => {
    const moment = fc.record({
      linkMbps,
      part: fc.integer({ min: 1, max: 1000 }),
      windowKb: fc.nat(2047),
      octets: fc.integer({ min: 64, max: 9216 }),
      old: fc.nat(1e9),
      now: fc.nat(1e9),
      factor: fc.integer({ min: 1, max: 16_383 }),
    });
    fc.assert(
      fc.property(moment, ({ linkMbps: link, part, windowKb, octets, old, now, factor }) => {
        const target = link / part;
        const raw = rateFactorOf(link, target);
        const wanted = stampAfter({ link, target, windowKb, octets, old, now });
        assert.deepEqual(
          {
            raw,
            spacing: startSpacing(octets, raw),
            window: memoryWindow(windowKb, raw),
            stamp: nextStamp(old, octets, now, raw, windowKb),
          },
          wanted,
        );
        assert.equal(driftedFactor(raw, factor), drift(raw, factor));
      }),
      { numRuns: 2000 },
    );
  });

  const percents = fc
    .array(fc.nat(50), { minLength: 8, maxLength: 8 })
    .filter((list) => list.reduce((a, b) => a + b) > 0)
    .map((list) => {
      const total = list.reduce((a, b) => a + b);
      return list.map((share) => Math.floor((share * 100) / total));
    });
  const longest = fc.integer({ min: 64, max: 9728 });

  it('gets the refills that drivers compute for classes', () => {
    fc.assert(
      fc.property(percents, longest, (percent, frame) => {
        const least = leastRefill(frame);
        const rows = refillsOfClasses(percent, frame);
        assert.deepEqual(
          {
            least,
            multiplier: refillMultiplier(percent, least),
            refill: rows.map(({ refill }) => refill),
            max: rows.map(({ most }) => most),
          },
          ieeeCredits(percent, frame),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('gets the refills that drivers compute for groups', () => {
    const members = fc.array(fc.tuple(fc.nat(7), fc.nat(100)), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(members, percents, longest, (tc, bwgPercent, frame) => {
        const inGroups = tc.map(([group, percent]) => ({ group, percent }));
        const percent = linkPercents(inGroups, bwgPercent);
        const least = leastRefill(frame);
        const rows = refillsOfGroups(inGroups, bwgPercent, frame);
        assert.deepEqual(
          {
            least,
            multiplier: refillMultiplier(percent, least),
            linkPercent: percent,
            refill: rows.map(({ refill }) => refill),
            max: rows.map(({ most }) => most),
          },
          ceeCredits(tc, bwgPercent, frame),
        );
      }),
      { numRuns: 500 },
    );
  });
});
