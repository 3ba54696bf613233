import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  driftedFactor,
  memoryWindow,
  nextStamp,
  RATE_FACTOR_ONE,
  rateFactorOf,
  stampRegister,
  startSpacing,
} from '../../../../services/engine/nic-82599/rate-scheduler.js';
import type { DriftVector, RateVector } from './vectors.js';
import { vectors } from './vectors.js';
import { fc } from '../../../kit/properties.js';

const WIRE_OVERHEAD = 20;
const FRAMES = 10_000;

/** First instant outside the windows in which no frame may start. */
function outside(at: number, block: RateVector['config']['block']): number {
  if (block === undefined || at < block.first) return at;
  const into = (at - block.first) % block.every;
  return into < block.length ? at + block.length - into : at;
}

function runRate({ config, expect }: RateVector): void {
  const { linkMbps, targetMbps, mmwKB, pattern, block } = config;
  const factor = rateFactorOf(linkMbps, targetMbps);
  assert.equal(factor, expect.rfRaw);
  assert.equal((0x80000000 | factor) >>> 0, Number(expect.rttbcnrc));
  assert.equal(memoryWindow(mmwKB, factor), expect.mmwTime);
  for (const [length, mifs] of Object.entries(expect.mifs)) {
    assert.equal(startSpacing(Number(length), factor), mifs);
  }
  const started: number[][] = [];
  let [stamp, free, octets, saturations, start] = [0, 0, 0, 0, 0];
  for (let i = 0; i < FRAMES; i++) {
    const length = pattern[i % pattern.length]!;
    start = outside(Math.max(stamp, free), block);
    const next = nextStamp(stamp, length, start, factor, mmwKB);
    if (next !== stamp + startSpacing(length, factor)) saturations++;
    stamp = next;
    free = start + length + WIRE_OVERHEAD;
    octets += length;
    if (i < 50) started.push([start, length, stamp]);
  }
  assert.deepEqual(started, expect.first50);
  assert.equal(saturations, expect.saturations);
  assert.equal(start, expect.lastStart);
  assert.equal(stamp, expect.lastStamp);
  assert.equal(octets, expect.octets);
  const mbps = (octets * linkMbps) / Math.max(stamp, free);
  assert.ok(Math.abs(mbps / expect.rateMbps - 1) < 1e-4, `${mbps}`);
}

function runDrift({ config, expect }: DriftVector): void {
  const { linkMbps, targetMbps, driftFacRaw } = config;
  const factors = [rateFactorOf(linkMbps, targetMbps)];
  while (factors.at(-1) !== RATE_FACTOR_ONE) {
    factors.push(driftedFactor(factors.at(-1)!, driftFacRaw));
  }
  assert.equal(factors.length - 1, expect.intervals);
  assert.deepEqual(factors.slice(0, expect.rfRaw.length), expect.rfRaw);
  assert.deepEqual(factors.slice(-expect.rfRawLast4.length), expect.rfRawLast4);
  for (const [intervals, mbps] of Object.entries(expect.rateMbpsAfter)) {
    const found = (linkMbps * RATE_FACTOR_ONE) / factors[Number(intervals)]!;
    assert.ok(Math.abs(found - mbps) < 0.001, `${found} for ${mbps}`);
  }
  assert.equal(expect.rsEnaAtEnd, false);
}

describe('the rate scheduler', () => {
  for (const vector of vectors.rate) {
    it(`reproduces ${vector.name} frame by frame`, () => {
      runRate(vector);
    });
  }

  vectors.stamp.forEach(({ old, length, now, rfRaw, mmwKB, expect }, i) => {
    it(`moves the stamp of vector ${i + 1} as given`, () => {
      assert.equal(startSpacing(length, rfRaw), expect.mifs);
      assert.equal(memoryWindow(mmwKB, rfRaw), expect.mmwTime);
      const next = nextStamp(old, length, now, rfRaw, mmwKB);
      assert.equal(next, expect.new);
      assert.equal(next !== old + expect.mifs, expect.saturated);
    });
  });

  for (const vector of vectors.drift) {
    it(`drifts as ${vector.name} says`, () => {
      runDrift(vector);
    });
  }

  const factors = fc.integer({ min: RATE_FACTOR_ONE, max: 1000 * RATE_FACTOR_ONE });
  const lengths = fc.integer({ min: 64, max: 9216 });
  const windows = fc.integer({ min: 0, max: 2047 });

  it('lets a delayed queue catch up by its window and one spacing at most', () => {
    fc.assert(
      fc.property(factors, windows, lengths, fc.nat(1e9), (factor, windowKb, length, delay) => {
        const stamp = 1e6;
        const next = nextStamp(stamp, length, stamp + delay, factor, windowKb);
        const spacing = startSpacing(length, factor);
        assert.ok(next >= stamp + delay - memoryWindow(windowKb, factor));
        assert.ok(next <= stamp + delay + spacing);
      }),
    );
  });

  it('never sends more than its rate, its window and one spacing allow, however it is blocked', () => {
    const step = fc.record({ length: lengths, holdOctets: fc.nat(300_000) });
    const few = fc.integer({ min: RATE_FACTOR_ONE, max: 50 * RATE_FACTOR_ONE });
    fc.assert(
      fc.property(few, fc.nat(64), fc.array(step, { maxLength: 40 }), (factor, windowKb, steps) => {
        let [stamp, free] = [0, 0];
        const sent = steps.map(({ length, holdOctets }) => {
          const start = Math.max(stamp, free + holdOctets);
          stamp = nextStamp(stamp, length, start, factor, windowKb);
          free = start + length + WIRE_OVERHEAD;
          return { start, spacing: startSpacing(length, factor) };
        });
        sent.forEach((first, i) => {
          let due = 0;
          for (const later of sent.slice(i + 1)) {
            const had = later.start - first.start + memoryWindow(windowKb, factor);
            assert.ok(due <= had, `${due} octet times in ${had}`);
            due += later.spacing;
          }
        });
      }),
    );
  });

  it('decides as 32-bit stamps that wrap do, while they are less than 2^31 away', () => {
    fc.assert(
      fc.property(
        fc.nat(2 ** 45),
        fc.integer({ min: -(2 ** 31) + 1, max: 2 ** 31 - 1 }),
        (t, d) => {
          const stamp = Math.max(0, t + d);
          const signed = (stampRegister(t) - stampRegister(stamp)) | 0;
          assert.equal(signed >= 0, t >= stamp);
        },
      ),
    );
  });
});
