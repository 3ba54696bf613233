import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  codewordErrorRate,
  fecDelayPs,
  frameErrorRate,
  frameErrorsOf,
} from '../../../services/fabric/link-errors.js';

const BARE = { fec: 'none', isAfterFec: false, burstBits: 1 } as const;

function near(actual: number, expected: number, share = 1e-9): void {
  assert.ok(Math.abs(actual - expected) <= share * expected, `${actual}, not ${expected}`);
}

describe('the frame error rate of a link', () => {
  it('is that of its bits, where nothing corrects them', () => {
    near(frameErrorRate(frameErrorsOf({ ...BARE, ber: 1e-6 }), 1518), 1 - (1 - 1e-6) ** 12_144);
    const after = { fec: 'rs-544', isAfterFec: true, burstBits: 1, ber: 1e-6 } as const;
    near(frameErrorRate(frameErrorsOf(after), 1518), 1 - (1 - 1e-6) ** 12_144);
  });

  it('counts a burst once, and the bits before a frame from which one reaches into it', () => {
    const errors = frameErrorsOf({ ...BARE, ber: 1e-5, burstBits: 10 });
    near(frameErrorRate(errors, 100), 1 - (1 - 1e-6) ** 809);
  });

  it('is that of codewords before FEC', () => {
    const P = codewordErrorRate('rs-528', 1e-3, 1);
    const errors = frameErrorsOf({ ...BARE, fec: 'rs-528', ber: 1e-3 });
    near(frameErrorRate(errors, 1), P);
    near(frameErrorRate(errors, 1281), 1 - (1 - P) ** 3);
  });

  it('never falls with the bit error rate or the length', () => {
    const exponent = fc.double({ min: -12, max: -2, noNaN: true });
    const fec = fc.constantFrom('none', 'rs-528', 'rs-544');
    const octets = fc.integer({ min: 64, max: 9216 });
    const burst = fc.integer({ min: 1, max: 100 });
    fc.assert(
      fc.property(exponent, fec, octets, burst, (e, kind, length, burstBits) => {
        const rate = (ber: number, l: number): number =>
          frameErrorRate(frameErrorsOf({ fec: kind, ber, isAfterFec: false, burstBits }), l);
        const own = rate(10 ** e, length);
        assert.ok(own >= 0 && own <= 1);
        assert.ok(rate(2 * 10 ** e, length) >= own * (1 - 1e-9));
        assert.ok(rate(10 ** e, length + 1) >= own);
      }),
    );
  });
});

describe('a Reed-Solomon code', () => {
  // Codeword error rates by the binomial sum over wrong symbols, to 50 digits, with the parity of
  // 802.3 91.5.2.5: 528 - 514 = 2 * 7 and 544 - 514 = 2 * 15 symbols of 10 bits. A code that
  // corrects one symbol less fails fourteen times as often, or more.
  for (const [name, fec, ber, codeword, after] of [
    ['KP4 at 2.2e-4', 'rs-544', 2.2e-4, 2.239937e-13, 6.6e-16],
    ['KR4 at 1e-5', 'rs-528', 1e-5, 1.355769e-15, 2.05e-18],
    ['KR4 at 2.1e-5', 'rs-528', 2.1e-5, 4.871991e-13, 7.4e-16],
  ] as const) {
    it(`is as good as it is known to be: ${name}`, () => {
      const rate = codewordErrorRate(fec, ber, 1);
      near(rate, codeword, 1e-6);
      // What is left in a codeword that fails is hardly more than it could not correct. The limits
      // before FEC for 1e-15 after it are known as 2.2e-4 (KP4) and 2.1e-5 (KR4).
      const [symbols, wrong] = fec === 'rs-544' ? [544, 16] : [528, 8];
      near((rate * wrong) / (symbols * 10), after, 0.02);
    });
  }

  it('fails when more symbols are wrong than it corrects', () => {
    // By the definition, term by term, with whole binomial coefficients.
    const choose = (n: number, k: number): number => {
      let value = 1n;
      for (let i = 1; i <= k; i++) value = (value * BigInt(n - k + i)) / BigInt(i);
      return Number(value);
    };
    const q = 1 - (1 - 1e-3) ** 10;
    let expected = 0;
    for (let k = 8; k < 60; k++) expected += choose(528, k) * q ** k * (1 - q) ** (528 - k);
    near(codewordErrorRate('rs-528', 1e-3, 1), expected, 1e-6);
  });

  it('corrects one burst of as many symbols, and no longer one', () => {
    // 61 bits lie in 7 symbols only if the burst begins with one; 71 bits never.
    const p = 1e-9;
    const begins = (bits: number): number => 1 - (1 - p / bits) ** 10;
    near(codewordErrorRate('rs-528', p, 71), 528 * begins(71), 1e-4);
    near(codewordErrorRate('rs-528', p, 62), 528 * begins(62) * 0.1, 1e-4);
    assert.ok(codewordErrorRate('rs-528', p, 61) < 1e-12);
  });

  it('delays by the codewords that have to come in', () => {
    assert.equal(fecDelayPs('none', 100e9), 0);
    assert.equal(fecDelayPs('rs-528', 100e9), 102_400);
    assert.equal(fecDelayPs('rs-544', 400e9), 51_200);
  });
});
