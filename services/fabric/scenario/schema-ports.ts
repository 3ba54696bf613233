/** Schema of `ports`: settings of ports that a place selects. */

import type { z } from 'zod';
import { linkRate } from '../../settings/quantities.js';
import { integer, list, mapping, quantity } from '../../settings/parts.js';
import { pauseChangeSchema, portPrioritiesSchema } from './schema-flow-control.js';
import { placeKeys } from './schema-place.js';

/** Of IPv4 (RFC 791), and of jumbo frames as switches have them. */
const MTU_LEAST = 68;
const MTU_MOST = 9216;

const where = mapping({
  ...placeKeys,
  rate: quantity(linkRate).describe('Ports whose link has this rate.').exactOptional(),
});

export const portsSchema = list(
  mapping({
    where: where
      .describe('Ports that meet all conditions given here; without one: every port.')
      .prefault({}),
    pause: pauseChangeSchema
      .describe('802.3x PAUSE at these ports: they have no flow control by priority.')
      .exactOptional(),
    mtu: integer(MTU_LEAST, MTU_MOST)
      .describe(
        'Longest payload of a frame, which has 18 bytes more, and its tags: loads with longer ' +
          'ones are refused, and buffers and LLDP go by it. Default: what loads send.',
      )
      .exactOptional(),
    priorities: portPrioritiesSchema
      .describe('Flow control by priority at these ports: they have no PAUSE.')
      .exactOptional(),
  }),
  'settings of ports such as { where: { rate: 1G }, pause: true }',
);

export type PortRuleInput = z.output<typeof portsSchema>[number];
