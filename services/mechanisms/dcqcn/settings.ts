import type { z } from 'zod';
import { choice, flag, integer, mapping, quantity } from '../../settings/parts.js';
import { aboveZero, rate, share, size, time } from '../../settings/quantities.js';

/**
 * Defaults of "Congestion control for large-scale RDMA deployments", SIGCOMM 2015, and for values
 * missing there those of the simulator that came with HPCC. Times in ps, rates in bit/s, sizes in
 * octets.
 */
export const dcqcnSettings = mapping({
  variant: choice(['nic', 'paper'])
    .describe('nic: samples notifications on timers; paper: acts on every one of them.')
    .prefault('nic'),
  gain: quantity(aboveZero(share))
    .describe('How much one period counts in the estimate alpha.')
    .prefault(1 / 256),
  alphaPeriod: quantity(aboveZero(time))
    .describe('Alpha is updated, or decays, so often.')
    .prefault('55us'),
  cutPeriod: quantity(aboveZero(time))
    .describe('The rate is cut at most once in this time (nic).')
    .prefault('4us'),
  raisePeriod: quantity(aboveZero(time))
    .describe('The rate is raised after this time without a cut.')
    .prefault('55us'),
  raiseBytes: quantity(aboveZero(size))
    .describe('It is raised after so many bytes without a cut, too.')
    .prefault('10MB'),
  fastCycles: integer(1, 1000)
    .describe('Raises of fast recovery before the target is raised.')
    .prefault(5),
  activeRate: quantity(aboveZero(rate))
    .describe('What active increase adds to the target.')
    .prefault('40M'),
  hyperRate: quantity(aboveZero(rate))
    .describe('What hyper-active increase adds to the target.')
    .prefault('400M'),
  minRate: quantity(aboveZero(rate)).describe('No cut goes below this rate.').prefault('100M'),
  clampTarget: flag()
    .describe('Every cut lowers the target to the rate before it.')
    .prefault(false),
  cnpInterval: quantity(aboveZero(time))
    .describe('Least time between two notifications (CNP) to one connection.')
    .prefault('50us'),
  cnpPriority: integer(0, 7).describe('Priority of notifications.').prefault(6),
});

export type DcqcnSettings = z.output<typeof dcqcnSettings>;
