/** Schema of `faults`: faults of the emulated fabric, their places and times. */

import type { z } from 'zod';
import type { TemplateKey } from '../../mechanisms/message-template.js';
import { EXCHANGE, MESSAGE_TEMPLATES, MECHANISMS } from '../../mechanisms/registry.js';
import { listed } from '../../settings/errors.js';
import { CONTROL_FRAMES } from '../../engine/faults/control-frames.js';
import { errorRate } from './error-rate.js';
import type { FaultKind } from './fault-section.js';
import { STEAL_GRANTS, STUCK_GRANTS } from './fault-section.js';
import { placeKeys } from './schema-place.js';
import { aboveZero, rate, share, size, time } from '../../settings/quantities.js';
import {
  choice,
  either,
  flag,
  integer,
  list,
  mapping,
  name,
  quantity,
  text,
} from '../../settings/parts.js';

const PAUSE_DEFAULT = listed(MESSAGE_TEMPLATES.flatMap(({ pauseDefault }) => pauseDefault ?? []));

interface FaultKeys {
  readonly effect: string;
  readonly must: readonly string[];
  readonly may: readonly string[];
}

/** What each kind does, and its keys: required, and optional. */
export const FAULT_KEYS: Readonly<Record<FaultKind, FaultKeys>> = {
  'link-down': {
    effect: 'no carrier at both ends: nothing is sent, and frames on the link are lost',
    must: [],
    may: [],
  },
  loss: {
    effect: 'frames that arrive at the port are lost; without `priority` control frames too',
    must: ['probability'],
    may: ['priority'],
  },
  'bit-errors': {
    effect: 'each received bit is wrong with this probability, and the receiver drops the frame',
    must: ['errorRate'],
    may: [],
  },
  delay: {
    effect: 'the link takes longer in both directions; frames keep their order',
    must: ['delay'],
    may: ['jitter'],
  },
  'slow-link': { effect: 'both directions run at a lower rate', must: ['rate'], may: [] },
  control: {
    effect: 'selected control frames that arrive are lost, duplicated, late, or have a wrong bit',
    must: ['frames', 'action'],
    may: ['probability', 'priority', 'delay'],
  },
  freeze: { effect: 'the port sends nothing, not even control frames', must: [], may: [] },
  storm: {
    effect: 'the port pauses its link partner again and again, as a broken NIC does',
    must: [],
    may: ['priority', 'interval', 'quanta'],
  },
  forge: {
    effect: 'the port sends this control frame, again and again',
    must: ['interval'],
    may: ['octets', 'frames', 'to', 'source', 'pause', 'priority'],
  },
  [STEAL_GRANTS]: {
    effect: `available ${EXCHANGE} of the port is lost`,
    must: ['size', 'interval'],
    may: ['priority'],
  },
  [STUCK_GRANTS]: {
    effect: `the port ignores the ${EXCHANGE} that it is granted`,
    must: [],
    may: ['priority'],
  },
  'shrink-buffer': {
    effect: 'the shared buffer of a switch shrinks by so much, as far as it is free',
    must: ['size'],
    may: [],
  },
  reboot: {
    effect: 'a switch loses its frames and learned state, and its links are down for `for`',
    must: ['for'],
    may: [],
  },
  'full-table': {
    effect: 'a table of a switch has only so many entries: it floods, replaces or omits',
    must: ['table', 'entries'],
    may: [],
  },
  'lldp-drift': {
    effect: 'the clock of the LLDP timers of the port is too fast, or (negative) too slow',
    must: ['ppm'],
    may: [],
  },
  'slow-receiver': {
    effect: 'the application of a host reads no faster than this',
    must: ['rate'],
    may: [],
  },
  'host-pause': { effect: 'the application of a host reads nothing', must: [], may: [] },
  'mis-cabling': {
    effect: 'the links of two ports are swapped from the start; routes follow the links',
    must: ['swap'],
    may: [],
  },
  'wrong-map': {
    effect: 'a NIC pauses these classes, and not those of its software',
    must: ['classes'],
    may: [],
  },
};

/** Optional keys of every kind. */
export const COMMON_KEYS: readonly string[] = [
  'kind',
  'name',
  'where',
  'at',
  'for',
  'every',
  'times',
  'until',
  'random',
  'stream',
  'recover',
];

const FAULTS_MAX = 1000;
const TABLES = MECHANISMS.filter(({ table }) => table !== undefined);

const HOST = /^[A-Za-z_][A-Za-z0-9_-]*$/;
const PORT_NAME = /^[A-Za-z_][A-Za-z0-9_-]*:p[1-9][0-9]*$/;
const place = mapping({
  ...placeKeys,
  probability: quantity(aboveZero(share))
    .describe('Each of these ports has the fault with this probability, sampled from the seed.')
    .exactOptional(),
});

export const faultsSchema = list(
  mapping({
    kind: choice(Object.keys(FAULT_KEYS) as FaultKind[]).describe(
      'What goes wrong; `selvage explain faults` lists the kinds.',
    ),
    name: name().describe('Name in reports. Default: fault and its number.').exactOptional(),
    where: place
      .describe('Ports that meet all conditions given here; without one: every port.')
      .prefault({}),
    at: quantity(time).describe('When it begins.').prefault('0ns'),
    for: quantity(aboveZero(time))
      .describe('How long it lasts. Default: to the end of the run.')
      .exactOptional(),
    every: quantity(aboveZero(time))
      .describe('It begins again after this time. Default: it comes once.')
      .exactOptional(),
    times: integer(1, 1_000_000).describe('How often it comes at most.').exactOptional(),
    until: quantity(aboveZero(time))
      .describe('By then it is over, and does not come again.')
      .exactOptional(),
    random: flag()
      .describe(
        '`for` is a mean, and `every` the mean time between an end and the next beginning, ' +
          'both exponential.',
      )
      .prefault(false),
    stream: name()
      .describe(
        'Name of its random stream; faults that share one come together. Default: its name.',
      )
      .exactOptional(),
    recover: quantity(aboveZero(time))
      .describe('With --check: so long after each time that it was there, all is well again.')
      .exactOptional(),
    priority: either(
      [integer(0, 7), list(integer(0, 7), 'priorities 0 to 7').min(1, 'no priority is named')],
      'a priority',
      'a priority from 0 to 7, or a list of those',
    )
      .describe('Only frames of these priorities. Default: all that are concerned.')
      .exactOptional(),
    probability: quantity(aboveZero(share))
      .describe('Of each frame, to be hit. Default of `control`: 100%.')
      .exactOptional(),
    errorRate: errorRate.describe('Probability of each bit to be wrong.').exactOptional(),
    frames: choice(Object.keys(CONTROL_FRAMES))
      .describe(
        'Which control frames, of those that arrive; or which to forge: ' +
          `${MESSAGE_TEMPLATES.map(({ frames }) => frames).join(', ')}.`,
      )
      .exactOptional(),
    action: choice(['lose', 'duplicate', 'corrupt', 'delay'])
      .describe('What happens to them; corrupt: one bit is wrong and the FCS misses it.')
      .exactOptional(),
    delay: quantity(aboveZero(time)).describe('How much later frames arrive.').exactOptional(),
    jitter: quantity(time)
      .describe('Up to so much later still, at random; frames keep their order.')
      .exactOptional(),
    rate: quantity(aboveZero(rate))
      .describe('What is left of the rate of a link, or of an application that reads.')
      .exactOptional(),
    interval: quantity(aboveZero(time)).describe('It acts so often.').exactOptional(),
    quanta: integer(1, 65_535).describe('Pause time that a storm names.').exactOptional(),
    octets: text(
      'a frame',
      /^([0-9a-fA-F]{16}|([0-9a-fA-F]{2}){60,1514})$/,
      '60 to 1514 bytes in hexadecimal: a whole frame without FCS; or 8: a control ordered set',
    )
      .describe('The forged control frame, or control ordered set.')
      .exactOptional(),
    to: text('a host', HOST, 'a name such as h1')
      .describe('Host that the forged message goes to.')
      .exactOptional(),
    source: text('a host', HOST, 'a name such as h1')
      .describe(`${ofForged('source')}: host that it names as the source. Default: its receiver.`)
      .exactOptional(),
    pause: quantity(aboveZero(time))
      .describe(
        `${ofForged('pause')}: for how long the source is to stop. Default: ${PAUSE_DEFAULT}.`,
      )
      .exactOptional(),
    table: choice(['mac', ...TABLES.map(({ name }) => name)])
      .describe(
        `${listed([
          'Learned addresses (mac)',
          ...TABLES.map(({ name, table }) => `${table} (${name})`),
        ])}.`,
      )
      .exactOptional(),
    entries: integer(1, 1_000_000)
      .describe('So many entries are left: others have filled the table.')
      .exactOptional(),
    ppm: integer(-500_000, 500_000)
      .describe('How much too fast the clock of LLDP timers is, in parts per million.')
      .exactOptional(),
    classes: list(integer(0, 7), 'eight classes')
      .length(8, 'not eight classes; write one for each priority, such as [0, 1, 2, 5, 4, 3, 6, 7]')
      .describe('By priority: the class that a NIC stops when it is paused (RTTUP2TC).')
      .exactOptional(),
    swap: list(text('a port', PORT_NAME, 'a port such as leaf1:p3'), 'two ports')
      .length(2, 'not two ports; write [leaf1:p3, leaf2:p3]')
      .describe('The links of these two ports are swapped (mis-cabling), from the start.')
      .exactOptional(),
    size: quantity(aboveZero(size))
      .describe(`How much buffer, or ${EXCHANGE}, is removed.`)
      .exactOptional(),
  }).meta({ keysByTag: { tag: 'kind', common: COMMON_KEYS, keys: FAULT_KEYS } }),
  'faults such as { kind: link-down, at: 1ms, for: 100us }',
).max(FAULTS_MAX, `too many faults; at most ${FAULTS_MAX}`);

/** Forged messages that have a key. */
function ofForged(key: TemplateKey): string {
  const having = MESSAGE_TEMPLATES.filter(({ keys }) => keys.includes(key));
  return `Of ${listed(having.map(({ frames }) => `\`${frames}\``))}`;
}

export type FaultInput = z.output<typeof faultsSchema>[number];
