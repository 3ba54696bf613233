import type { z } from 'zod';
import { mapping, positive, quantity } from '../../settings/parts.js';
import { aboveZero, share, time } from '../../settings/quantities.js';

/**
 * Defaults of "Swift: delay is simple and effective for congestion control in the datacenter",
 * SIGCOMM 2020; for values missing there, the defaults of csg-htsim. Windows in packets, times in
 * ps.
 */
export const swiftSettings = mapping({
  target: quantity(aboveZero(time))
    .describe('Round trip to aim at, before hops and flows count.')
    .prefault('20us'),
  hop: quantity(time).describe('Added to it for each switch on the way.').prefault('3us'),
  flowRange: quantity(time)
    .describe('Added to it at most when windows are small, which says that there are many flows.')
    .prefault('100us'),
  flowLeast: positive()
    .describe('From this window down, in packets, all of the range is added.')
    .prefault(0.1),
  flowMost: positive().describe('From this window up, in packets, nothing of it is.').prefault(100),
  endpointTarget: quantity(aboveZero(time))
    .describe('Time in the receiving station to aim at.')
    .prefault('100us'),
  increase: positive().describe('Packets by which a window grows in a round trip.').prefault(1),
  decrease: quantity(aboveZero(share))
    .describe('How much the share of a delay above its target counts in a cut.')
    .prefault('80%'),
  maxDecrease: quantity(aboveZero(share))
    .describe('Share of a window that one cut takes at most.')
    .prefault('50%'),
  initial: positive().describe('Window to begin with, in packets.').prefault(10),
  least: positive().describe('Smallest window, in packets: below 1 they are paced.').prefault(0.01),
  most: positive().describe('Largest window, in packets.').prefault(1000),
});

export type SwiftSettings = z.output<typeof swiftSettings>;
