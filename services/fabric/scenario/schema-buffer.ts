/** Schema of the buffer of a switch: one pool for all, or pools and profiles as configured. */

import type { z } from 'zod';
import { EXCHANGE } from '../../mechanisms/registry.js';
import {
  choice,
  either,
  flag,
  integer,
  keyed,
  list,
  mapping,
  name,
  NAME,
  positive,
  quantity,
  text,
  word,
} from '../../settings/parts.js';
import { aboveZero, length, linkRate, share, size, time } from '../../settings/quantities.js';
import { ASIC_NAMES, HEADROOM_CHIP_NAMES } from '../buffers/asics.js';
import type { PgProfiles } from '../buffers/pg-profiles.js';

const CELLS_MOST = 65_536;
const MEMORY_CELLS_MOST = 1_000_000_000;

const ownAsic = mapping({
  cell: integer(1, CELLS_MOST).describe('Bytes of a cell of packet memory.').prefault(1),
  frame: integer(0, CELLS_MOST)
    .describe('Bytes that the chip stores with each frame, before it is rounded up to cells.')
    .prefault(0),
  slices: integer(1, 64)
    .describe('Parts of the packet memory: a port sees one, which has its share of every pool.')
    .prefault(1),
  poolSize: choice(['net', 'gross'])
    .describe(
      'net: the size of an ingress pool is what may be shared; gross: it includes headroom and ' +
        'reserves.',
    )
    .prefault('net'),
  portReserve: integer(0, CELLS_MOST)
    .describe('Cells that a gross pool reserves for each port with a link.')
    .prefault(0),
  rounding: choice(['down', 'up']).describe('How sizes become whole cells.').prefault('down'),
  headroomTimes: integer(1, 8)
    .describe('With shared headroom a group may take so many times its headroom.')
    .prefault(1),
  headroomLost: integer(0, CELLS_MOST)
    .describe('Without shared headroom: cells of the headroom of a group that no frame can use.')
    .prefault(0),
  xonFrom: choice(['present', 'steady'])
    .describe(
      'The threshold that xonOffset counts from. present: as it is now; steady: that at which ' +
        'the group would come to rest.',
    )
    .prefault('present'),
  memory: integer(1, MEMORY_CELLS_MOST)
    .describe('Cells of the packet memory, which pools may not exceed. Default: not known.')
    .exactOptional(),
});

const pool = mapping({
  type: choice(['ingress', 'egress', 'both'])
    .describe(
      'Whether groups are charged to it, or queues; both: groups, and queues have thresholds on ' +
        'what is free of it.',
    )
    .prefault('ingress'),
  size: quantity(size).describe('Size of the pool in the whole switch.'),
  headroom: quantity(size)
    .describe('Shared headroom beside it; 0: each group has headroom of its own.')
    .prefault(0),
});

const scripted = mapping({
  chip: choice(HEADROOM_CHIP_NAMES).describe('The chip whose script it is.'),
  mtu: integer(64, 65_535).describe('Of the port.').prefault(9100),
  losslessMtu: integer(64, 65_535).describe('Of lossless packets.').prefault(1024),
  smallPackets: integer(0, 100).describe('Percentage of packets of 64 bytes.').prefault(50),
  gearbox: quantity(time).describe('Delay of a gearbox in the port.').prefault('0ns'),
  lanes: integer(1, 8).describe('Lanes of the port; eight have two pipelines.').prefault(4),
});

const tabled = mapping({
  table: text('a file name', /./, 'a file name').describe(
    'pg_profile_lookup.ini: its line of the speed and cable of the port has headroom, reserved, ' +
      'xon, xonOffset and the threshold.',
  ),
});

const profile = mapping({
  pool: name().describe('The pool that it is charged to.'),
  reserved: quantity(size).describe('Kept for each group or queue; not of the pool.').prefault(0),
  alpha: positive()
    .describe('Dynamic threshold, as a multiple of what is free of the pool.')
    .exactOptional(),
  limit: quantity(size)
    .describe('Static threshold on what is taken of the pool. Default: none.')
    .exactOptional(),
  headroom: either(
    [word('auto'), quantity(size), scripted, tabled],
    'a headroom',
    'auto, a size such as 50KB, the script of a chip such as { chip: spc3 }, or a table such as ' +
      '{ table: pg_profile_lookup.ini }',
  )
    .describe(
      'Of a lossless group: for what arrives beyond the threshold. auto: what the link needs, ' +
        'with the response time of 802.3 31B.3.7, MAC and PHY, and frames that waste most of ' +
        'their cells. With a chip: as the script of its vendor computes it by rate and cable, ' +
        'with reserved and xon. With a table: as the line of rate and cable has it.',
    )
    .prefault(0),
  xon: quantity(size)
    .describe('The sender may go on at or below this, whatever the threshold is.')
    .prefault(0),
  xonOffset: quantity(size)
    .describe('The sender may go on when the group is so far below its threshold.')
    .prefault(0),
});

const COLOURS = ['green', 'yellow'] as const;

const curve = (colour: string): ReturnType<typeof curveKeys> => curveKeys(colour);
const curveKeys = (colour: string) =>
  mapping({
    min: quantity(size).describe('Below this queue length frames pass.'),
    max: quantity(aboveZero(size))
      .describe('From this queue length on all are marked or dropped. Default: the whole buffer.')
      .exactOptional(),
    probability: quantity(share).describe('Share just below max.').prefault('100%'),
    drop: flag()
      .describe('Drops what it does not mark: false lets frames pass that cannot be marked.')
      .prefault(true),
  })
    .describe(`Frames that are ${colour}.`)
    .exactOptional();

const wred = mapping({
  green: curve('not drop eligible'),
  yellow: curve('drop eligible'),
  mark: list(choice(COLOURS), 'colours such as [green]')
    .describe('Colours whose frames are marked where they are ECN capable, and not dropped.')
    .prefault([]),
  weight: integer(0, 15)
    .describe('The present length counts 2^-weight in the average; 0: it is the average.')
    .prefault(0),
});

const where = {
  ports: list(integer(1, 65_535), 'port numbers such as [1, 2]')
    .describe('Ports of the switch, counted from 1. Default: all.')
    .exactOptional(),
  rate: quantity(linkRate).describe('Ports whose link has this rate.').exactOptional(),
  cable: quantity(length).describe('Ports whose link has this length.').exactOptional(),
};

const numbers = list(integer(0, 7), 'numbers from 0 to 7');

const assignment = mapping({
  ...where,
  groups: numbers.describe('Priority groups that have the profile.').prefault([]),
  queues: numbers.describe('Egress queues that have the profile.').prefault([]),
  profile: name().describe('Name of the profile.').exactOptional(),
  wred: name().describe('Of queues: name of their WRED.').exactOptional(),
});

const portLimit = mapping({
  ...where,
  pool: name().describe('An ingress pool.'),
  alpha: positive().describe('Threshold of all groups of the port, as a multiple of what is free.'),
});

const named = { pattern: NAME, allowed: 'a name' };

export const bufferKeys = {
  size: either([word('auto'), quantity(aboveZero(size))], 'a size', 'auto, or a size such as 16MB')
    .describe(
      'Packet memory of the switch; auto: 32MB, or 32MB beyond what headroom, reserves and ' +
        `${EXCHANGE} of its ports take where that is more. With pools: what they need, or what ` +
        'none may exceed.',
    )
    .prefault('auto'),
  cell: integer(1, CELLS_MOST)
    .describe('Memory is handed out in cells of so many bytes; 1 counts every byte.')
    .prefault(1),
  egressReserved: quantity(size)
    .describe('Memory kept for each port and traffic class at the egress.')
    .prefault(0),
  egressAlpha: positive()
    .describe('Dynamic threshold of a lossy egress queue, as a multiple of the free shared pool.')
    .prefault(1),
  asic: either(
    [choice(ASIC_NAMES), ownAsic],
    'an ASIC',
    `one of ${ASIC_NAMES.join(', ')}, or a mapping such as { cell: 254, slices: 2 }`,
  )
    .describe('With pools: how the chip accounts for its memory, by its name or in its numbers.')
    .prefault({}),
  pools: keyed(named, pool.describe('One pool.'))
    .describe('Pools of fixed size, as the switch is configured; absent: one pool for all.')
    .prefault({}),
  profiles: keyed(named, profile.describe('One profile.'))
    .describe('What a group or a queue may take of a pool.')
    .prefault({}),
  wred: keyed(named, wred.describe('One of them.'))
    .describe('WRED of queues (weighted random early detection): by octets, colour and share.')
    .prefault({}),
  assign: list(assignment, 'entries such as { groups: [3], profile: lossless }')
    .describe(
      'Profiles of groups and queues; later entries win. What has none is charged to no pool.',
    )
    .prefault([]),
  portLimits: list(portLimit, 'entries such as { pool: lossless, alpha: 8 }')
    .describe('A second threshold, of a port as a whole; later entries win.')
    .prefault([]),
};

export type AsicInput = z.output<typeof bufferKeys.asic>;
export type PoolInput = z.output<typeof pool>;
export type ProfileInput = z.output<typeof profile>;
type Headroom = ProfileInput['headroom'];
/** A profile with the table that it names. */
export interface ProfileSection extends Omit<ProfileInput, 'headroom'> {
  readonly headroom: Exclude<Headroom, { table: string }> | { readonly table: PgProfiles };
}
export type WredInput = z.output<typeof wred>;
export type AssignmentInput = z.output<typeof assignment>;
export type PortLimitInput = z.output<typeof portLimit>;
