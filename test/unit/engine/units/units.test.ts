import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wireOctets } from '../../../../services/engine/units/ethernet.js';
import { ETHERNET_RATES, rateOfBps } from '../../../../services/engine/units/rates.js';
import {
  formatPs,
  PS_PER_MS,
  PS_PER_NS,
  PS_PER_S,
} from '../../../../services/engine/units/time.js';

const rateOf = (name: string): (typeof ETHERNET_RATES)[number] | undefined =>
  ETHERNET_RATES.find((rate) => rate.name === name);

describe('rates', () => {
  it('an octet takes the known whole number of picoseconds at every rate', () => {
    const expected = {
      '10M': 800_000,
      '100M': 80_000,
      '1G': 8_000,
      '10G': 800,
      '25G': 320,
      '40G': 200,
      '50G': 160,
      '100G': 80,
      '200G': 40,
      '400G': 20,
      '800G': 10,
      '1.6T': 5,
      '2.5G': 3_200,
      '5G': 1_600,
      '1T': 8,
    };
    assert.deepEqual(
      Object.fromEntries(ETHERNET_RATES.map((rate) => [rate.name, rate.psPerOctet])),
      expected,
    );
  });

  it('a pause quantum is 512 bit times', () => {
    assert.equal(rateOf('1G')?.pauseQuantumPs, 512_000);
    assert.equal(rateOf('100G')?.pauseQuantumPs, 5_120);
    assert.equal(rateOf('1.6T')?.pauseQuantumPs, 320);
  });

  it('the response limit of PAUSE agrees with 802.3 31B.3.7', () => {
    const limits = ETHERNET_RATES.map(({ name, pauseResponseLimitPs: ps }) => [name, ps / 1000]);
    assert.deepEqual(Object.fromEntries(limits), {
      ...{ '10M': 51_200, '100M': 5_120, '1G': 1_024, '2.5G': 1_024, '5G': 1_024, '10G': 3_072 },
      ...{ '25G': 1_638.4, '40G': 1_510.4, '50G': 1_505.28, '100G': 2_017.28 },
      ...{ '200G': 1_159.68, '400G': 1_158.4, '800G': 1_158.4, '1T': 1_158.144 },
      '1.6T': 1_158.4,
    });
  });

  it('a rate is found by its bits per second, and only a rate of Ethernet is', () => {
    assert.equal(rateOfBps(25e9)?.name, '25G');
    assert.equal(rateOfBps(30e9), undefined);
  });
});

describe('time', () => {
  it('is written in the largest unit that leaves at least one', () => {
    assert.equal(formatPs(0), '0 ps');
    assert.equal(formatPs(999), '999 ps');
    assert.equal(formatPs(1_500), '1.5 ns');
    assert.equal(formatPs(12_345_000), '12.345 us');
    assert.equal(formatPs(3 * PS_PER_MS), '3 ms');
    assert.equal(formatPs(90 * PS_PER_S), '90 s');
    assert.equal(formatPs(-2 * PS_PER_NS), '-2 ns');
  });

  it('moves to the next unit where rounding reaches it', () => {
    assert.equal(formatPs(999_999_999), '1 ms');
  });

  it('without end is written as never', () => {
    assert.equal(formatPs(Infinity), 'never');
  });
});

describe('octets', () => {
  it('a minimum frame takes 84 octet times', () => {
    assert.equal(wireOctets(64), 84);
  });
});
