/** Schema of `ports`: settings of ports that a place selects. */

import type { z } from 'zod';
import { CODINGS } from '../../engine/wire/code-points.js';
import { linkRate } from '../../settings/quantities.js';
import {
  choice,
  either,
  flag,
  integer,
  keyed,
  list,
  mapping,
  quantity,
} from '../../settings/parts.js';
import { pauseChangeSchema, portPrioritiesSchema } from './schema-flow-control.js';
import { placeKeys } from './schema-place.js';

/** Of IPv4 (RFC 791), and of jumbo frames as switches have them. */
const MTU_LEAST = 68;
const MTU_MOST = 9216;

const TAGS = ['none', 'priority'] as const;

const ONE_PRIORITY = { pattern: /^[0-7]$/, allowed: '0 to 7' };

/** Of SONiC, whose tables have the same maps by other names. */
const eight = (what: string, of: string): ReturnType<typeof eightOf> => eightOf(what).describe(of);
const eightOf = (what: string) =>
  list(integer(0, 7), what)
    .length(8, `not eight ${what}; write one for each, such as [0, 0, 0, 3, 4, 0, 0, 7]`)
    .exactOptional();

const maps = mapping({
  dscp: keyed(
    { pattern: /^(?:other|\d|[1-5]\d|6[0-3])$/, allowed: '0 to 63, or other' },
    integer(0, 7),
  )
    .describe('Class (priority) of packets that come in, by DSCP; what is left out: other, or 0.')
    .exactOptional(),
  groups: eight('groups', 'Priority group of each class. Default: classes.receive.'),
  queues: eight('queues', 'Egress queue of each class. Default: classes.transmit.'),
  pfcGroups: eight(
    'groups',
    'By priority of PFC: the group that sends it. Default: that of the class of this number.',
  ),
  pfcQueues: eight(
    'queues',
    'By priority of PFC: the queue that it pauses. Default: frames of the class of this number.',
  ),
});

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
    tag: either([choice(TAGS), integer(1, 4094)], 'a tag', 'none, priority, or a VLAN 1 to 4094')
      .describe(
        'Tag of frames that hosts send by these ports, where their load has no vlan; priority: ' +
          'VID 0, so only a priority (802.1Q 6.9.1). Default: none, or as a NIC with ' +
          'DCB does: priority.',
      )
      .exactOptional(),
    pcp: choice(CODINGS)
      .describe(
        'How tags carry priorities and drop_eligible, both ways (802.1Q tables 6-2, 6-3): so ' +
          'many priorities, of which so many may be drop eligible. Default: 8P0D.',
      )
      .exactOptional(),
    useDei: flag()
      .describe('Whether the DEI of tags means drop_eligible (802.1Q 6.9.3). Default: true.')
      .exactOptional(),
    defaultPriority: integer(0, 7)
      .describe(
        'At a switch: priority of frames that come in without a tag (802.1Q 6.9.1). Default: ' +
          'that which they have, as a DSCP carries it.',
      )
      .exactOptional(),
    regeneration: keyed(ONE_PRIORITY, integer(0, 7).describe('The priority that it gets.'))
      .describe('At a switch: other priorities for those that come in (802.1Q 6.9.4).')
      .exactOptional(),
    maps: maps
      .describe('At a switch: from DSCP to class, group and queue, and from PFC to these.')
      .exactOptional(),
    priorities: portPrioritiesSchema
      .describe('Flow control by priority at these ports: they have no PAUSE.')
      .exactOptional(),
  }),
  'settings of ports such as { where: { rate: 1G }, pause: true }',
);

export type PortRuleInput = z.output<typeof portsSchema>[number];
