/** Schema of `fabric`: devices and links. */

import { z } from 'zod';
import { didYouMean, listed, show } from '../../settings/errors.js';
import { length, linkRate, time } from '../../settings/quantities.js';
import { SWITCH_PORTS_MAX } from '../topology/port-limit.js';
import { FEC_KINDS } from '../link-errors.js';
import {
  choice,
  integer,
  list,
  mapping,
  name,
  notBoth,
  positive,
  quantity,
  ruled,
  text,
  titled,
  word,
} from '../../settings/parts.js';
import { errorRate } from './error-rate.js';

/** Paths around a ring are long: memory grows with the cube of its switches. */
const RING_SWITCHES_MAX = 1024;
const BURST_BITS_MOST = 1000;

/** Of links without keys of their own; those between switches are longer than those of hosts. */
export const LINK_DEFAULTS = { rate: '100G', length: '5m', fabricLength: '50m' } as const;
export const SPINES_DEFAULT = 2;

const linkKeys = {
  rate: quantity(linkRate)
    .describe(`Rate of the link, both ways. Default: ${LINK_DEFAULTS.rate}.`)
    .exactOptional(),
  length: quantity(length)
    .describe(
      `Length of the link, at 5 ns/m. Default: ${LINK_DEFAULTS.length}; ` +
        `${LINK_DEFAULTS.fabricLength} between switches.`,
    )
    .exactOptional(),
  delay: quantity(time)
    .describe('Delay of the medium one way, instead of a length.')
    .exactOptional(),
  interfaceDelay: quantity(time)
    .describe(
      'Delay of one station, transmit and receive together: MAC, PCS, FEC, PMA and PMD ' +
        '(ID of the headroom formula). Default: what the FEC takes, 0ns without.',
    )
    .exactOptional(),
  fec: choice([...FEC_KINDS])
    .describe('Forward error correction: RS(528,514), RS(544,514), or none. Default: none.')
    .exactOptional(),
  preFecBer: errorRate
    .describe('Bit error rate of the medium, before FEC. Default: no errors.')
    .exactOptional(),
  postFecBer: errorRate
    .describe('Bit error rate that is left after FEC, instead of the one before it.')
    .exactOptional(),
  errorBurst: integer(1, BURST_BITS_MOST)
    .describe('Bits that are wrong together. Default: 1, which is independent errors.')
    .exactOptional(),
};

export const LENGTH_OR_DELAY = ['length', 'delay'] as const;
export const BER_BEFORE_OR_AFTER = ['preFecBer', 'postFecBer'] as const;
export const SPINES_OR_RATIO = ['spines', 'oversubscription'] as const;

const ofLink = <Part extends z.ZodType>(part: Part): Part =>
  ruled(part, notBoth(...LENGTH_OR_DELAY), notBoth(...BER_BEFORE_OR_AFTER));

const link = (): z.ZodObject<typeof linkKeys, z.core.$strict> => ofLink(mapping(linkKeys));

export type LinkInput = z.output<z.ZodObject<typeof linkKeys>>;

const END = /^[A-Za-z_][A-Za-z0-9_-]*(:p[1-9][0-9]{0,4})?$/;
const end = (): z.ZodString =>
  text('an end of a link', END, 'a device, or a device and its port such as s1:p5');

const interfaceName = (): z.ZodString =>
  text('a name of a port', /^[^\s,|]{1,64}$/, 'up to 64 signs without blanks, commas and bars');

const commonKeys = {
  link: link()
    .describe('Every link, where hostLink, fabricLink or the link itself does not say otherwise.')
    .exactOptional(),
  hostLink: link().describe('Links between a host and a switch, or two hosts.').exactOptional(),
  fabricLink: link().describe('Links between switches.').exactOptional(),
  devices: list(
    mapping({
      name: name().describe('Name of the device, unique in the fabric.'),
      kind: choice(['host', 'switch']).describe('What the device is.'),
      tier: text('a tier', /^[a-z][a-z-]*$/, 'a word such as leaf')
        .describe('Tier of the device: leaf, spine, … Default: its kind.')
        .exactOptional(),
      interfaces: list(interfaceName(), 'names such as Ethernet0')
        .describe('What its software calls its ports, in their order: `sonic show` prints it.')
        .exactOptional(),
    }),
    'devices such as { name: s1, kind: switch }',
  )
    .describe('Devices added to what the generator makes.')
    .prefault([]),
  links: list(
    ofLink(
      mapping({
        between: titled(
          z.tuple([end(), end()], {
            error: 'not the two ends of a link; write two such as [h1, s1:p5]',
          }),
          'two ends such as [h1, s1:p5]',
        ).describe('The two ends: a device takes its next free port, s1:p5 names the port.'),
        ...linkKeys,
      }),
    ),
    'links such as { between: [h1, s1] }',
  )
    .describe('Links added to what the generator makes; what they leave out `link` says.')
    .prefault([]),
};

/** A switch has a link to each of them, or to each but `other` of its ports. */
const attached = (what: string, usual: number, other = 0): z.ZodPrefault<z.ZodNumber> =>
  integer(1, SWITCH_PORTS_MAX - other)
    .describe(what)
    .prefault(usual);

const generators = [
  mapping({
    generator: word('none')
      .describe('none: only the devices and links that are listed.')
      .exactOptional(),
    ...commonKeys,
  }),
  mapping({
    generator: word('pair').describe('pair: two hosts, h1 and h2, on one link.'),
    ...commonKeys,
  }),
  mapping({
    generator: word('star').describe('star: hosts around one switch.'),
    hosts: attached('Hosts of the star.', 4),
    ...commonKeys,
  }),
  mapping({
    generator: word('dumbbell').describe(
      'dumbbell: two switches joined by one link, hosts on either side.',
    ),
    left: attached('Hosts at the first switch of the dumbbell.', 2, 1),
    right: attached('Hosts at the second switch of the dumbbell.', 2, 1),
    ...commonKeys,
  }),
  mapping({
    generator: word('ring').describe('ring: switches in a ring, hosts at each.'),
    switches: integer(3, RING_SWITCHES_MAX).describe('Switches in the ring.').prefault(4),
    hostsPerSwitch: attached('Hosts at each switch of the ring.', 1, 2),
    ...commonKeys,
  }),
  ruled(
    mapping({
      generator: word('leaf-spine').describe('leaf-spine: every leaf has one link to every spine.'),
      leaves: attached('Leaf switches.', 4),
      spines: integer(1, SWITCH_PORTS_MAX - 1)
        .describe(`Spine switches. Default: ${SPINES_DEFAULT}.`)
        .exactOptional(),
      hostsPerLeaf: attached('Hosts at each leaf of the leaf-spine fabric.', 4, 1),
      oversubscription: positive()
        .describe("Instead of spines: a leaf's capacity to hosts over its capacity to spines.")
        .exactOptional(),
      ...commonKeys,
    }),
    notBoth(...SPINES_OR_RATIO),
  ),
  mapping({
    generator: word('fat-tree').describe('fat-tree: three tiers of switches with k ports each.'),
    k: integer(2, 64)
      .multipleOf(2, { error: ({ input }) => `not an even number: ${String(input)}` })
      .describe('Ports of every switch, even; the fat-tree has k^3/4 hosts.')
      .prefault(4),
    ...commonKeys,
  }),
  mapping({
    generator: word('clos').describe(
      'clos: pods of leaves and aggregation switches; plane i joins aggregation i of every pod.',
    ),
    pods: attached('Pods of the Clos fabric.', 2),
    leavesPerPod: attached('Leaves in each pod.', 2, 1),
    hostsPerLeaf: attached('Hosts at each leaf of the Clos fabric.', 2, 1),
    planes: attached('Planes: aggregation switches in each pod.', 2, 1),
    spinesPerPlane: attached('Spines in each plane.', 2, 1),
    ...commonKeys,
  }),
] as const;

export const GENERATORS = [
  'none',
  'pair',
  'star',
  'dumbbell',
  'ring',
  'leaf-spine',
  'fat-tree',
  'clos',
] as const satisfies readonly FabricInput['generator'][];

export const fabricSchema = z.discriminatedUnion('generator', generators, {
  error: ({ input }) => {
    if (typeof input !== 'object' || input === null || !('generator' in input)) {
      return `not a fabric: ${show(input)}; write a mapping such as { generator: star }`;
    }
    const { generator } = input;
    const hint = typeof generator === 'string' ? didYouMean(generator, GENERATORS) : '';
    return `unknown generator: ${show(generator)}; one of ${listed(GENERATORS)}${hint}`;
  },
});

export type FabricInput = z.output<(typeof generators)[number]>;
