import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as invariants from '../../../services/mechanisms/hpcc/invariants.js';
import {
  CUTS,
  HPCC_WORDS,
  initialise,
  onTelemetry,
  RATE,
  REFERENCE,
  ROUND_END,
  STAGE,
  UTILISATION,
  WINDOW,
} from '../../../services/mechanisms/hpcc/machine.js';
import { hpccSettings } from '../../../services/mechanisms/hpcc/settings.js';
import { ETHERNET_RATES } from '../../../services/engine/units/rates.js';
import { blankTelemetry, type Telemetry } from '../../../services/engine/wire/telemetry.js';
import { fc } from '../../kit/properties.js';

const SPEC = {
  kind: 'hpcc',
  ...hpccSettings.parse({ roundTrip: '10us' }),
  packetOctets: 1106,
} as const;
const LINE = 100e9;
const CODE = ETHERNET_RATES.findIndex(({ bps }) => bps === LINE);
/** What a link of 100 Gb/s carries in 10 us. */
const FULL = 125_000;

/** One switch with a port of 100 Gb/s; octets in the units of telemetry. */
function seen(timeNs: number, sentUnits: number, queueUnits: number, path = 1): Telemetry {
  const telemetry = blankTelemetry();
  telemetry.hopCount = 1;
  telemetry.path = path;
  Object.assign(telemetry.hops[0]!, { rate: CODE, timeNs, sentUnits, queueUnits });
  return telemetry;
}

function started(): Float64Array {
  const table = new Float64Array(HPCC_WORDS);
  initialise(table, 0, LINE, SPEC);
  return table;
}

describe('the window of HPCC', () => {
  it('starts with what a round trip holds at line rate', () => {
    const table = started();
    assert.equal(table[WINDOW], FULL);
    assert.equal(table[RATE], LINE);
  });

  it('shrinks by how much more is under way than the link should bear', () => {
    const table = started();
    onTelemetry(table, 0, SPEC, seen(0, 0, 781), 1, 100);
    // 10 us later: 117 120 octets (915 units) sent, and 62 480 octets (781 units) queued as before.
    onTelemetry(table, 0, SPEC, seen(10_000, 915, 781), 2, 100);
    const use = 62_480 / FULL + 117_120 / FULL;
    assert.ok(Math.abs(table[UTILISATION]! - use) < 1e-12);
    assert.ok(Math.abs(table[WINDOW]! - (FULL / (use / 0.95) + 80)) < 1e-6);
    assert.equal(table[REFERENCE], table[WINDOW]);
    assert.equal(table[STAGE], 0);
    assert.equal(table[ROUND_END], 100);
    assert.equal(table[CUTS], 1);
    assert.ok(Math.abs(table[RATE]! - (table[WINDOW]! * 8) / 10e-6) < 1e-3);
  });

  it('counts the shorter of two queues, and smooths over what is less than a round trip', () => {
    const table = started();
    onTelemetry(table, 0, SPEC, seen(0, 0, 100), 1, 100);
    // 2.5 us at full rate, though the queue has grown meanwhile.
    onTelemetry(table, 0, SPEC, seen(2_500, 244, 900), 1, 100);
    const use = 8_000 / FULL + (244 * 128) / (FULL / 4);
    assert.ok(Math.abs(table[UTILISATION]! - 0.25 * use) < 1e-12);
  });

  it('counts from one reference in a round trip, and takes a new one after it', () => {
    const table = started();
    onTelemetry(table, 0, SPEC, seen(0, 0, 781), 1, 50);
    onTelemetry(table, 0, SPEC, seen(10_000, 977, 781), 2, 50);
    const reference = table[REFERENCE]!;
    for (const expected of [3, 4, 50]) {
      onTelemetry(
        table,
        0,
        SPEC,
        seen(10_000 * expected, (977 * expected) % 2 ** 20, 781),
        expected,
        90,
      );
      assert.equal(table[REFERENCE], reference);
    }
    onTelemetry(table, 0, SPEC, seen(10_000 * 51, 977 * 51, 781), 51, 90);
    assert.ok(table[REFERENCE]! < reference);
    assert.equal(table[ROUND_END], 90);
  });

  it('adds a step for five round trips below the target, and multiplies in the sixth', () => {
    const table = started();
    onTelemetry(table, 0, SPEC, seen(0, 0, 781), 1, 1);
    onTelemetry(table, 0, SPEC, seen(10_000, 977, 781), 2, 2);
    const low = table[WINDOW]!;
    // The link is used by half from now on.
    let sent = 977;
    const step = (i: number): void => {
      sent += 488;
      onTelemetry(table, 0, SPEC, seen(10_000 * (1 + i), sent, 0), 2 + i, 2 + i);
    };
    for (let i = 1; i <= 5; i++) {
      step(i);
      assert.ok(Math.abs(table[WINDOW]! - (low + 80 * i)) < 1e-6);
    }
    step(6);
    const use = (488 * 128) / FULL / 0.95;
    assert.ok(Math.abs(table[WINDOW]! - Math.min(FULL, (low + 400) / use + 80)) < 1e-6);
    assert.equal(table[STAGE], 0);
  });

  it('reads counters that have wrapped around', () => {
    const table = started();
    onTelemetry(table, 0, SPEC, seen(2 ** 24 - 5_000, 2 ** 20 - 500, 0), 1, 1);
    onTelemetry(table, 0, SPEC, seen(5_000, 477, 0), 2, 2);
    assert.ok(Math.abs(table[UTILISATION]! - (977 * 128) / FULL) < 1e-12);
  });

  it('only learns from a packet that came another way', () => {
    const table = started();
    onTelemetry(table, 0, SPEC, seen(0, 0, 781), 1, 1);
    onTelemetry(table, 0, SPEC, seen(10_000, 977, 781, 2), 2, 2);
    assert.deepEqual([table[WINDOW], table[CUTS]], [FULL, 0]);
    onTelemetry(table, 0, SPEC, seen(20_000, 2 * 977, 781, 2), 3, 3);
    assert.equal(table[CUTS], 1);
  });

  it('stays within bounds, whatever switches write', () => {
    const hop = fc.tuple(fc.nat(2 ** 24 - 1), fc.nat(2 ** 20 - 1), fc.nat(65_535), fc.nat(2));
    fc.assert(
      fc.property(fc.array(hop, { maxLength: 40 }), (hops) => {
        const table = started();
        hops.forEach(([time, sent, queue, path], i) => {
          onTelemetry(table, 0, SPEC, seen(time, sent, queue, path), i, i + 3);
          assert.ok(invariants.rateIsWithinBounds(table, 0, SPEC));
          assert.ok(invariants.windowIsSane(table, 0, SPEC));
        });
      }),
      { seed: 23 },
    );
  });
});
