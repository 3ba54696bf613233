import type { z } from 'zod';
import { either, integer, mapping, quantity, word } from '../../settings/parts.js';
import { aboveZero, size } from '../../settings/quantities.js';

const trimming = mapping({
  size: quantity(size)
    .describe('Bytes that are left of a frame, from destination address to FCS; at least 88.')
    .prefault('128B'),
  priority: integer(0, 7)
    .describe('Priority of trimmed frames, which has a traffic class of its own.')
    .prefault(6),
  dscp: integer(0, 63)
    .describe('DSCP of trimmed frames. Default: 8 times their priority.')
    .exactOptional(),
  lastHopDscp: integer(0, 63)
    .describe(
      'DSCP of frames that the last switch trims, by which receivers tell them apart; equal to ' +
        'dscp, they do not. Default: dscp + 1.',
    )
    .exactOptional(),
  queue: quantity(aboveZero(size))
    .describe(
      'A frame that would make its egress queue longer is trimmed, though the buffer has room. ' +
        'Default: what the buffer does not admit.',
    )
    .exactOptional(),
  limit: quantity(aboveZero(size))
    .describe(
      'A trimmed frame that would make its own queue longer is dropped. Default: what the ' +
        'buffer does not admit.',
    )
    .exactOptional(),
});

/** The key of a priority. */
export const trimKey = either(
  [word('off'), trimming],
  'how frames are trimmed',
  'off, or { size: 128B, priority: 6 }; {} has the defaults',
).describe(
  'Packet trimming: of a packet that the buffer does not admit, the headers are forwarded at ' +
    'another priority, so its receiver can tell the sender.',
);

export type TrimKey = z.output<typeof trimKey>;
export type Trimming = Exclude<TrimKey, 'off'>;
