import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { creditsOf } from '../../../../services/engine/arbiter/credits.js';
import { VmArbiter } from '../../../../services/engine/nic-82599/vm-arbiter.js';
import type { WspClass } from '../../../../services/engine/arbiter/wsp-arbiter.js';
import { WspArbiter } from '../../../../services/engine/arbiter/wsp-arbiter.js';
import type { VmVector, WspVector } from './vectors.js';
import { arrivesAt, Backlog, vectors } from './vectors.js';
import { fc } from '../../../kit/properties.js';

const GRANTS = 10_000;

const ABSENT: WspClass = { group: 7, refill: 0, most: 0, linkStrict: false, groupStrict: false };

function wspOf({ mode, recycle, tcs }: WspVector['config']): WspArbiter {
  const arbiter = new WspArbiter();
  arbiter.setModes({ weighted: mode === 'WSP', recycle });
  for (let tc = 0; tc < 8; tc++) {
    const row = tcs[tc];
    arbiter.setClass(
      tc,
      row === undefined
        ? ABSENT
        : {
            group: row.bwg,
            refill: row.refill,
            most: row.max,
            linkStrict: row.lsp ?? false,
            groupStrict: row.gsp ?? false,
          },
    );
  }
  return arbiter;
}

/** Grants of one run, and what they add up to. */
class Grants {
  readonly list: [number, number][] = [];
  readonly grantsBy: Record<string, number> = {};
  readonly octetsBy: Record<string, number> = {};

  add(who: number, octets: number): void {
    this.list.push([who, octets]);
    this.grantsBy[who] = (this.grantsBy[who] ?? 0) + 1;
    this.octetsBy[who] = (this.octetsBy[who] ?? 0) + octets;
  }
}

/** Of what is expected, what was found: expectations name only some classes. */
function only(expected: Readonly<Record<string, number>>, found: ArrayLike<number>): object {
  return Object.fromEntries(Object.keys(expected).map((key) => [key, found[Number(key)] ?? 0]));
}

function runWsp(vector: WspVector): void {
  const { config, expect } = vector;
  const arbiter = wspOf(config);
  const queues = Array.from({ length: 8 }, (_, tc) => new Backlog(config.queues[tc] ?? {}));
  const grants = new Grants();
  for (let grant = 0; grant < GRANTS; grant++) {
    for (const arrival of config.arrivals ?? []) {
      if (arrivesAt(arrival, grant)) queues[arrival.tc!]!.add(arrival.frames);
    }
    let eligible = 0;
    queues.forEach((queue, tc) => {
      const stalled = config.stalls?.some(
        (stall) => stall.tc === tc && grant >= stall.fromGrant && grant < stall.toGrant,
      );
      if (queue.head() !== undefined && stalled !== true) eligible |= 1 << tc;
    });
    const tc = arbiter.pick(eligible);
    if (tc < 0) break;
    const octets = queues[tc]!.take();
    arbiter.granted(tc, octets);
    grants.add(tc, octets);
    const step = expect.trace[grant];
    if (step === undefined) continue;
    assert.deepEqual(
      {
        tc,
        cycles: arbiter.cycles,
        tcCredit: only(step.tcCredit, arbiter.credit),
        bwgCredit: only(step.bwgCredit, arbiter.groupCredit),
      },
      {
        tc: step.tc,
        cycles: step.cycles,
        tcCredit: step.tcCredit,
        bwgCredit: step.bwgCredit,
      },
    );
  }
  assert.deepEqual(grants.list.slice(0, 50), expect.first50);
  assert.equal(grants.list.length, expect.grants);
  assertCounts(grants, expect);
  assert.equal(arbiter.cycles, expect.cycles);
  assert.deepEqual(only(expect.lowestCredit, arbiter.lowest), expect.lowestCredit);
}

function runVms({ config, expect }: VmVector): void {
  const arbiter = new VmArbiter(config.queues.length);
  arbiter.setWeighted(config.vmpac);
  config.refillUnits.forEach((refill, vm) => {
    arbiter.setRefill(vm, refill);
  });
  const queues = config.queues.map((supply) => new Backlog(supply));
  const grants = new Grants();
  for (let grant = 0; grant < GRANTS; grant++) {
    for (const arrival of config.arrivals ?? []) {
      if (arrivesAt(arrival, grant)) queues[arrival.vm!]!.add(arrival.frames);
    }
    queues.forEach((queue, vm) => {
      const off = config.rateOff?.some(
        (stall) => stall.vm === vm && grant >= stall.fromGrant && grant < stall.toGrant,
      );
      arbiter.setReady(vm, queue.head() !== undefined && off !== true);
    });
    const vm = arbiter.pick();
    if (vm < 0) break;
    const octets = queues[vm]!.take();
    arbiter.granted(vm, octets);
    grants.add(vm, octets);
    const step = expect.trace[grant];
    if (step === undefined) continue;
    assert.deepEqual(
      { vm, rounds: arbiter.rounds, credit: [...arbiter.credit] },
      { vm: step.vm, rounds: step.rounds, credit: step.credit },
    );
  }
  assert.deepEqual(grants.list.slice(0, 50), expect.first50);
  assert.equal(grants.list.length, expect.grants);
  assertCounts(grants, expect);
  assert.equal(arbiter.rounds, expect.rounds);
  assert.deepEqual([...arbiter.lowest], expect.lowestCredit);
}

function assertCounts(
  grants: Grants,
  expect: { grantsBy: Record<string, number>; octetsBy: Record<string, number> },
): void {
  const nonZero = (counts: Record<string, number>): object =>
    Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  assert.deepEqual(grants.grantsBy, nonZero(expect.grantsBy));
  assert.deepEqual(grants.octetsBy, nonZero(expect.octetsBy));
}

describe('the weighted strict priority arbiter', () => {
  for (const vector of vectors.wsp) {
    it(`reproduces ${vector.name} grant by grant`, () => {
      runWsp(vector);
    });
  }

  const LONGEST = 9728;
  const plainClass = fc.record({
    group: fc.integer({ min: 0, max: 3 }),
    refill: fc.integer({ min: 20, max: 511 }),
  });
  const rows = fc.array(plainClass, { minLength: 8, maxLength: 8 });

  /** Grants with every class backlogged; octets in whole credits, so that shares are exact. */
  function sharesOf(arbiter: WspArbiter, eligible: number, grants: number): number[] {
    const spent = new Array<number>(8).fill(0);
    for (let i = 0; i < grants; i++) {
      const tc = arbiter.pick(eligible);
      arbiter.granted(tc, 1472);
      spent[tc]! += 1472;
    }
    const total = spent.reduce((a, b) => a + b, 0);
    return spent.map((octets) => octets / total);
  }

  function arbiterOf(classes: readonly { group: number; refill: number }[]): WspArbiter {
    const arbiter = new WspArbiter();
    classes.forEach(({ group, refill }, tc) => {
      const most = Math.max(2 * refill, 304);
      arbiter.setClass(tc, { group, refill, most, linkStrict: false, groupStrict: false });
    });
    return arbiter;
  }

  it('gives backlogged classes their shares within one percent, whatever they are', () => {
    fc.assert(
      fc.property(rows, (classes) => {
        const total = classes.reduce((sum, { refill }) => sum + refill, 0);
        sharesOf(arbiterOf(classes), 0xff, 40_000).forEach((share, tc) => {
          const wanted = classes[tc]!.refill / total;
          assert.ok(Math.abs(share - wanted) < 0.01, `class ${tc}: ${share} for ${wanted}`);
        });
      }),
      { numRuns: 25 },
    );
  });

  it('gives what a class leaves to its group first, and what a group leaves to all', () => {
    const quarter = { refill: 100 };
    const classes = [0, 0, 1, 1, 2, 2, 3, 3].map((group) => ({ group, ...quarter }));
    const near = (share: number, wanted: number): void => {
      assert.ok(Math.abs(share - wanted) < 0.01, `${share} for ${wanted}`);
    };
    const withoutOne = sharesOf(arbiterOf(classes), 0xfe, 40_000);
    near(withoutOne[1]!, 0.25);
    near(withoutOne[2]!, 0.125);
    const withoutGroup = sharesOf(arbiterOf(classes), 0xfc, 40_000);
    near(withoutGroup[2]!, 1 / 6);
    near(withoutGroup[7]!, 1 / 6);
  });

  it('gives groups their shares whichever classes are idle, as long as one of each is not', () => {
    const small = fc.record({
      group: fc.integer({ min: 0, max: 3 }),
      refill: fc.integer({ min: 20, max: 200 }),
    });
    const eight = fc.array(small, { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(eight, fc.integer({ min: 1, max: 255 }), (classes, eligible) => {
        const arbiter = new WspArbiter();
        classes.forEach((row, tc) => {
          arbiter.setClass(tc, { ...row, most: 4095, linkStrict: false, groupStrict: false });
        });
        const shares = sharesOf(arbiter, eligible, 40_000);
        const present = classes.filter((_, tc) => (eligible & (1 << tc)) !== 0);
        const groups = new Set(present.map(({ group }) => group));
        const refillOf = (wanted: (group: number) => boolean): number =>
          classes.reduce((sum, { group, refill }) => sum + (wanted(group) ? refill : 0), 0);
        const all = refillOf((group) => groups.has(group));
        for (const group of groups) {
          const share = shares.reduce(
            (sum, own, tc) => sum + (classes[tc]!.group === group ? own : 0),
            0,
          );
          const wanted = refillOf((own) => own === group) / all;
          assert.ok(Math.abs(share - wanted) < 0.01, `group ${group}: ${share} for ${wanted}`);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('keeps credits within their bounds, whatever is eligible and however long', () => {
    const anyClass = fc.record({
      group: fc.integer({ min: 0, max: 7 }),
      refill: fc.integer({ min: 0, max: 511 }),
      most: fc.integer({ min: 1, max: 4095 }),
      linkStrict: fc.boolean(),
      groupStrict: fc.boolean(),
    });
    const steps = fc.array(
      fc.record({
        eligible: fc.integer({ min: 0, max: 255 }),
        octets: fc.integer({ min: 64, max: LONGEST }),
      }),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(
        fc.array(anyClass, { minLength: 8, maxLength: 8 }),
        fc.boolean(),
        steps,
        (classes, recycle, list) => {
          const arbiter = new WspArbiter();
          arbiter.setModes({ weighted: true, recycle });
          classes.forEach((row, tc) => {
            arbiter.setClass(tc, row);
          });
          for (const { eligible, octets } of list) {
            const tc = arbiter.pick(eligible);
            if (tc < 0) continue;
            assert.ok((eligible & (1 << tc)) !== 0);
            arbiter.granted(tc, octets);
            classes.forEach((row, i) => {
              assert.ok(arbiter.credit[i]! <= row.most);
              const floor = row.groupStrict ? -32_768 : 1 - creditsOf(LONGEST);
              assert.ok(arbiter.credit[i]! >= floor);
              if (row.linkStrict) assert.equal(arbiter.credit[i], 0);
            });
          }
        },
      ),
    );
  });

  it('never lets a strict class wait for more than the frame that has been granted', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 0, max: 100 }), (classes, before) => {
        const arbiter = arbiterOf(classes);
        arbiter.setClass(7, { group: 7, refill: 0, most: 1, linkStrict: true, groupStrict: false });
        for (let i = 0; i < before; i++) arbiter.granted(arbiter.pick(0x7f), LONGEST);
        assert.equal(arbiter.pick(0xff), 7);
      }),
    );
  });
});

describe('the arbiter of VMs', () => {
  for (const vector of vectors.vmWrr) {
    it(`reproduces ${vector.name} grant by grant`, () => {
      runVms(vector);
    });
  }

  it('shares in proportion to the refills of any number of VMs, within one percent', () => {
    const refills = fc.array(fc.integer({ min: 24, max: 2000 }), { minLength: 2, maxLength: 64 });
    fc.assert(
      fc.property(refills, (list) => {
        const arbiter = new VmArbiter(list.length);
        const spent = new Array<number>(list.length).fill(0);
        list.forEach((refill, vm) => {
          arbiter.setRefill(vm, refill);
          arbiter.setReady(vm, true);
        });
        const total = list.reduce((a, b) => a + b, 0);
        const grants = Math.ceil((30 * total) / 24);
        for (let i = 0; i < grants; i++) {
          const vm = arbiter.pick();
          arbiter.granted(vm, 1536);
          spent[vm]!++;
          assert.ok(arbiter.credit[vm]! > -24 && arbiter.credit[vm]! <= 2 * list[vm]!);
        }
        spent.forEach((frames, vm) => {
          assert.ok(Math.abs(frames / grants - list[vm]! / total) < 0.01);
        });
      }),
      { numRuns: 20 },
    );
  });
});
