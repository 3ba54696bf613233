import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WallTime } from '../../../services/attach/wall-time.js';

const MS = 1e9;

/** Virtual time after a wall clock that a test sets. */
function timeOf(timing: 'best-effort' | 'strict' | 'stretch', scale = 1) {
  const clock = { ms: 5000 };
  const time = new WallTime({ timing, scale, latePs: MS }, () => clock.ms);
  return { clock, time };
}

describe('virtual time after the wall clock', () => {
  it('passes by its scale, in whole picoseconds', () => {
    const { clock, time } = timeOf('best-effort', 4);
    clock.ms += 8;
    assert.equal(time.nowPs, 2 * MS);
    assert.equal(time.msUntil(3 * MS), 4);
    clock.ms += 1 / 3;
    assert.ok(Number.isInteger(time.nowPs));
  });

  it('counts what is late by more than the limit, and the worst', () => {
    const { time } = timeOf('best-effort');
    for (const slipMs of [-2, 0, 0.9, 1, 1.1, 3.5]) time.count(slipMs);
    const { inTime, late, worstSlipPs } = time.resultAt(7);
    assert.deepEqual([inTime, late, worstSlipPs], [4, 2, 3.5 * MS]);
  });

  it('goes on, ends, or slows down where the engine is behind', () => {
    const behind = { 'best-effort': true, strict: false, stretch: true } as const;
    for (const [timing, goesOn] of Object.entries(behind)) {
      const { clock, time } = timeOf(timing as keyof typeof behind);
      clock.ms += 3;
      assert.equal(time.reached(2.5 * MS), true, timing);
      assert.equal(time.resultAt(0).fellBehind, false);
      assert.equal(time.reached(1 * MS), goesOn, timing);
      assert.equal(time.resultAt(0).fellBehind, true);
    }
  });

  it('goes on from where the engine is, and never back, when it is stretched', () => {
    const { clock, time } = timeOf('stretch');
    clock.ms += 100;
    time.reached(40 * MS);
    assert.equal(time.nowPs, 40 * MS);
    clock.ms += 10;
    assert.equal(time.nowPs, 48 * MS);
    assert.equal(time.resultAt(0).scale, 1.25);
  });
});
