import type { z } from 'zod';
import { integer, mapping, quantity } from '../../settings/parts.js';
import { aboveZero, rate, share, size, time } from '../../settings/quantities.js';

/**
 * Defaults of "HPCC: high precision congestion control", SIGCOMM 2019, 3.3 and 5.1; the least rate
 * is that of the simulator that came with it. Times in ps, rates in bit/s, sizes in octets.
 */
export const hpccSettings = mapping({
  utilisation: quantity(aboveZero(share))
    .describe('Share of a link that is aimed at (eta).')
    .prefault('95%'),
  stages: integer(0, 1000)
    .describe('Round trips of additive increase before a multiplicative one (maxStage).')
    .prefault(5),
  increase: quantity(aboveZero(size))
    .describe('What additive increase adds to the window (W_AI).')
    .prefault('80B'),
  roundTrip: quantity(aboveZero(time))
    .describe('Round trip without queues (T): a window is what it holds.')
    .prefault('13us'),
  minRate: quantity(aboveZero(rate)).describe('No cut goes below this rate.').prefault('100M'),
});

export type HpccSettings = z.output<typeof hpccSettings>;
