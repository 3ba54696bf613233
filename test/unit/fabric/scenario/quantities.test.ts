import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Quantity } from '../../../../services/settings/quantities.js';
import {
  aboveZero,
  length,
  LINK_RATES,
  linkRate,
  QuantityError,
  rate,
  share,
  showRate,
  size,
  time,
} from '../../../../services/settings/quantities.js';

const accepted: readonly (readonly [Quantity, string | number, number])[] = [
  [time, '5ns', 5_000],
  [time, '1.5us', 1_500_000],
  [time, '1.5 µs', 1_500_000],
  [time, '3ms', 3e9],
  [time, '2s', 2e12],
  [time, '800ps', 800],
  [time, '614.4ns', 614_400],
  [time, 0, 0],
  [size, 1500, 1500],
  [size, '64KB', 64_000],
  [size, '64KiB', 65_536],
  [size, '1MB', 1_000_000],
  [size, '0.5KiB', 512],
  [size, '12B', 12],
  [rate, '100G', 100e9],
  [rate, '100Gb/s', 100e9],
  [rate, '400Gbps', 400e9],
  [rate, '1.6T', 1.6e12],
  [rate, '33bit/s', 33],
  [linkRate, '10Mb/s', 10e6],
  [linkRate, '0.4T', 400e9],
  [length, '5m', 5_000],
  [length, '1km', 1_000_000],
  [length, '12.5cm', 125],
  [share, '30%', 0.3],
  [share, 0.3, 0.3],
  [share, 1e-7, 1e-7],
  [share, '100 %', 1],
];

const refused: readonly (readonly [Quantity, string | number, RegExp])[] = [
  [time, 500, /not a time: 500; write a number with ps, ns, us, ms or s/],
  [time, '5US', /not a time: 5US; .*did you mean us\?/],
  [size, '3kb', /not a size: 3kb; .*did you mean KB\?/],
  [time, '0.5ps', /not a whole number of picoseconds: 0\.5ps/],
  [time, '-5ns', /not a time: -5ns/],
  [time, '9008s', /too large: 9008s/],
  [time, Infinity, /not a time/],
  [size, '64Kb', /not a size: 64Kb; write bytes/],
  [size, 1.5, /not a whole number of bytes: 1\.5/],
  [size, -1, /not a size: -1/],
  [rate, 100, /not a rate: 100; write bit\/s with k, M, G or T/],
  [rate, '100GB', /not a rate: 100GB/],
  [linkRate, '30G', /not a rate of Ethernet: 30G; one of 10M, /],
  [length, 5, /not a length: 5; write a number with mm, cm, m or km/],
  [share, '101%', /not a share: 101%/],
  [share, 30, /not a share: 30; write a percentage such as 30%/],
  [aboveZero(time), '0ns', /not above 0: 0ns/],
];

describe('quantities', () => {
  for (const [quantity, written, expected] of accepted) {
    it(`reads ${written} as ${quantity.name}`, () => {
      assert.equal(quantity.parse(written), expected);
    });
  }

  for (const [quantity, written, message] of refused) {
    it(`refuses ${written} as ${quantity.name}`, () => {
      assert.throws(() => quantity.parse(written), { constructor: QuantityError, message });
    });
  }

  it('has link rates of which an octet time is a whole number of picoseconds', () => {
    for (const written of LINK_RATES) {
      assert.equal((1e12 * 8) % linkRate.parse(written), 0, written);
      assert.equal(showRate(linkRate.parse(written)), written);
    }
    assert.equal(showRate(33), '33 bit/s');
  });

  it('refuses endless digits at once', () => {
    assert.throws(() => size.parse('9'.repeat(1_000_000)), QuantityError);
  });
});
