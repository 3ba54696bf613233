import type { z } from 'zod';
import { choice, either, integer, mapping, quantity, word } from '../../settings/parts.js';
import { aboveZero, time } from '../../settings/quantities.js';
import { PS_PER_MS, PS_PER_US } from '../../engine/units/time.js';
import { connectionKeys, type ConnectionSettings } from '../transport-settings.js';

/** A bit of a packet may be anywhere in the window: more is no window, but a file. */
export const MOST_WINDOW = 1 << 16;

export const selectiveSettings = mapping({
  preset: choice(['irn'])
    .describe(
      'irn: IRN (SIGCOMM 2018): window: auto is one bandwidth-delay product, any gap is a loss ' +
        '(reorder: 0), timeout and maxTimeout 320us, and lowTimeout 100us with fewer than 3 ' +
        'packets outstanding. What is written beside it wins.',
    )
    .exactOptional(),
  ...connectionKeys,
  window: either(
    [word('auto'), integer(1, MOST_WINDOW)],
    'a window',
    `auto, or a number of packets up to ${MOST_WINDOW}`,
  )
    .describe(
      'Most packets from the oldest that is not acknowledged on. auto: two bandwidth-delay ' +
        'products of the path of the flow.',
    )
    .prefault('auto'),
  ackEvery: integer(1, 65536)
    .describe(
      'One acknowledgement for so many packets in order; the last of a message, and each that ' +
        'comes out of order, always has one.',
    )
    .prefault(1),
  timeout: quantity(aboveZero(time))
    .describe(
      'Time without progress after which what has not arrived is retransmitted. It doubles with ' +
        'each timeout in a row, until an acknowledgement makes progress. Default: 4ms.',
    )
    .exactOptional(),
  reorder: either([word('auto'), integer(0, MOST_WINDOW)], 'a distance', 'auto, or packets')
    .describe(
      'A packet is lost when one more than so many numbers above it has arrived before it; of a ' +
        'window or more, only timeouts find losses. auto: one bandwidth-delay product, or a ' +
        'window where a flow control rules the priority.',
    )
    .exactOptional(),
  lowTimeout: quantity(aboveZero(time))
    .describe('The timeout while fewer than fewPackets are outstanding. Default: timeout.')
    .exactOptional(),
  fewPackets: integer(1, MOST_WINDOW).describe('See lowTimeout. Default: 3.').exactOptional(),
});

export type SelectiveInput = z.output<typeof selectiveSettings>;

export interface SelectiveSettings extends ConnectionSettings {
  readonly reorder: 'auto' | number;
  /** Bandwidth-delay products of `window: auto`. */
  readonly windowProducts: number;
}

const USUAL = { windowProducts: 2, reorder: 'auto', timeout: 4 * PS_PER_MS } as const;
const IRN = {
  windowProducts: 1,
  reorder: 0,
  timeout: 320 * PS_PER_US,
  maxTimeout: 320 * PS_PER_US,
  lowTimeout: 100 * PS_PER_US,
} as const;
const FEW_PACKETS = 3;

/** What the preset sets, below what is written. */
export function completeSelective({ preset, ...written }: SelectiveInput): SelectiveSettings {
  const below = preset === undefined ? USUAL : { ...IRN, ...capped(written) };
  const settings = { ...below, ...written };
  const hasLow = settings.lowTimeout !== undefined;
  return hasLow ? { fewPackets: FEW_PACKETS, ...settings } : settings;
}

/** A longer timeout than that of the preset is not cut to what the preset grows to. */
function capped({ timeout, maxTimeout }: Omit<SelectiveInput, 'preset'>): object {
  return timeout === undefined || maxTimeout !== undefined ? {} : { maxTimeout: timeout };
}
