import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shareOfBuffer } from '../../../services/mechanisms/credit/shares.js';

const PRIORITY = 3;

/** Three accounts with shares 1, 1 and 2 of a buffer of 100 units, of which each keeps 10. */
function shareOf(
  row: number,
  { active, outstanding }: { active: readonly boolean[]; outstanding: readonly number[] },
): { target: number; entitled: number } {
  const shares = [1, 1, 2];
  const units = (value: number): number[] => Array.from({ length: 8 }, () => value);
  const accounts = {
    specOf: () => ({
      granting: { bufferUnits: units(100), keepUnits: units(10) },
      channels: shares.map((share) => ({ share })),
    }),
    port: () => 0,
    priority: () => PRIORITY,
    share: (of: number) => shares[of],
    row: (_port: number, slot: number) => slot,
  };
  const sharers = {
    isActive: (of: number) => active[of]!,
    outstanding: (of: number) => outstanding[of]!,
  };
  const into = { target: -1, entitled: -1 };
  shareOfBuffer(sharers, accounts as never, row, into);
  return into;
}

const ALL = [true, true, true];

describe('the share of an account under the demand policy', () => {
  it('is its minimum while it is idle', () => {
    const idle = { active: [false, true, true], outstanding: [0, 0, 0] };
    assert.deepEqual(shareOf(0, idle), { target: 10, entitled: 10 });
  });

  it('is that among the active ones, as far as the others leave room', () => {
    assert.deepEqual(shareOf(0, { active: ALL, outstanding: [0, 0, 0] }), {
      target: 25,
      entitled: 25,
    });
    assert.deepEqual(shareOf(2, { active: ALL, outstanding: [25, 25, 0] }), {
      target: 50,
      entitled: 50,
    });
    assert.deepEqual(shareOf(0, { active: ALL, outstanding: [0, 40, 50] }), {
      target: 10,
      entitled: 25,
    });
  });

  it('leaves their minimum to idle ones, and takes what they do not use', () => {
    const alone = { active: [true, false, false], outstanding: [0, 0, 0] };
    assert.deepEqual(shareOf(0, alone), { target: 80, entitled: 80 });
  });

  it('is nothing for now where others have borrowed all', () => {
    const lent = { active: ALL, outstanding: [0, 60, 60] };
    assert.deepEqual(shareOf(0, lent), { target: 0, entitled: 25 });
  });
});
