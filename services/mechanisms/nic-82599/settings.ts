/** Schema of `nic`: the plain one, or an 82599. */

import { z } from 'zod';
import { RECEIVE_SPLITS } from '../../engine/nic-82599/packet-buffers.js';
import { listed } from '../../settings/errors.js';
import { aboveZero, rate, share, size, time } from '../../settings/quantities.js';
import {
  choice,
  either,
  flag,
  integer,
  keyed,
  list,
  mapping,
  positive,
  quantity,
  text,
} from '../../settings/parts.js';
import { PCIE_DEFAULTS } from './pcie-defaults.js';

const perLink = (value: string | number): string =>
  `Default: ${value} up to a link of ${PCIE_DEFAULTS.link}, in proportion beyond.`;

const CLASS_KEY = { pattern: /^[0-7]$/, allowed: 'a traffic class 0 to 7' };
const GROUP_KEY = {
  pattern: /^[0-7]$/,
  allowed: 'a bandwidth group 0 to 7; there are eight at most (Table 7-53)',
};
const POOL_KEY = { pattern: /^([0-9]|[1-5][0-9]|6[0-3])$/, allowed: 'a pool 0 to 63' };

const percent = (): ReturnType<typeof quantity> => quantity(share);
const kilobytes = (most: number): z.ZodNumber => integer(0, most);
const vlanId = (): z.ZodNumber => integer(1, 4094);
const etherType = (): z.ZodNumber => integer(0x600, 0xffff);

const bandwidth = mapping({
  groups: keyed(GROUP_KEY, percent()).describe(
    'Share of the link of each bandwidth group; together 100 %.',
  ),
  classes: keyed(
    CLASS_KEY,
    mapping({
      group: integer(0, 7).describe('Its bandwidth group (BWG).'),
      share: percent().describe('Its share of the group.').prefault('0%'),
      strict: choice(['no', 'group', 'link'])
        .describe('group: before others while its group has credit (GSP); link: always (LSP).')
        .prefault('no'),
    }),
  ).describe('Group and share of each traffic class.'),
});

const HEXADECIMAL = 'a whole number up to 4294967295, or hexadecimal such as "0x2A"';
const VALUES = [
  z.int().min(0).max(0xffffffff),
  text('a number', /^0x[0-9A-Fa-f]{1,8}$/, HEXADECIMAL),
] as const;

const registers = z.record(
  z.string(),
  either(
    [...VALUES, z.record(z.string(), either(VALUES, 'the value of a field', HEXADECIMAL))],
    'the value of a register',
    `${HEXADECIMAL}, or its fields: { CRQ: 40 }`,
  ),
);

const REGISTERS =
  'Registers, or fields of them, by their names in the data sheet: RTTPT2C[3].CRQ: 40, or ' +
  'RTTPT2C[3]: { CRQ: 40 }.';

export const nicSchema = mapping({
  model: either([z.literal(82599), choice(['82599', 'plain'])], 'a NIC', 'plain or 82599')
    .describe(
      'plain: nothing but a frame per class; 82599: the whole part. Of a device whose nic has no ' +
        'model: what `hosts` says, with these changes.',
    )
    .exactOptional(),
  dcb: flag().describe('Traffic classes, or one packet buffer for all.').prefault(true),
  tcs: either([z.literal(4), z.literal(8)], 'a number of classes', '4 or 8')
    .describe('Traffic classes: with 8 there are 16 virtual machines, with 4 there are 32.')
    .prefault(8),
  pcie: mapping({
    rate: quantity(aboveZero(rate))
      .describe(`Payload it carries, each way. ${perLink(PCIE_DEFAULTS.rate)}`)
      .exactOptional(),
    latency: quantity(time)
      .describe(
        'From a read request to its first data; from a write to host memory. ' +
          `Default: ${PCIE_DEFAULTS.latency}.`,
      )
      .exactOptional(),
    reads: integer(1, 4096)
      .describe(`Data read requests under way at most. ${perLink(PCIE_DEFAULTS.reads)}`)
      .exactOptional(),
  })
    .describe('The link to host memory.')
    .prefault({}),
  secondPortOf: text('a host', /./, 'a host such as h1')
    .describe(
      'The host whose 82599 this port is the second one of: each has its registers, queues and ' +
        'buffers, and both share the PCIe link of that host.',
    )
    .exactOptional(),
  largestFrame: quantity(aboveZero(size))
    .describe('Largest frame that buffers must have room for. Default: the longest of the load.')
    .exactOptional(),
  bandwidth: bandwidth
    .describe(
      'Percentages, turned into refills and limits of all three arbiters by the rule of the ' +
        'drivers. Default: equal shares.',
    )
    .exactOptional(),
  vms: list(positive(), 'weights')
    .describe('Weights of the virtual machines, from 0 on. Default: 1.')
    .prefault([]),
  rates: list(
    mapping({
      vm: integer(0, 63).describe('The virtual machine.').prefault(0),
      tc: integer(0, 7).describe('The traffic class.').prefault(0),
      rate: quantity(aboveZero(rate)).describe('Most that its queue sends, of frame bytes.'),
    }),
    'rates such as { vm: 0, tc: 3, rate: 1G }',
  )
    .describe('Rate limits of descriptor queues (RTTBCNRC).')
    .prefault([]),
  memoryWindow: kilobytes(2047)
    .describe('KB of payload that a delayed queue may catch up (RTTBCNRM.MMW_SIZE).')
    .prefault(4),
  drift: mapping({
    every: quantity(aboveZero(time)).describe('Interval, in whole microseconds to 32767us.'),
    by: quantity(aboveZero(share)).describe('By how much rates rise each time.').prefault('3%'),
  })
    .describe('Rates rise again by themselves (RTTBCNRD).')
    .exactOptional(),
  receive: either(
    [choice(Object.keys(RECEIVE_SPLITS)), list(kilobytes(512), 'sizes in KB by class').max(8)],
    'a division of the receive memory',
    `${listed(Object.keys(RECEIVE_SPLITS))}, or sizes in KB by class`,
  )
    .describe('Receive buffers: 512 KB in all. Default: equal parts.')
    .exactOptional(),
  receiveRings: mapping({
    descriptors: integer(8, 65_528)
      .describe('Descriptors of each receive queue, in eights (RDLEN).')
      .prefault(512),
    software: quantity(time)
      .describe('Time that software needs for each frame of a queue.')
      .prefault('0ns'),
    drop: flag()
      .describe('Drop what there is no descriptor for, or keep it in its buffer (SRRCTL.DROP_EN).')
      .prefault(false),
    headerSplit: flag().describe('Headers have buffers of their own (SRRCTL).').prefault(false),
  })
    .describe('Receive descriptors. Default: software takes everything at once.')
    .exactOptional(),
  watermarks: either(
    [
      choice(['driver', 'auto']),
      keyed(
        CLASS_KEY,
        mapping({
          high: kilobytes(512).describe('The sender is paused from so many KB on.'),
          low: kilobytes(512).describe('It resumes it at so many KB.'),
        }),
      ),
    ],
    'watermarks',
    'driver, auto, or marks of classes such as { 3: { high: 46, low: 12 } }',
  )
    .describe(
      'Watermarks of receive buffers in KB. driver: by the rule of the drivers, for 100 m at ' +
        '10 Gb/s, as for classes that are not named; auto: from the length and rate of the link.',
    )
    .prefault('driver'),
  vlan: mapping({
    double: flag().describe('Double VLAN mode.').prefault(false),
    outerType: etherType().describe('EtherType of outer tags (EXVET).').prefault(0x88a8),
    innerType: etherType().describe('EtherType of inner tags (VLNCTRL.VET).').prefault(0x8100),
    insertedType: etherType()
      .describe('EtherType of tags that the part inserts (DMATXCTL.VT).')
      .prefault(0x8100),
    untagged: choice(['carried', 'table', 'seven'])
      .describe(
        'User priority of an untagged frame. carried: the one its load gives it; table: 0 ' +
          '(Table 7-49); seven: 7 under DCB (7.7.1).',
      )
      .prefault('carried'),
  })
    .describe('VLAN modes.')
    .prefault({}),
  vmSwitch: flag()
    .describe(
      'Frames to another virtual machine of the host stay in the NIC (PFDTXGSWC): they go to the ' +
        'receive buffer of the class that they have on transmit (7.7.3.1).',
    )
    .prefault(false),
  pools: keyed(
    POOL_KEY,
    mapping({
      vlans: list(vlanId(), 'VLANs 1 to 4094')
        .describe('VLANs whose frames the pool takes. Default: all.')
        .prefault([]),
      antiSpoof: flag()
        .describe('It sends with its address, into its VLANs only (PFVFSPOOF).')
        .prefault(false),
      strip: flag().describe('The inner tag is taken off (RXDCTL.VME).').prefault(false),
      software: quantity(time)
        .describe('Time that its software needs for a received frame. Default: receiveRings.')
        .exactOptional(),
      drop: flag()
        .describe('Its queues drop what there is no descriptor for. Default: receiveRings.')
        .exactOptional(),
      insert: either(
        [
          vlanId(),
          mapping({
            vlan: vlanId().describe('Its VLAN.'),
            priority: integer(0, 7).describe('Its priority.').prefault(0),
            dei: flag().describe('It is drop-eligible (CFI).').prefault(false),
          }),
        ],
        'a tag',
        'a VLAN 1 to 4094, or { vlan: 7, priority: 3 }',
      )
        .describe(
          'Tag put on everything it sends (PFVMVIR): a VLAN, with priority 0, or a whole tag. ' +
            'Its priority takes the place of the one of the load, in the choice of a queue too.',
        )
        .exactOptional(),
    }),
  )
    .describe('VLANs, filters and software of virtual machines, by pool.')
    .prefault({}),
  trace: text('a file name', /./, 'a file name')
    .describe(
      'CSV file with what a driver writes, by address: columns time, address, value. Writes at ' +
        'time 0 come before the part runs. regs and writes go on top of it.',
    )
    .exactOptional(),
  regs: registers.describe(REGISTERS).prefault({}),
  writes: list(
    mapping({
      at: quantity(time).describe('When they are written.'),
      regs: registers.describe(REGISTERS),
    }),
    'writes such as { at: 1ms, regs: { "LEDCTL.LED0_MODE": 14 } }',
  )
    .describe('Registers that are written while the part runs.')
    .prefault([]),
});

export type NicInput = z.output<typeof nicSchema>;

/** What `selvage explain` says beside its keys. */
export const TOPICS = {
  '82599':
    'A NIC with descriptor queues, virtual machines, two planes of arbiters, rate limits and ' +
    'receive buffers, after its data sheet; `nic: { model: 82599 }`. `selvage inspect h1` shows ' +
    'its tables.',
  'weighted-strict-priority':
    'How an 82599 chooses a class: the highest that has credit, as has its bandwidth group; when ' +
    'none has any, all are refilled. LSP: always first; GSP: first while the group has credit.',
  'rate-drift':
    'The rate factors of an 82599 shrink by a share at each interval, until a limited queue has ' +
    'the line again.',
} as const;
