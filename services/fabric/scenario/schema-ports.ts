/** Schema of `ports`: settings of ports that a place selects. */

import type { z } from 'zod';
import { linkRate } from '../../settings/quantities.js';
import { list, mapping, quantity } from '../../settings/parts.js';
import { pauseChangeSchema, portPrioritiesSchema } from './schema-flow-control.js';
import { placeKeys } from './schema-place.js';

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
    priorities: portPrioritiesSchema
      .describe('Flow control by priority at these ports: they have no PAUSE.')
      .exactOptional(),
  }),
  'settings of ports such as { where: { rate: 1G }, pause: true }',
);

export type PortRuleInput = z.output<typeof portsSchema>[number];
