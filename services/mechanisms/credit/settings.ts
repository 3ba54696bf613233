/** Schema of `credit`: how the priorities that have `flowControl: credit` exchange it. */

import type { z } from 'zod';
import { CREDIT_CHANNEL, CREDIT_SYNC_TRIES, CREDIT_UNIT } from './managed.js';
import { FALLBACKS } from '../fabric-context.js';
import { aboveZero, rate, share, size, time } from '../../settings/quantities.js';
import {
  choice,
  either,
  flag,
  integer,
  list,
  mapping,
  positive,
  quantity,
  word,
} from '../../settings/parts.js';

const auto = (of: Parameters<typeof quantity>[0], what: string, example: string) =>
  either([word('auto'), quantity(aboveZero(of))], what, `auto, or ${example}`);

/** Settings of each end of a link, which devices may override. */
export const creditEndKeys = {
  unit: either(
    [word('mtu'), quantity(size)],
    'a credit unit',
    `${CREDIT_UNIT.least}B to ${CREDIT_UNIT.most}B such as 2548B, or mtu`,
  )
    .describe('Bytes of one credit that this device grants; mtu: of its longest frame.')
    .prefault(CREDIT_UNIT.least),
  maxUnit: either(
    [choice(['auto', 'mtu']), quantity(size)],
    'a credit unit',
    `auto, mtu, or ${CREDIT_UNIT.least}B to ${CREDIT_UNIT.most}B such as 2548B`,
  )
    .describe(
      'MAX_CR_BLK: the largest unit that this device supports, its own and that of its peer; ' +
        'mtu: the longest frame; auto: that, or its own unit; without discovery any.',
    )
    .prefault('auto'),
  buffer: auto(size, 'a buffer', 'a size such as 100KB')
    .describe(
      'Memory behind each port for each priority; auto: what full rate over the link takes.',
    )
    .prefault('auto'),
  grant: choice(['static', 'demand'])
    .describe(
      'static: every channel has its share of the buffer for itself; demand: what it asks for, ' +
        'out of what the others leave.',
    )
    .prefault('static'),
  unsolicited: flag()
    .describe(
      'Grant freed buffer without a request; false: grants are answers to requests, and no larger.',
    )
    .prefault(true),
  step: auto(size, 'a step', 'a size such as 16KB')
    .describe(
      'Freed buffer is granted from this amount on, or when the sender may run out of credit.',
    )
    .prefault('auto'),
  keep: auto(size, 'a size', 'a size such as 2KB')
    .describe('What an idle channel may always have; auto: the longest frame.')
    .prefault('auto'),
  shaper: either([word('off'), quantity(aboveZero(rate))], 'a rate', 'off, or one such as 40G')
    .describe(
      'Rate of the line that the receiver is shaped to: it grants no faster, all its priorities ' +
        'and channels together.',
    )
    .prefault('off'),
  grantFactor: quantity(aboveZero(share))
    .describe('Part of its buffer that a port grants.')
    .prefault('100%'),
  request: choice(['auto', 'never', 'blocked', 'ahead'])
    .describe(
      'When credit is requested: never, when a frame lacks it, or ahead of that; auto: ahead ' +
        'where the link partner has unsolicited: false, blocked elsewhere.',
    )
    .prefault('auto'),
  prediction: positive()
    .describe(
      'A request is for what waits and for what full rate takes until the answer to the next ' +
        'request, times this.',
    )
    .prefault(1),
  age: either([word('off'), quantity(aboveZero(time))], 'an age', 'off, or a time such as 1ms')
    .describe('Credit that is idle for so long is given back; needs grant: demand on the link.')
    .prefault('off'),
  counts: choice(['cumulative', 'incremental'])
    .describe(
      'cumulative: messages say totals, and a lost one is repaired; incremental: they say ' +
        'amounts, and what is lost stays lost. A link has totals where both ends support them.',
    )
    .prefault('cumulative'),
  maxChannels: either([word('all'), integer(1, 65535)], 'a number of channels', 'all, or 2')
    .describe(
      'Channels that the device supports. A link has as many as the end that supports fewer, ' +
        'and the first has the frames of those that are left.',
    )
    .prefault('all'),
  codec: choice(['ce', 'cbfc', 'both'])
    .describe(
      'Messages that the device supports: requests and grants of credit exchange (ce), or ' +
        'CF_Update and CC_Update by its settings of cbfc (cbfc). A link has those that both of ' +
        'its ends support, and of two cbfc.',
    )
    .prefault('ce'),
  cet: choice(['tlv', 'both', 'application'])
    .describe(
      'How discovery advertises credit exchange: by a TLV of its own (tlv), by Application ' +
        'Protocol entries of DCBX (application), or by both. Entries say priorities only, so a ' +
        'link of such a device has amounts, units of 64 bytes and one channel, and the device ' +
        'follows no peer. It sends them while it receives its peer.',
    )
    .prefault('tlv'),
};

export const creditKeys = {
  ...creditEndKeys,
  channels: list(
    mapping({
      channel: integer(CREDIT_CHANNEL.least, CREDIT_CHANNEL.most).describe('Channel number.'),
      vlans: list(integer(1, 4094), 'VLANs 1 to 4094')
        .describe('VLANs of the tenant: service VLANs, or customer VLANs without one.')
        .prefault([]),
      share: positive().describe('Its weight among the channels.').prefault(1),
    }),
    'channels',
  )
    .describe('Slices of each priority; the first takes every frame that no other claims.')
    .prefault([]),
  tags: flag().describe('A single word rides on the next data frame, as a CE-Tag.').prefault(false),
  tagWait: auto(time, 'a time', 'a time such as 200ns')
    .describe('How long it waits for one; auto: the longest frame.')
    .prefault('auto'),
  refresh: quantity(aboveZero(time))
    .describe('A changed limit is advertised again after this time.')
    .prefault('20us'),
  report: quantity(aboveZero(time))
    .describe('A changed count of used units is reported again after this time.')
    .prefault('20us'),
  poll: auto(time, 'a time', 'a time such as 10us')
    .describe(
      'Least time between two requests; auto: two round trips, at least 5us; where grants are ' +
        'answers only, an eighth of a round trip up to a whole one, by the rate.',
    )
    .prefault('auto'),
  sync: auto(time, 'a time', 'a time such as 50us')
    .describe('A resynchronisation is tried again after this time; auto: by round trip.')
    .prefault('auto'),
  syncTries: integer(1, 1000)
    .describe('Tries until an account is counted as failed; then it tries at every keepAlive.')
    .prefault(CREDIT_SYNC_TRIES),
  keepAlive: quantity(aboveZero(time))
    .describe('An idle account says so often what it counts.')
    .prefault('1ms'),
  fallback: choice(FALLBACKS)
    .describe(
      'What rules a priority on a link where only one end has credit; refuse: an error, or, ' +
        'where link partners negotiate, the priority is blocked.',
    )
    .prefault('refuse'),
};

export type CreditSettings = z.output<z.ZodObject<typeof creditKeys>>;
type CreditChannel = CreditSettings['channels'][number];

/** At least one. */
export function channelsOf({ channels }: Pick<CreditSettings, 'channels'>): CreditChannel[] {
  return channels.length > 0 ? channels : [{ channel: 0, vlans: [], share: 1 }];
}
