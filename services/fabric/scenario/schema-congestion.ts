/** Schema of `dcqcn` and `qcn`: how senders are slowed down that a load sends with. */

import type { z } from 'zod';
import {
  CNP_PRIORITY_DEFAULT,
  DCQCN_DEFAULTS,
  DCQCN_FAST_CYCLES,
} from '../../engine/congestion/dcqcn/dcqcn-managed.js';
import {
  CNM_PRIORITY_DEFAULT,
  QCN_HEADER_OCTETS,
  QCN_POINT_DEFAULTS,
  QCN_REACTION_DEFAULTS,
  QCN_WEIGHT_EXPONENT,
} from '../../engine/congestion/qcn/qcn-managed.js';
import { TIMELY_DEFAULTS } from '../../engine/congestion/timely/timely-managed.js';
import { aboveZero, rate, share, size, time } from './quantities.js';
import {
  choice,
  either,
  flag,
  integer,
  keyed,
  list,
  mapping,
  quantity,
  text,
  word,
} from './schema-parts.js';

export const dcqcnSchema = mapping({
  variant: choice(['nic', 'paper'])
    .describe('nic: samples notifications on timers; paper: acts on every one of them.')
    .prefault(DCQCN_DEFAULTS.variant),
  gain: quantity(aboveZero(share))
    .describe('How much one period counts in the estimate alpha.')
    .prefault(DCQCN_DEFAULTS.gain),
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
    .describe('It is raised after so many octets without a cut, too.')
    .prefault('10MB'),
  fastCycles: integer(DCQCN_FAST_CYCLES.least, DCQCN_FAST_CYCLES.most)
    .describe('Raises of fast recovery before the target is raised.')
    .prefault(DCQCN_DEFAULTS.fastCycles),
  activeRate: quantity(aboveZero(rate))
    .describe('What active increase adds to the target.')
    .prefault('40M'),
  hyperRate: quantity(aboveZero(rate))
    .describe('What hyper-active increase adds to the target.')
    .prefault('400M'),
  minRate: quantity(aboveZero(rate)).describe('No cut goes below this rate.').prefault('100M'),
  clampTarget: flag()
    .describe('Every cut lowers the target to the rate before it.')
    .prefault(DCQCN_DEFAULTS.clampTarget),
  cnpInterval: quantity(aboveZero(time))
    .describe('Least time between two notifications (CNP) to one connection.')
    .prefault('50us'),
  cnpPriority: integer(0, 7).describe('Priority of notifications.').prefault(CNP_PRIORITY_DEFAULT),
});

export const timelySchema = mapping({
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
    .prefault(TIMELY_DEFAULTS.smoothing),
  decrease: quantity(aboveZero(share))
    .describe('Share of the rate that growth by one round trip costs.')
    .prefault(TIMELY_DEFAULTS.decrease),
  step: quantity(aboveZero(rate)).describe('What is added at a time.').prefault('10M'),
  minRate: quantity(aboveZero(rate)).describe('No cut goes below this rate.').prefault('100M'),
});

const MODES = ['disabled', 'edge', 'interior', 'interior-ready'] as const;
const PORT = /^[A-Za-z_*?][A-Za-z0-9_*?:-]*$/;

const scaled = (of: Parameters<typeof quantity>[0], what: string, example: string) =>
  either([word('auto'), quantity(aboveZero(of))], what, `auto, or ${example}`);

export const qcnSchema = mapping({
  priorities: list(integer(0, 7), 'priorities 0 to 7')
    .describe('Congestion notification priority values (CNPV): their queues have points.')
    .prefault([]),
  alternatePriority: integer(0, 7)
    .describe('What a frame of those priorities becomes that comes from outside (edge).')
    .prefault(0),
  cnmPriority: integer(0, 7).describe('Priority of messages (CNM).').prefault(CNM_PRIORITY_DEFAULT),
  quote: integer(0, QCN_HEADER_OCTETS.most)
    .describe("Octets of the sampled frame's data in a message (cpMinHeaderOctets).")
    .prefault(QCN_HEADER_OCTETS.default),
  setPoint: scaled(size, 'a set point', 'a size such as 26KB')
    .describe('Queue length to settle at (cpQSp); auto: 26 kB at 10 Gb/s, scaled with the rate.')
    .prefault('auto'),
  weight: integer(QCN_WEIGHT_EXPONENT.least, QCN_WEIGHT_EXPONENT.most)
    .describe('Power of two by which the growth of the queue counts (cpWeight).')
    .prefault(QCN_POINT_DEFAULTS.weightExponent),
  sampleBase: scaled(size, 'a size', 'a size such as 150KB')
    .describe('Octets from sample to sample without congestion; auto: 150 kB at 10 Gb/s, scaled.')
    .prefault('auto'),
  timeReset: quantity(aboveZero(time))
    .describe('Period of the timer (rpgTimeReset).')
    .prefault('15ms'),
  byteReset: scaled(size, 'a size', 'a size such as 150KB')
    .describe('Period of the byte counter (rpgByteReset); auto: 150 kB at 10 Gb/s, scaled.')
    .prefault('auto'),
  threshold: integer(1, 1000)
    .describe('Cycles of fast recovery (rpgThreshold).')
    .prefault(QCN_REACTION_DEFAULTS.threshold),
  activeRate: scaled(rate, 'a rate', 'a rate such as 5M')
    .describe('What active increase adds (rpgAiRate); auto: 5 Mb/s at 10 Gb/s, scaled.')
    .prefault('auto'),
  hyperRate: scaled(rate, 'a rate', 'a rate such as 50M')
    .describe('What hyper-active increase adds (rpgHaiRate); auto: 50 Mb/s at 10 Gb/s, scaled.')
    .prefault('auto'),
  gain: quantity(aboveZero(share))
    .describe('Share of the rate that a unit of feedback costs (rpgGd).')
    .prefault(QCN_REACTION_DEFAULTS.gain),
  minDecrease: quantity(aboveZero(share))
    .describe('One message leaves at least this share of the rate (rpgMinDecFac).')
    .prefault('50%'),
  minRate: scaled(rate, 'a rate', 'a rate such as 5M')
    .describe('No cut goes below this rate (rpgMinRate); auto: 5 Mb/s at 10 Gb/s, scaled.')
    .prefault('auto'),
  defence: choice(['auto', ...MODES])
    .describe(
      'How ports defend the domain: edge remaps what comes in, interior takes off CN-TAGs of ' +
        'what goes out, interior-ready does neither; auto: by what is at the other end.',
    )
    .prefault('auto'),
  ports: keyed(
    { pattern: PORT, allowed: 'a port such as s1:p3, or a pattern such as s*:p1' },
    choice(MODES).describe('Defence mode of one port, or of all that match.'),
  )
    .describe('Defence modes of single ports; later ones win.')
    .prefault({}),
  outside: list(text('a selection of hosts', /./, 'a host or a pattern such as h*'), 'hosts')
    .describe('Hosts that take no part: frames of theirs are remapped at the edge.')
    .prefault([]),
});

export type DcqcnInput = z.output<typeof dcqcnSchema>;
export type TimelyInput = z.output<typeof timelySchema>;
export type QcnInput = z.output<typeof qcnSchema>;
