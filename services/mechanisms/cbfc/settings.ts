import type { z } from 'zod';
import {
  among,
  choice,
  either,
  integer,
  list,
  mapping,
  quantity,
  word,
} from '../../settings/parts.js';
import { FALLBACKS } from '../fabric-context.js';
import { aboveZero, size, time } from '../../settings/quantities.js';
import { PRIORITIES } from '../../engine/units/ethernet.js';

const KIB = 1024;
const US_PS = 1_000_000;

/** Sizes of a credit, in octets. */
export const CREDIT_SIZES = [32, 64, 128, 256, 512, 1024, 2048] as const;
export const CREDIT_SIZE = 128;
const CF_MIN_SPACING = { least: 800, default: 6400 };
export const CF_MAX_SPACING = { least: 16 * KIB, most: 1024 * KIB, default: 256 * KIB };
export const CC_INTERVAL_PS = { least: US_PS, most: 250_000 * US_PS };
const CHANNEL_MOST = 31;

const autoSize = (what: string) =>
  either([word('auto'), quantity(aboveZero(size))], what, 'auto, or a size such as 512KB');

const creditSize = among('a power of two', CREDIT_SIZES);

export const cbfcKeys = {
  creditSize: either(
    [word('auto'), creditSize],
    'a credit size',
    'auto, or a power of two from 32 to 2048',
  )
    .describe(
      'Bytes of buffer behind a credit of this receiver; auto: 128, or what the round trip of ' +
        'the link needs for its count to hold it.',
    )
    .prefault('auto'),
  senderSizes: list(creditSize, 'credit sizes')
    .describe('Sizes that this sender supports: it takes the largest not above the receiver’s.')
    .prefault([...CREDIT_SIZES]),
  overhead: integer(-16, 127)
    .describe('Bytes that a frame takes in this receiver beyond its own; -4: without the FCS.')
    .prefault(0),
  buffer: autoSize('a buffer')
    .describe(
      'Memory behind each lossless channel of a port, or (limit: port) behind all of them; auto: ' +
        'what line rate takes over the round trip of the link.',
    )
    .prefault('auto'),
  limit: choice(['channel', 'port'])
    .describe(
      'What this receiver gives its link partner: credits of each channel, or of the port, ' +
        'which the sender divides by its profile.',
    )
    .prefault('channel'),
  channels: list(integer(0, CHANNEL_MOST), 'eight channel numbers')
    .length(PRIORITIES, {
      error: ({ input }) =>
        `${(input as unknown[]).length} channels; one for each of the ${PRIORITIES} priorities`,
    })
    .describe('Virtual channel of each priority; the same at both ends of a link.')
    .prefault([0, 1, 2, 3, 4, 5, 6, 7]),
  reserved: autoSize('an amount')
    .describe('Profile of a channel where the port is given credits: what is its own.')
    .prefault('auto'),
  sharing: choice(['none', 'static', 'dynamic'])
    .describe('Profile: whether a channel uses shared credits too, and what limits it there.')
    .prefault('dynamic'),
  sharedStatic: quantity(size)
    .describe('Profile, sharing: static: the most that it may have of them; 0: no limit.')
    .prefault(0),
  sharedDynamic: integer(-7, 7)
    .describe('Profile, sharing: dynamic: n, for 2^n of the shared credits that are free.')
    .prefault(1),
  pools: list(
    mapping({
      channels: list(integer(0, CHANNEL_MOST), 'channel numbers').describe(
        'Lossless channels that share it.',
      ),
      size: quantity(aboveZero(size)).describe('What they have of the port’s credits.'),
    }),
    'pools',
  )
    .describe('Parts of a port’s credits for groups of channels; none: one for all.')
    .prefault([]),
  cfMinSpacing: integer(CF_MIN_SPACING.least, CF_MAX_SPACING.most)
    .describe('Byte times from one CF_Update of a port to the next, at least.')
    .prefault(CF_MIN_SPACING.default),
  cfMaxSpacing: integer(CF_MAX_SPACING.least, CF_MAX_SPACING.most)
    .multipleOf(CF_MAX_SPACING.least, {
      error: ({ input }) => `${String(input)} byte times; a multiple of ${CF_MAX_SPACING.least}`,
    })
    .describe('The same at most, of each channel: 16 KiB to 1 MiB in steps of 16 KiB.')
    .prefault(CF_MAX_SPACING.default),
  ccInterval: quantity(aboveZero(time))
    .describe('From one CC_Update to the next: 1us to 250ms.')
    .prefault('256us'),
  fallback: choice(FALLBACKS)
    .describe('What rules a priority on a link where only one end has cbfc; refuse: an error.')
    .prefault('refuse'),
};

/** A link comes to it by the scenario, not by one of its ends. */
const { fallback: _, ...ofDevices } = cbfcKeys;
export const cbfcDeviceKeys = ofDevices;

export type CbfcSettings = z.output<z.ZodObject<typeof cbfcKeys>>;
