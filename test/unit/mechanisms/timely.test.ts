import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rateIsWithinBounds } from '../../../services/mechanisms/timely/invariants.js';
import {
  initialise,
  onRoundTrip,
  RATE,
  TIMELY_WORDS,
} from '../../../services/mechanisms/timely/machine.js';
import { timelySettings } from '../../../services/mechanisms/timely/settings.js';
import type { TimelySpec } from '../../../services/mechanisms/timely/spec.js';
import { fc } from '../../kit/properties.js';

const US = 1e6;
const LINE = 10e9;
const SPEC: TimelySpec = { kind: 'timely', ...timelySettings.parse({}) };

function rateAfter(...roundTripsUs: number[]): number {
  const table = new Float64Array(TIMELY_WORDS);
  initialise(table, 0, LINE);
  for (const rtt of roundTripsUs) onRoundTrip(table, 0, SPEC, rtt * US);
  return table[RATE]!;
}

describe('TIMELY', () => {
  it('leaves short round trips alone, and cuts by how far long ones are beyond 500 us', () => {
    assert.equal(rateAfter(10, 49), LINE);
    assert.equal(rateAfter(1000), 0.6 * LINE);
    assert.equal(rateAfter(1000, 10), 0.6 * LINE + 10e6);
  });

  it('cuts by the growth of round trips between its thresholds', () => {
    // 0.875 of 2 us, over 20 us, times 0.8.
    assert.equal(rateAfter(100, 102), (1 - 0.8 * ((0.875 * 2) / 20)) * LINE);
    // Growth of more than a round trip leaves the floor.
    assert.equal(rateAfter(100, 400), 100e6);
  });

  it('goes on when round trips stay as long as they are after they grew', () => {
    const same = new Array<number>(40).fill(102);
    assert.ok(rateAfter(100, ...same) < rateAfter(100, 102));
  });

  it('raises by 10 Mb/s when they shrink, and by 50 Mb/s from the fifth time on', () => {
    const down = [100, 400, 350, 300, 250, 200, 150];
    assert.equal(rateAfter(...down.slice(0, 3)), 110e6);
    assert.equal(rateAfter(...down.slice(0, 6)), 140e6);
    assert.equal(rateAfter(...down), 190e6);
  });

  it('stays between its floor and the line whatever is measured', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 2e9 }), { maxLength: 100 }), (rtts) => {
        const table = new Float64Array(TIMELY_WORDS);
        initialise(table, 0, LINE);
        for (const rtt of rtts) {
          onRoundTrip(table, 0, SPEC, rtt);
          assert.ok(rateIsWithinBounds(table, 0, SPEC));
        }
      }),
      { seed: 8, numRuns: 200 },
    );
  });
});
