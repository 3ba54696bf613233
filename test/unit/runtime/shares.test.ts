/** What `--check` says of arbiters: nothing of those that are right, whatever they are asked. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DwrrArbiter, quantaOf } from '../../../services/engine/arbiter/dwrr.js';
import { RoundRobinArbiter } from '../../../services/engine/arbiter/round-robin.js';
import type { WspClass } from '../../../services/engine/arbiter/wsp-arbiter.js';
import { WspArbiter } from '../../../services/engine/arbiter/wsp-arbiter.js';
import { VmArbiter } from '../../../services/engine/nic-82599/vm-arbiter.js';
import type { Line } from '../../../services/engine/analysis/shares/share-book.js';
import {
  apartFrom,
  inTurn,
  ShareBook,
} from '../../../services/engine/analysis/shares/share-book.js';
import { MachineShares } from '../../../services/mechanisms/nic-82599/machine-shares.js';
import { PlaneShares } from '../../../services/mechanisms/nic-82599/plane-shares.js';
import { fc } from '../../kit/properties.js';

/** The set of waiting parties changes now and then; frames are of any length. */
const asked = fc.array(
  fc.record({
    change: fc.integer({ min: 0, max: 40 }),
    octets: fc.oneof(fc.integer({ min: 64, max: 9018 }), fc.constant(1518)),
  }),
  { minLength: 100, maxLength: 400 },
);

const row = fc.record({
  group: fc.integer({ min: 0, max: 3 }),
  refill: fc.integer({ min: 1, max: 511 }),
  most: fc.integer({ min: 142, max: 4095 }),
  linkStrict: fc.boolean(),
  groupStrict: fc.boolean(),
});
const plain = row.map((one) => ({ ...one, linkStrict: false, groupStrict: false }));

/** Calls back with those that wait, one bit each, and the octets of the next frame. */
function ask(
  steps: readonly { change: number; octets: number }[],
  parties: number,
  serve: (eligible: number, octets: number) => void,
): void {
  let eligible = 2 ** parties - 1;
  for (const { change, octets } of steps) {
    if (change < parties) eligible ^= 1 << change;
    if (eligible !== 0) serve(eligible, octets);
  }
}

function planeOf(rows: readonly WspClass[], weighted: boolean, recycle: boolean): WspArbiter {
  const arbiter = new WspArbiter();
  arbiter.setModes({ weighted, recycle });
  rows.forEach((one, tc) => {
    arbiter.setClass(tc, one);
  });
  return arbiter;
}

/** What is wrong with a plane that picks as it should, or as `pick` says. */
function wrongWith(
  arbiter: WspArbiter,
  shares: PlaneShares,
  steps: Parameters<typeof ask>[0],
): string | null {
  let wrong: string | null = null;
  ask(steps, 8, (eligible, octets) => {
    const tc = arbiter.pick(eligible);
    if (tc < 0) return;
    arbiter.granted(tc, octets);
    wrong ??= shares.breach(tc, octets, eligible);
  });
  return wrong;
}

class Waiting implements Line {
  eligible = 0;
  octets = 0;

  isWaiting(party: number): boolean {
    return (this.eligible & (1 << party)) !== 0;
  }
  headCost(): number {
    return this.octets;
  }
  saved(): number {
    return 0;
  }
  savedByGroup(): number {
    return 0;
  }
}

describe('shares', () => {
  for (const kind of [plain, row]) {
    it(`of a plane of an 82599 are kept by ${kind === row ? 'strict' : 'weighted'} classes`, () => {
      const rows = fc.array(kind, { minLength: 8, maxLength: 8 });
      const property = fc.property(
        rows,
        fc.boolean(),
        fc.boolean(),
        asked,
        (classes, weighted, recycle, steps) => {
          const arbiter = planeOf(classes, weighted, recycle);
          const shares = new PlaneShares(arbiter, classes, { weighted, recycle });
          assert.equal(wrongWith(arbiter, shares, steps), null);
        },
      );
      fc.assert(property);
    });
  }

  it('of a plane that goes by other refills than its registers are not kept', () => {
    const rows = [0, 1, 2, 3, 4, 5, 6, 7].map((tc) => ({
      group: tc >> 1,
      refill: 30,
      most: 1000,
      linkStrict: false,
      groupStrict: false,
    }));
    const other = rows.map((one, tc) => (tc === 2 ? { ...one, refill: 45 } : one));
    const steps = Array.from({ length: 400 }, () => ({ change: 40, octets: 1518 }));
    for (const recycle of [false, true]) {
      const modes = { weighted: true, recycle };
      const shares = (arbiter: WspArbiter): PlaneShares => new PlaneShares(arbiter, rows, modes);
      const right = planeOf(rows, true, recycle);
      const wrong = planeOf(other, true, recycle);
      assert.equal(wrongWith(right, shares(right), steps), null);
      assert.match(wrongWith(wrong, shares(wrong), steps) ?? '', /more than its share/);
    }
  });

  it('of a link strict class come first', () => {
    const rows = [0, 1, 2, 3, 4, 5, 6, 7].map((tc) => ({
      group: 0,
      refill: 30,
      most: 1000,
      linkStrict: tc === 5,
      groupStrict: false,
    }));
    const arbiter = planeOf(rows, true, true);
    const shares = new PlaneShares(arbiter, rows, { weighted: true, recycle: true });
    assert.equal(shares.breach(7, 64, 0xff), null);
    assert.match(shares.breach(4, 64, 0xff) ?? '', /went before/);
  });

  it('of virtual machines are kept', () => {
    const refills = fc.array(fc.integer({ min: 1, max: 511 }), { minLength: 8, maxLength: 8 });
    const property = fc.property(refills, fc.boolean(), asked, (credits, weighted, steps) => {
      const arbiter = new VmArbiter(8);
      arbiter.setWeighted(weighted);
      credits.forEach((refill, vm) => {
        arbiter.setRefill(vm, refill);
      });
      const shares = new MachineShares(arbiter, weighted ? credits : null);
      ask(steps, 8, (eligible, octets) => {
        for (let vm = 0; vm < 8; vm++) arbiter.setReady(vm, (eligible & (1 << vm)) !== 0);
        const vm = arbiter.pick();
        arbiter.granted(vm, octets);
        assert.ok(shares.isFair(vm, octets));
      });
    });
    fc.assert(property);
  });

  it('of rounds and of turns are kept, and not one frame more is allowed than should be', () => {
    const weights = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 8, maxLength: 8 });
    const property = fc.property(weights, asked, (given, steps) => {
      const arbiter = new DwrrArbiter(quantaOf(given));
      const book = new ShareBook(apartFrom(quantaOf(given), 2));
      const line = new Waiting();
      ask(steps, 8, (eligible, octets) => {
        Object.assign(line, { eligible, octets });
        const tc = arbiter.pick(
          eligible,
          { headWireOctets: () => octets, queuedOctets: () => 0 },
          0,
        );
        assert.ok(book.serve(tc, octets, line));
      });
    });
    fc.assert(property);

    const turns = fc.property(asked, (steps) => {
      const arbiter = new RoundRobinArbiter();
      const book = new ShareBook(inTurn(8));
      const line = new Waiting();
      ask(steps, 8, (eligible) => {
        line.eligible = eligible;
        assert.ok(book.serve(arbiter.pick(eligible), 1, line));
      });
    });
    fc.assert(turns);

    const book = new ShareBook(inTurn(2));
    const both = Object.assign(new Waiting(), { eligible: 3 });
    const served = [0, 1, 0, 1, 0, 0].map((party) => book.serve(party, 1, both));
    assert.deepEqual(served, [true, true, true, true, true, false]);
  });
});
