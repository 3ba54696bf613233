/** Schema of `faults`: faults of the emulated fabric, their places and times. */

import type { z } from 'zod';
import { flag, choice, integer, list, mapping, name, quantity } from '../../settings/parts.js';
import { aboveZero, share, time } from '../../settings/quantities.js';
import { FAULT_KINDS, KEYS_OF_KINDS } from '../faults/registry.js';
import { placeKeys } from './schema-place.js';

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

/** What each kind does, and the names of its keys: required, and optional. */
export const FAULT_KEYS: KeysByKind = Object.fromEntries(
  [...FAULT_KINDS].map(([name, { effect, must, may, mustBe = [] }]) => [
    name,
    { effect, must: [...Object.keys(must), ...mustBe], may: Object.keys(may) },
  ]),
);

type KeysByKind = Readonly<
  Record<
    string,
    { readonly effect: string; readonly must: readonly string[]; readonly may: readonly string[] }
  >
>;

/** One mapping has the keys of all kinds; each kind refuses those of others. */
const keysOfKinds = Object.fromEntries(
  Object.entries(KEYS_OF_KINDS).map(([key, schema]) => [key, schema.exactOptional()]),
);

const place = mapping({
  ...placeKeys,
  probability: quantity(aboveZero(share))
    .describe('Each of these ports has the fault with this probability, sampled from the seed.')
    .exactOptional(),
});

export const faultsSchema = list(
  mapping({
    kind: choice([...FAULT_KINDS.keys()]).describe(
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
    ...keysOfKinds,
  }).meta({ keysByTag: { tag: 'kind', common: COMMON_KEYS, keys: FAULT_KEYS } }),
  'faults such as { kind: link-down, at: 1ms, for: 100us }',
).max(FAULTS_MAX, `too many faults; at most ${FAULTS_MAX}`);

export type FaultInput = z.output<typeof faultsSchema>[number];
