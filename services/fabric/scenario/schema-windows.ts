/** Schema of `hpcc` and `swift`: rate controls of the reliable transport that set its window. */

import type { z } from 'zod';
import { HPCC_DEFAULTS, HPCC_STAGES } from '../../engine/congestion/hpcc/hpcc-managed.js';
import { SWIFT_DEFAULTS } from '../../engine/congestion/swift/swift-managed.js';
import { aboveZero, rate, share, size, time } from './quantities.js';
import { integer, mapping, positive, quantity } from './schema-parts.js';

export const hpccSchema = mapping({
  utilisation: quantity(aboveZero(share))
    .describe('Share of a link that is aimed at (eta).')
    .prefault('95%'),
  stages: integer(HPCC_STAGES.least, HPCC_STAGES.most)
    .describe('Round trips of additive increase before a multiplicative one (maxStage).')
    .prefault(HPCC_DEFAULTS.stages),
  increase: quantity(aboveZero(size))
    .describe('What additive increase adds to the window (W_AI).')
    .prefault('80B'),
  roundTrip: quantity(aboveZero(time))
    .describe('Round trip without queues (T): a window is what it holds.')
    .prefault('13us'),
  minRate: quantity(aboveZero(rate)).describe('No cut goes below this rate.').prefault('100M'),
});

export const swiftSchema = mapping({
  target: quantity(aboveZero(time))
    .describe('Round trip to aim at, before hops and flows count.')
    .prefault('20us'),
  hop: quantity(time).describe('Added to it for each switch on the way.').prefault('3us'),
  flowRange: quantity(time)
    .describe('Added to it at most when windows are small, which says that there are many flows.')
    .prefault('100us'),
  flowLeast: positive()
    .describe('From this window down, in packets, all of the range is added.')
    .prefault(SWIFT_DEFAULTS.flowLeast),
  flowMost: positive()
    .describe('From this window up, in packets, nothing of it is.')
    .prefault(SWIFT_DEFAULTS.flowMost),
  endpointTarget: quantity(aboveZero(time))
    .describe('Time in the receiving station to aim at.')
    .prefault('100us'),
  increase: positive()
    .describe('Packets by which a window grows in a round trip.')
    .prefault(SWIFT_DEFAULTS.increase),
  decrease: quantity(aboveZero(share))
    .describe('How much the share of a delay above its target counts in a cut.')
    .prefault('80%'),
  maxDecrease: quantity(aboveZero(share))
    .describe('Share of a window that one cut takes at most.')
    .prefault('50%'),
  initial: positive()
    .describe('Window to begin with, in packets.')
    .prefault(SWIFT_DEFAULTS.initial),
  least: positive()
    .describe('Smallest window, in packets: below 1 they are paced.')
    .prefault(SWIFT_DEFAULTS.least),
  most: positive().describe('Largest window, in packets.').prefault(SWIFT_DEFAULTS.most),
});

export type HpccInput = z.output<typeof hpccSchema>;
export type SwiftInput = z.output<typeof swiftSchema>;
