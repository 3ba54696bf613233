/** Schema of `groups` and `load`: sources, destinations, volumes and times. */

import { BASIC_FRAME_OCTETS_MAX } from '../../engine/units/ethernet.js';
import { DSCP_PER_PRIORITY } from '../../engine/wire/ipv4.js';
import { z } from 'zod';
import { NIC, TRANSPORTS } from '../../mechanisms/registry.js';
import type { Load } from '../../plugins/api.js';
import { settingSchemas } from '../../plugins/settings.js';
import { didYouMean, listed, show } from '../../settings/errors.js';
import { jobSchema } from './schema-job.js';
import { aboveZero, rate, share, size, time } from '../../settings/quantities.js';
import {
  choice,
  either,
  flag,
  integer,
  keyed,
  list,
  mapping,
  NAME,
  name,
  quantity,
  text,
  word,
} from '../../settings/parts.js';

const SELECTOR = /^(?!.*\.\.\..*)[A-Za-z_*?][A-Za-z0-9_*?-]*(\.\.[A-Za-z_][A-Za-z0-9_-]*)?$/;
const SELECTED = 'a host, a pattern such as h*, a range such as h1..h8, or all';

const selector = (): z.ZodString => text('a selection of hosts', SELECTOR, SELECTED);

const selectorsSchema = either(
  [
    selector(),
    list(selector(), 'hosts').min(1, { error: 'an empty list; name at least one host' }),
  ],
  'a selection of hosts',
  `${SELECTED}, or a list of those`,
);

const hosts = selectorsSchema.describe('The hosts that take part.').prefault('all');
const volume = (what: string): ReturnType<typeof quantity> =>
  quantity(aboveZero(size)).describe(what);

/** The name of a transport, or its settings under that name. */
type TransportInput = string | Readonly<Record<string, object>>;

const transportSchema = (): z.ZodType<TransportInput> =>
  either(
    [
      choice(['raw', ...TRANSPORTS.map(({ name: own }) => own)]),
      ...TRANSPORTS.map(({ name: own, settings, help }) =>
        mapping({ [own]: settings.describe(help) }),
      ),
    ],
    'a transport',
    `${listed(['raw', ...TRANSPORTS.map(({ name: own }) => own)])}, or { reliable: { mtu: 4096 } }`,
  );

const vlanId = (): z.ZodNumber => integer(1, 4094);

const commonKeys = (congestion: readonly string[]) => ({
  name: name()
    .describe('Name of the load. Default: its kind and place, as incast1.')
    .exactOptional(),
  priority: integer(0, 7).describe('802.1p priority of its frames.').prefault(0),
  dscp: integer(0, 63)
    .describe(
      `DSCP of its packets. Default: ${DSCP_PER_PRIORITY} times the priority, or by the maps of ` +
        'its switch.',
    )
    .exactOptional(),
  ect: flag()
    .describe('Packets may be ECN-marked. Default: true for reliable and dcqcn, false for raw.')
    .exactOptional(),
  congestion: choice(['none', ...congestion])
    .describe(
      'What slows its senders down: notifications by the receiver of marked packets (dcqcn), or ' +
        'by queues on the way (qcn), round trips that grow (timely) or are too long (swift), or ' +
        'what switches write into packets (hpcc).',
    )
    .prefault('none'),
  vlan: either(
    [
      integer(0, 4094),
      mapping({
        inner: vlanId().describe('VLAN of the C-TAG.').exactOptional(),
        outer: vlanId().describe('VLAN of the S-TAG in front of it.').exactOptional(),
        dei: flag().describe('Frames are drop-eligible.').prefault(false),
      }),
    ],
    'a VLAN',
    'a VLAN 1 to 4094, 0, or { inner: 10, outer: 100 }',
  )
    .describe('Tags of its frames; 0: priority-tagged (802.1Q 6.9.1). Default: as `ports` says.')
    .exactOptional(),
  vm: integer(0, 63)
    .describe(
      'Virtual machine at either end, whose descriptor queues ' +
        `${NIC?.called ?? 'a NIC'} keeps apart.`,
    )
    .prefault(0),
  toVm: integer(0, 63)
    .describe(
      'Virtual machine at the receiver, which may be one of the same host: then the switch of ' +
        'its NIC passes the frames on (nic.vmSwitch). Default: vm.',
    )
    .exactOptional(),
  spoof: name()
    .describe(
      'A host whose address its frames bear instead of their own (raw frames without a reaction ' +
        'to congestion). Default: none.',
    )
    .exactOptional(),
  transport: transportSchema()
    .describe(
      'raw: frames and nothing else; reliable: RoCE-like, with acknowledgements and go-back-N. ' +
        'Default: raw for stream and replay, reliable for the others.',
    )
    .exactOptional(),
  frame: integer(64, 9216)
    .describe(
      'Bytes of a raw frame from destination address to FCS, tags not counted. Default: ' +
        `${BASIC_FRAME_OCTETS_MAX}.`,
    )
    .exactOptional(),
  start: quantity(time).describe('When it begins.').prefault('0ns'),
  end: quantity(time).describe('Nothing new is sent from here on. Default: never.').exactOptional(),
});

const loadRate = either(
  [
    word('line').transform((kind) => ({ kind })),
    quantity(aboveZero(share)).transform((part) => ({ kind: 'share' as const, share: part })),
    quantity(aboveZero(rate)).transform((bps) => ({ kind: 'bps' as const, bps })),
  ],
  'a rate',
  'line, a share of the link such as 90%, or bit/s such as 40G',
)
  .describe('Frame bytes: as fast as the link goes, a share of it, or bit/s.')
  .prefault('line');

type CommonKeys = ReturnType<typeof commonKeys>;

const kindSchemas = (common: CommonKeys) =>
  [
    mapping({
      stream: mapping({
        from: selectorsSchema.describe('The senders.'),
        to: selectorsSchema.describe('As many receivers, one for all, or a multicast group.'),
      }).describe('A stream of frames from each sender.'),
      rate: loadRate,
      arrivals: choice(['constant', 'paced', 'poisson', 'on-off'])
        .describe(
          'When frames become ready: evenly, at random, or evenly in bursts. paced: the rate is ' +
            'kept between any two frames, so what a pause holds up is not made up for later.',
        )
        .prefault('constant'),
      on: quantity(aboveZero(time)).describe('Length of a burst (on-off).').prefault('10us'),
      off: quantity(aboveZero(time)).describe('Time between bursts (on-off).').prefault('10us'),
      randomOnOff: flag()
        .describe('Bursts and gaps are exponential with these means (on-off).')
        .prefault(false),
      bytes: volume('Payload of each flow. Default: endless.').exactOptional(),
      ...common,
    }),
    mapping({
      incast: mapping({
        from: selectorsSchema.describe('The senders.'),
        to: name().describe('The one receiver.'),
      }).describe('Many senders to one receiver at the same time.'),
      bytes: volume('Payload that each sender sends.'),
      ...common,
    }),
    mapping({
      permutation: mapping({
        hosts,
        shift: integer(1, 1 << 24)
          .describe('Host i sends to host i + shift. Default: at random, no host to itself.')
          .exactOptional(),
      }).describe('Every host sends to one other, and receives from one.'),
      rate: loadRate,
      bytes: volume('Payload of each flow. Default: endless.').exactOptional(),
      ...common,
    }),
    mapping({
      'all-to-all': mapping({ hosts }).describe('Every host sends to every other.'),
      bytes: volume('Payload from each host to each other.'),
      ...common,
    }),
    mapping({
      'all-reduce': mapping({
        hosts,
        algorithm: choice(['ring', 'halving-doubling', 'tree'])
          .describe('In which steps the vector is reduced and spread.')
          .prefault('ring'),
        chunks: integer(1, 65536)
          .describe('Each step is cut into so many messages that follow each other.')
          .prefault(1),
      }).describe('All hosts end with the sum of their vectors.'),
      bytes: volume('Size of the vector.'),
      ...common,
    }),
    mapping({
      random: mapping({
        hosts,
        sizes: either(
          [
            choice(['web-search', 'data-mining', 'hadoop', 'storage']),
            mapping({ fixed: volume('Every flow has this payload.') }),
            mapping({
              file: text('a file name', /./, 'a file name').describe(
                'CSV of bytes and cumulative probability, relative to the scenario file.',
              ),
            }),
          ],
          'a distribution of sizes',
          'web-search, data-mining, hadoop, storage, { fixed: 64KB } or { file: sizes.csv }',
        )
          .describe('Sizes of the flows.')
          .prefault('web-search'),
        load: quantity(aboveZero(share)).describe("Offered load as a share of each host's link."),
      }).describe('Flows of random size between random hosts at random times.'),
      ...common,
    }),
    mapping({ job: jobSchema, ...common }),
    mapping({
      replay: text('a file name', /./, 'a file name').describe(
        'CSV of frames to send, relative to the scenario file.',
      ),
      ...common,
    }),
  ] as const;

export const LOAD_KINDS = [
  'stream',
  'incast',
  'permutation',
  'all-to-all',
  'all-reduce',
  'random',
  'job',
  'replay',
] as const;

/** A load of a plugin, under its name: its hosts, its settings, and the keys of all loads. */
function pluginSchema({ name: kind, help, settings = {} }: Load, common: CommonKeys) {
  const shape = { [kind]: mapping({ hosts, ...settingSchemas(settings) }).describe(help) };
  return mapping({ ...shape, ...common }).transform((input) => {
    const { hosts: members, ...values } = (input as Readonly<Record<string, unknown>>)[kind] as {
      readonly hosts: z.output<typeof hosts>;
    } & Readonly<Record<string, number>>;
    return { ...input, plugin: { kind, hosts: members, settings: values } };
  });
}

function loadsSchemaOf(congestion: readonly string[], plugins: readonly Load[]) {
  const common = commonKeys(congestion);
  const kinds = [...LOAD_KINDS, ...plugins.map(({ name: kind }) => kind)];
  const shapes = [
    ...kindSchemas(common),
    ...plugins.map((plugin) => pluginSchema(plugin, common)),
  ] as const;
  const loadSchema = z.union(shapes, {
    error: ({ input }) => {
      if (typeof input !== 'object' || input === null || Array.isArray(input)) {
        const remedy = 'write a mapping such as { stream: { from: h1, to: h2 } }';
        return `not a load: ${show(input)}; ${remedy}`;
      }
      const keys = Object.keys(input);
      const own = keys.filter((key) => kinds.includes(key));
      if (own.length > 1) return `more than one kind of load: ${listed(own)}; write one entry each`;
      if (own.length === 1) return issuesOf(shapes[kinds.indexOf(own[0]!)]!, input);
      const hint = keys.map((key) => didYouMean(key, kinds)).find((text) => text !== '') ?? '';
      const given = `no kind of load among its keys: ${listed(keys)}`;
      return `${given}; one of ${listed(kinds)}${hint}`;
    },
  });
  return list(loadSchema, 'loads such as { stream: { from: h1, to: h2 } }');
}

/** What is wrong with a load of this kind, where it is like one of another as well. */
function issuesOf(shape: z.ZodType, input: unknown): string {
  const { issues } = shape.safeParse(input).error!;
  const texts = issues.flatMap(({ path, message }) =>
    message.split('\n').map((text) => [...path.map(String), text].join(': ')),
  );
  return texts.join('; ');
}

type LoadsSchema = ReturnType<typeof loadsSchemaOf>;

/** `load`, where plugins add values of `congestion`, and kinds of load. */
export function loadsSchema(congestion: readonly string[], plugins: readonly Load[]): LoadsSchema {
  return loadsSchemaOf(congestion, plugins);
}

export const groupsSchema = keyed(
  { pattern: NAME, allowed: 'a name of letters, digits, _ and -' },
  selectorsSchema.describe('The members of one group.'),
);

export const placementSchema = keyed(
  { pattern: NAME, allowed: 'a name of letters, digits, _ and -' },
  selectorsSchema.describe('The devices of one service.'),
);

export type LoadInput = z.output<LoadsSchema>[number];
export type SelectorsInput = z.output<typeof selectorsSchema>;
