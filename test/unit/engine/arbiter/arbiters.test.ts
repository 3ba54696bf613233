import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DwrrArbiter, quantaOf } from '../../../../services/engine/arbiter/dwrr.js';
import { EtsArbiter } from '../../../../services/engine/arbiter/ets.js';
import { RoundRobinArbiter } from '../../../../services/engine/arbiter/round-robin.js';
import { StrictArbiter } from '../../../../services/engine/arbiter/strict.js';
import type { Arbiter, Heads } from '../../../../services/engine/contract/arbiter.js';
import { fc } from '../../../kit/properties.js';

/** Serves backlogged classes with frames of one length each; returns octets served by class. */
function serve(arbiter: Arbiter, lengths: readonly number[], rounds: number): number[] {
  const heads: Heads = { headWireOctets: (_, tc) => lengths[tc]!, queuedOctets: () => 0 };
  const eligible = lengths.reduce((mask, length, tc) => (length > 0 ? mask | (1 << tc) : mask), 0);
  const served = lengths.map(() => 0);
  for (let i = 0; i < rounds; i++) {
    const tc = arbiter.pick(eligible, heads, 0);
    assert.ok((eligible & (1 << tc)) !== 0);
    served[tc]! += lengths[tc]!;
  }
  return served;
}

function share(served: readonly number[], tc: number): number {
  return served[tc]! / served.reduce((a, b) => a + b, 0);
}

const length = fc.integer({ min: 84, max: 9236 });

describe('strict arbiter', () => {
  it('serves the highest class that waits', () => {
    const arbiter = new StrictArbiter();
    assert.equal(arbiter.pick(0b0010_0101), 5);
    assert.equal(arbiter.pick(0b0000_0001), 0);
  });
});

describe('round robin arbiter', () => {
  it('serves waiting classes in turn, skipping those that do not wait', () => {
    const arbiter = new RoundRobinArbiter();
    const order = [0b1010_0010, 0b1010_0010, 0b1010_0010, 0b1010_0010].map((e) => arbiter.pick(e));
    assert.deepEqual(order, [1, 5, 7, 1]);
  });
});

describe('DWRR arbiter', () => {
  it('gives backlogged classes their share of the link, whatever their frame sizes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 2, maxLength: 8 }),
        fc.array(length, { minLength: 8, maxLength: 8 }),
        (weights, lengths) => {
          const used = lengths.slice(0, weights.length);
          const served = serve(new DwrrArbiter(quantaOf(weights)), used, 20_000);
          const total = weights.reduce((a, b) => a + b, 0);
          weights.forEach((weight, tc) => {
            assert.ok(Math.abs(share(served, tc) - weight / total) < 0.01);
          });
        },
      ),
      { numRuns: 40 },
    );
  });

  it('lets a class that had nothing to send start without savings', () => {
    const arbiter = new DwrrArbiter(quantaOf([1, 1]));
    const heads: Heads = { headWireOctets: () => 1538, queuedOctets: () => 0 };
    for (let i = 0; i < 1000; i++) assert.equal(arbiter.pick(0b01, heads, 0), 0);
    const next = Array.from({ length: 10 }, () => arbiter.pick(0b11, heads, 0));
    assert.equal(next.filter((tc) => tc === 1).length, 5);
  });
});

describe('ETS arbiter', () => {
  it('serves strict classes first and divides the rest by percentage', () => {
    const arbiter = new EtsArbiter([20, 30, 50, null, null, null, null, null]);
    const heads: Heads = { headWireOctets: () => 1538, queuedOctets: () => 0 };
    assert.equal(arbiter.pick(0b1000_0111, heads, 0), 7);
    const served = serve(arbiter, [1538, 88, 9236, 0, 0, 0, 0, 0], 100_000);
    [0.2, 0.3, 0.5].forEach((expected, tc) => {
      assert.ok(Math.abs(share(served, tc) - expected) < 0.01);
    });
  });

  it('gives what an idle class does not use to the others in proportion', () => {
    const arbiter = new EtsArbiter([20, 30, 50, null, null, null, null, null]);
    const served = serve(arbiter, [1538, 1538, 0, 0, 0, 0, 0, 0], 50_000);
    assert.ok(Math.abs(share(served, 0) - 0.4) < 0.01);
  });

  it('serves classes without a share in turn, when no other waits', () => {
    const arbiter = new EtsArbiter([0, 50, 50, 0, 0, 0, 0, null]);
    const heads: Heads = { headWireOctets: () => 1538, queuedOctets: () => 0 };
    const picks = (eligible: number, count: number): number[] =>
      Array.from({ length: count }, () => arbiter.pick(eligible, heads, 0));
    assert.deepEqual(picks(0b1001, 4), [0, 3, 0, 3]);
    assert.deepEqual(picks(0b1111, 4).sort(), [1, 1, 2, 2]);
    assert.deepEqual(picks(0b1000_1001, 2), [7, 7]);
  });
});
