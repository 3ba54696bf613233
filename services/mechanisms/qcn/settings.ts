import type { z } from 'zod';
import { QCN_HEADER_OCTETS, QCN_WEIGHT_EXPONENT } from './managed.js';
import {
  choice,
  either,
  integer,
  keyed,
  list,
  mapping,
  quantity,
  text,
  word,
} from '../../settings/parts.js';
import { aboveZero, rate, share, size, time } from '../../settings/quantities.js';

const MODES = ['disabled', 'edge', 'interior', 'interior-ready'] as const;
const PORT = /^[A-Za-z_*?][A-Za-z0-9_*?:-]*$/;

const scaled = (of: Parameters<typeof quantity>[0], what: string, example: string) =>
  either([word('auto'), quantity(aboveZero(of))], what, `auto, or ${example}`);

/**
 * Defaults of 802.1Q clause 32 (IEEE8021-CN-MIB). They suit 10 Gb/s; `auto` scales with the link.
 * Times in ps, rates in bit/s, sizes in octets.
 */
export const qcnSettings = mapping({
  priorities: list(integer(0, 7), 'priorities 0 to 7')
    .describe('Congestion notification priority values (CNPV): their queues have points.')
    .prefault([]),
  alternatePriority: integer(0, 7)
    .describe('What a frame of those priorities becomes that comes from outside (edge).')
    .prefault(0),
  cnmPriority: integer(0, 7).describe('Priority of messages (CNM).').prefault(6),
  quote: integer(0, QCN_HEADER_OCTETS.most)
    .describe('Bytes of the sampled frame in a message, from its EtherType on (cpMinHeaderOctets).')
    .prefault(0),
  setPoint: scaled(size, 'a set point', 'a size such as 26KB')
    .describe('Queue length to settle at (cpQSp); auto: 26 kB at 10 Gb/s, scaled with the rate.')
    .prefault('auto'),
  weight: integer(QCN_WEIGHT_EXPONENT.least, QCN_WEIGHT_EXPONENT.most)
    .describe('Power of two by which the growth of the queue counts (cpWeight).')
    .prefault(1),
  sampleBase: scaled(size, 'a size', 'a size such as 150KB')
    .describe('Bytes from sample to sample without congestion; auto: 150 kB at 10 Gb/s, scaled.')
    .prefault('auto'),
  timeReset: quantity(aboveZero(time))
    .describe('Period of the timer (rpgTimeReset).')
    .prefault('15ms'),
  byteReset: scaled(size, 'a size', 'a size such as 150KB')
    .describe('Period of the byte counter (rpgByteReset); auto: 150 kB at 10 Gb/s, scaled.')
    .prefault('auto'),
  threshold: integer(1, 1000).describe('Cycles of fast recovery (rpgThreshold).').prefault(5),
  activeRate: scaled(rate, 'a rate', 'a rate such as 5M')
    .describe('What active increase adds (rpgAiRate); auto: 5 Mb/s at 10 Gb/s, scaled.')
    .prefault('auto'),
  hyperRate: scaled(rate, 'a rate', 'a rate such as 50M')
    .describe('What hyper-active increase adds (rpgHaiRate); auto: 50 Mb/s at 10 Gb/s, scaled.')
    .prefault('auto'),
  gain: quantity(aboveZero(share))
    .describe('Share of the rate that a unit of feedback costs (rpgGd).')
    .prefault(1 / 128),
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

export type QcnSettings = z.output<typeof qcnSettings>;
