import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  classOfRegister,
  classRegister,
  leastRefill,
  linkPercents,
  refillMultiplier,
  refillsOfClasses,
  refillsOfGroups,
} from '../../../../services/engine/nic-82599/refill-rule.js';
import type { RefillRow } from '../../../../services/engine/nic-82599/refill-rule.js';
import { vectors } from './vectors.js';

function registers(rows: readonly RefillRow[], groups: readonly number[]): string[] {
  return rows.map(({ refill, most }, tc) => {
    const row = { group: groups[tc]!, refill, most, linkStrict: false, groupStrict: false };
    const word = classRegister(row);
    assert.deepEqual(classOfRegister(word), row);
    return `0x${word.toString(16).toUpperCase().padStart(8, '0')}`;
  });
}

const refills = (rows: readonly RefillRow[]): number[] => rows.map(({ refill }) => refill);
const limits = (rows: readonly RefillRow[]): number[] => rows.map(({ most }) => most);

describe('refills from percentages', () => {
  for (const { percent, maxFrame, expect } of vectors.driverCredits.ieee) {
    it(`are those of drivers for classes with ${percent.join(' ')} % and ${maxFrame} octets`, () => {
      const rows = refillsOfClasses(percent, maxFrame);
      assert.equal(leastRefill(maxFrame), expect.minCredit);
      assert.equal(refillMultiplier(percent, expect.minCredit), expect.multiplier);
      assert.deepEqual(refills(rows), expect.refill);
      assert.deepEqual(limits(rows), expect.max);
      assert.deepEqual(registers(rows, [0, 1, 2, 3, 4, 5, 6, 7]), expect.rttpt2c);
    });
  }

  for (const { tc, bwgPercent, maxFrame, expect } of vectors.driverCredits.cee) {
    it(`are those of drivers for groups with ${bwgPercent.join(' ')} % and ${maxFrame}`, () => {
      const classes = tc.map(([group, percent]) => ({ group, percent }));
      const rows = refillsOfGroups(classes, bwgPercent, maxFrame);
      assert.equal(leastRefill(maxFrame), expect.minCredit);
      assert.equal(
        refillMultiplier(linkPercents(classes, bwgPercent), expect.minCredit),
        expect.multiplier,
      );
      assert.deepEqual(refills(rows), expect.refill);
      assert.deepEqual(limits(rows), expect.max);
      const groups = classes.map(({ group }) => group);
      assert.deepEqual(registers(rows, groups), expect.rttpt2c);
    });
  }

  it('keep the strict bits in their registers', () => {
    const row = { group: 2, refill: 1, most: 4095, linkStrict: true, groupStrict: true };
    assert.deepEqual(classOfRegister(classRegister(row)), row);
    assert.equal(classRegister(row), 0xc0fff401);
  });
});
