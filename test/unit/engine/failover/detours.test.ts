import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { detoursOf, nextHopsOf } from '../../../../services/engine/device/switch/detours.js';
import { chooseEqual } from '../../../../services/engine/device/switch/router.js';
import type { PortUse } from '../../../../services/engine/failover/failover-mechanism.js';

const ALL = { setOfHost: Int16Array.of(0, 1, -1), sets: [Uint8Array.of(0, 1, 2, 3), [4]] };

function portOf(hops: ReturnType<typeof nextHopsOf>, host: number, hash: number): number {
  const set = hops.setOfHost[host]!;
  if (set < 0) return -1;
  return hops.setPorts[hops.setStart[set]! + chooseEqual(hash, 77, hops.setSize[set]!)]!;
}

const uses = (...dead: readonly (readonly [number, PortUse])[]): PortUse[] =>
  Array.from({ length: 5 }, (_, port) => dead.find(([one]) => one === port)?.[1] ?? 'any');

const HASHES = Array.from({ length: 4000 }, (_, i) => Math.imul(i, 0x9e3779b1));

describe('a group of equal-cost ports without some', () => {
  it('keeps flows where they are, and spreads those of dead ports evenly', () => {
    const before = nextHopsOf(ALL);
    const after = detoursOf(ALL, ALL, uses([1, 'none']), false);
    const taken = [0, 0, 0, 0];
    for (const hash of HASHES) {
      const [was, is] = [portOf(before, 0, hash), portOf(after, 0, hash)];
      if (was === 1) taken[is]!++;
      else assert.equal(is, was);
    }
    assert.equal(taken[1], 0);
    for (const port of [0, 2, 3]) assert.ok(Math.abs(taken[port]! - 333) < 80, String(taken));
  });

  it('has the ports that are left in turn where frames are sprayed', () => {
    const { setPorts, setSize, setOfHost } = detoursOf(ALL, ALL, uses([1, 'wait']), true);
    assert.deepEqual([...setPorts.subarray(0, setSize[setOfHost[0]!])], [0, 2, 3]);
  });

  it('lets frames wait at dead ports only where there is nothing else', () => {
    const dead = ([0, 1, 2, 3] as const).map((port) => [port, 'wait'] as const);
    const after = detoursOf(ALL, ALL, uses(...dead, [4, 'none']), false);
    assert.ok(HASHES.every((hash) => portOf(after, 0, hash) < 4));
    assert.equal(portOf(after, 1, 5), -1);
    assert.equal(portOf(after, 2, 5), -1);
  });

  it('chooses among many ports without a number that 32 bits do not hold', () => {
    const wide = { setOfHost: Int16Array.of(0), sets: [Array.from({ length: 64 }, (_, i) => i)] };
    const dead = Array.from({ length: 64 }, (_, i): PortUse => (i === 9 ? 'none' : 'any'));
    const after = detoursOf(wide, wide, dead, false);
    assert.ok(after.setSize[0]! <= 255);
    assert.ok(HASHES.every((hash) => portOf(after, 0, hash) !== 9));
  });
});
