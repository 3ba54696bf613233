import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DueDateArbiter } from '../../../../services/engine/arbiter/due-dates.js';
import type { Heads } from '../../../../services/engine/contract/arbiter.js';

const heads: Heads = { headWireOctets: () => 1538, queuedOctets: () => 0 };
const NOW = 5000;
const NONE = [0, 0, 0, 0, 0, 0, 0, 0];
const BOUNDS = [null, null, 2560, 1280, 640, 320, 160, 160];

/** An arbiter whose queues have their first frames since these times. */
function arbiterOf(
  since: readonly number[],
  strict = 0,
  boundsPs: readonly (number | null)[] = BOUNDS,
  weights: readonly number[] = NONE,
  excessive = 0,
): DueDateArbiter {
  const arbiter = new DueDateArbiter({ kind: 'due-dates', strict, boundsPs, weights });
  arbiter.equip({
    headAdmittedPs: (_, tc) => since[tc]!,
    excessive: () => excessive,
    clock: { now: NOW },
  });
  return arbiter;
}

describe('an arbiter of due dates', () => {
  it('serves the class whose first frame is due first, whatever its class', () => {
    // P2 has waited for long: it is due at 3060, and P7 at 3160.
    const arbiter = arbiterOf([0, 0, 500, 0, 0, 0, 0, 3000]);
    assert.equal(arbiter.pick(0b1000_0100, heads, 0), 2);
    assert.equal(arbiterOf([0, 0, 600, 0, 0, 0, 0, 2999]).pick(0b1000_0100, heads, 0), 7);
  });

  it('gives nothing for being late to a class that has more than its part', () => {
    // P2 waits since 0, and was due at 2560; P7 is due now, or a little later.
    const due = [0, 0, 0, 0, 0, 0, 0, NOW - 160];
    assert.equal(arbiterOf(due).pick(0b1000_0100, heads, 0), 2);
    assert.equal(arbiterOf(due, 0, BOUNDS, NONE, 0b100).pick(0b1000_0100, heads, 0), 7);
    const later = [0, 0, 0, 0, 0, 0, 0, NOW - 159];
    assert.equal(arbiterOf(later, 0, BOUNDS, NONE, 0b100).pick(0b1000_0100, heads, 0), 2);
  });

  it('serves the higher class where two are due together', () => {
    assert.equal(arbiterOf(NONE).pick(0b1100_0000, heads, 0), 7);
    assert.equal(arbiterOf([0, 0, 0, 0, 0, 840, 1000, 0]).pick(0b0110_0000, heads, 0), 6);
  });

  it('serves best effort only when nothing with a bound waits, P1 before P0', () => {
    const late = arbiterOf([0, 0, 9e9, 9e9, 9e9, 9e9, 9e9, 9e9]);
    assert.equal(late.pick(0b0000_0111, heads, 0), 2);
    assert.equal(late.pick(0b0000_0011, heads, 0), 1);
    assert.equal(late.pick(0b0000_0001, heads, 0), 0);
  });

  it('serves strict classes before all due dates, P7 before P6', () => {
    const bounds = [...BOUNDS.slice(0, 6), null, null];
    const arbiter = arbiterOf([0, 0, 0, 0, 0, 0, 9e9, 9e9], 0xc0, bounds);
    assert.equal(arbiter.pick(0b1110_0100, heads, 0), 7);
    assert.equal(arbiter.pick(0b0110_0100, heads, 0), 6);
    assert.equal(arbiter.pick(0b0010_0100, heads, 0), 5);
    assert.equal(arbiter.duePs(7, 1), Infinity);
    assert.equal(arbiter.duePs(5, 1), 321);
  });

  it('gives classes with weights their parts of 64 within 2 %', () => {
    const weights = [2, 2, 4, 8, 8, 8, 16, 16];
    const arbiter = arbiterOf(NONE, 0, [null, null, null, null, null, null, null, null], weights);
    const served = [...NONE];
    for (let i = 0; i < 6400; i++) served[arbiter.pick(0xff, heads, 0)]!++;
    weights.forEach((weight, tc) => {
      assert.ok(Math.abs(served[tc]! / 100 - weight) <= 0.02 * weight, `${tc}: ${served[tc]}`);
    });
  });
});
