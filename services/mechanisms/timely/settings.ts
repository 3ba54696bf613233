import type { z } from 'zod';
import { mapping, quantity } from '../../settings/parts.js';
import { aboveZero, rate, share, time } from '../../settings/quantities.js';

/** Defaults of "TIMELY: RTT-based congestion control", SIGCOMM 2015; times in ps, rates bit/s. */
export const timelySettings = mapping({
  low: quantity(aboveZero(time))
    .describe('Round trips below this raise the rate whatever they do.')
    .prefault('50us'),
  high: quantity(aboveZero(time))
    .describe('Round trips above this cut it whatever they do.')
    .prefault('500us'),
  roundTrip: quantity(aboveZero(time))
    .describe('Round trip without queues: growth is compared with it.')
    .prefault('20us'),
  smoothing: quantity(aboveZero(share))
    .describe('How much the latest change counts.')
    .prefault(0.875),
  decrease: quantity(aboveZero(share))
    .describe('Share of the rate that growth by one round trip costs.')
    .prefault(0.8),
  step: quantity(aboveZero(rate)).describe('What is added at a time.').prefault('10M'),
  minRate: quantity(aboveZero(rate)).describe('No cut goes below this rate.').prefault('100M'),
});

export type TimelySettings = z.output<typeof timelySettings>;
