import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as invariants from '../../../services/mechanisms/swift/invariants.js';
import {
  CUTS,
  ENDPOINT,
  FABRIC,
  fabricTarget,
  initialise,
  onLoss,
  onRoundTrip,
  RATE,
  SWIFT_WORDS,
  windowOf,
} from '../../../services/mechanisms/swift/machine.js';
import { swiftSettings } from '../../../services/mechanisms/swift/settings.js';
import { fc } from '../../kit/properties.js';

const SPEC = { kind: 'swift', ...swiftSettings.parse({}), hops: 3, packetOctets: 1250 } as const;
const US = 1e6;

function started(window: number): Float64Array {
  const table = new Float64Array(SWIFT_WORDS);
  initialise(table, 0, 100e9, { ...SPEC, initial: window });
  return table;
}

describe('the target delay of Swift', () => {
  it('is a base and a part per switch for a large window, and more the smaller a window is', () => {
    assert.equal(fabricTarget(SPEC, 100), 29 * US);
    assert.equal(fabricTarget(SPEC, 400), 29 * US);
    assert.ok(Math.abs(fabricTarget(SPEC, 0.1) - 129 * US) < 1);
    assert.ok(Math.abs(fabricTarget(SPEC, 0.01) - 129 * US) < 1);
    // alpha = 100 us / (sqrt(10) - 0.1) = 32.655 us: a window of 1 has 0.9 of it.
    assert.ok(Math.abs(fabricTarget(SPEC, 1) - 29 * US - 0.9 * 32_655_600) < 200);
  });
});

describe('the window of Swift', () => {
  it('grows by a packet in a round trip below the target', () => {
    const table = started(10);
    onRoundTrip(table, 0, SPEC, 20 * US, 0, 10, 0);
    assert.equal(table[FABRIC], 11);
    onRoundTrip(table, 0, SPEC, 20 * US, 0, 5, 0);
    assert.ok(Math.abs(table[FABRIC] - (11 + 5 / 11)) < 1e-12);
  });

  it('grows by a packet for each acknowledged while it is below one', () => {
    const table = started(0.5);
    onRoundTrip(table, 0, { ...SPEC, increase: 0.1 }, 20 * US, 0, 1, 0);
    assert.ok(Math.abs(table[FABRIC]! - 0.6) < 1e-12);
  });

  it('is cut in proportion to what is above the target, by half at most', () => {
    const table = started(100);
    onRoundTrip(table, 0, SPEC, 40 * US, 0, 1, 0);
    assert.ok(Math.abs(table[FABRIC]! - 100 * (1 - (0.8 * 11) / 40)) < 1e-9);
    const deep = started(100);
    onRoundTrip(deep, 0, SPEC, 10_000 * US, 0, 1, 0);
    assert.equal(deep[FABRIC], 50);
  });

  it('is cut at most once in a round trip', () => {
    const table = started(100);
    onRoundTrip(table, 0, SPEC, 1_000 * US, 0, 1, 0);
    onRoundTrip(table, 0, SPEC, 1_000 * US, 0, 1, 999 * US);
    assert.equal(table[FABRIC], 50);
    assert.equal(table[CUTS], 1);
    onRoundTrip(table, 0, SPEC, 1_000 * US, 0, 1, 1_000 * US);
    assert.equal(table[FABRIC], 25);
  });

  it('is that of the station where the station is slow, and the fabric is not blamed', () => {
    const table = started(100);
    onRoundTrip(table, 0, SPEC, 220 * US, 200 * US, 1, 0);
    assert.ok(Math.abs(table[ENDPOINT]! - 100 * (1 - (0.8 * 100) / 200)) < 1e-9);
    assert.ok(table[FABRIC]! > 100);
    assert.equal(windowOf(table, 0), table[ENDPOINT]);
  });

  it('below a packet is a packet in more than a round trip', () => {
    const table = started(0.25);
    onRoundTrip(table, 0, { ...SPEC, increase: 1e-9 }, 20 * US, 0, 1, 0);
    // A packet of 10 000 bits on the wire in 80 us.
    assert.ok(Math.abs(table[RATE]! - 125e6) < 1);
  });

  it('is cut by half for a loss, and begins anew after five timeouts', () => {
    const table = started(64);
    onRoundTrip(table, 0, { ...SPEC, increase: 1e-9 }, 20 * US, 0, 1, 0);
    onLoss(table, 0, SPEC, false, 100 * US);
    assert.ok(Math.abs(table[FABRIC]! - 32) < 1e-6);
    for (let i = 1; i < 5; i++) onLoss(table, 0, SPEC, true, 100 * US);
    assert.ok(Math.abs(table[FABRIC]! - 32) < 1e-6);
    onLoss(table, 0, SPEC, true, 100 * US);
    assert.equal(table[FABRIC], SPEC.least);
  });

  it('stays within bounds, whatever happens', () => {
    const event = fc.record({
      loss: fc.boolean(),
      timedOut: fc.boolean(),
      trip: fc.integer({ min: 1, max: 1e12 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      packets: fc.integer({ min: 1, max: 1000 }),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 50 }), (events) => {
        const table = started(10);
        events.forEach(({ loss, timedOut, trip, share, packets }, i) => {
          if (loss) onLoss(table, 0, SPEC, timedOut, i * 1e9);
          else onRoundTrip(table, 0, SPEC, trip, Math.floor(share * trip), packets, i * 1e9);
          assert.ok(invariants.windowIsWithinBounds(table, 0, SPEC));
          assert.ok(invariants.rateIsWithinBounds(table, 0));
        });
      }),
      { seed: 23 },
    );
  });
});
