/** Schema of `priorities`, `pause` and `classes`: flow control, and transmission selection. */

import { pausingKeys, watchdogKey } from '../../mechanisms/pausing-settings.js';
import { FALLBACKS } from '../../mechanisms/fabric-context.js';
import { FLOW_CONTROLS } from '../../mechanisms/registry.js';
import type { z } from 'zod';
import { priorityKeys as mechanismKeys } from './mechanism-sections.js';
import { share, size } from '../../settings/quantities.js';
import {
  choice,
  either,
  flag,
  integer,
  keyed,
  layered,
  list,
  mapping,
  overriding,
  pluginName,
  positive,
  quantity,
  word,
} from '../../settings/parts.js';

/** Of one ingress buffer: its buffer, and its XOFF and XON. */
const accountKeys = {
  ...pausingKeys,
  reserved: quantity(size)
    .describe('Ingress buffer of each port reserved for this priority group.')
    .prefault(0),
  alpha: positive()
    .describe('Dynamic threshold of the account, as a multiple of the free shared pool.')
    .prefault(1),
};

/** Keys of the account of a shared pool: buffer that is granted has none. */
export const ACCOUNT_ONLY_KEYS = Object.keys(accountKeys).filter((key) => !(key in pausingKeys));

const METHODS = ['none', ...FLOW_CONTROLS] as const;

const portPriorityKeys = {
  flowControl: choice(METHODS)
    .describe('Flow control of this priority; all need 10 Gb/s or more.')
    .prefault('none'),
  fallback: choice(['auto', ...FALLBACKS])
    .describe(
      'What rules the priority on a link whose other end does not have this flow control; pause: ' +
        'PAUSE of the whole link; auto: as the section of its flow control says, or refuse.',
    )
    .prefault('auto'),
  ...accountKeys,
  watchdog: watchdogKey,
};

const priorityKeys = {
  ...portPriorityKeys,
  ...mechanismKeys(),
};

const PRIORITY = 'One priority by its number, or all: numbers refine what all says.';
const PRIORITY_KEYS = { pattern: /^([0-7]|all)$/, allowed: 'a priority 0 to 7, or all' };
const EXAMPLE = `{ flowControl: ${FLOW_CONTROLS[0]}, xoff: 64KB }`;
const METHOD_OR_KEYS = `${METHODS.join(', ')}, or a mapping such as ${EXAMPLE}`;
const CLASS_KEYS = { pattern: /^[0-7]$/, allowed: 'a traffic class 0 to 7' };

export const prioritiesSchema = keyed(
  PRIORITY_KEYS,
  either([choice(METHODS), mapping(layered(priorityKeys))], 'a priority', METHOD_OR_KEYS).describe(
    PRIORITY,
  ),
);

/** Within `devices`: absent keys are those of the scenario's own `priorities`. */
export const priorityOverridesSchema = keyed(
  PRIORITY_KEYS,
  either(
    [choice(METHODS), mapping(overriding(priorityKeys))],
    'a priority',
    METHOD_OR_KEYS,
  ).describe(PRIORITY),
);

/** Within `ports`: absent keys are those of the port's device. */
export const portPrioritiesSchema = keyed(
  PRIORITY_KEYS,
  either(
    [choice(METHODS), mapping(overriding(portPriorityKeys))],
    'a priority',
    METHOD_OR_KEYS,
  ).describe(PRIORITY),
);

/** A priority without settings. */
export const priorityDefaults = mapping(priorityKeys);

export const pauseSchema = either(
  [flag(), mapping(accountKeys)],
  'a pause setting',
  'true, false, or a mapping such as { xoff: 64KB }',
);

export const pauseDefaults = mapping(accountKeys);

/** Within `ports`: absent keys are those of the scenario's own `pause`. */
export const pauseChangeSchema = either(
  [flag(), mapping(overriding(accountKeys))],
  'a pause setting',
  'true, false, or a mapping such as { xoff: 64KB }',
);

export const arbiterSchema = either(
  [
    choice(['strict', 'round-robin']),
    pluginName('arbiter', 'strict, round-robin, shares or the name of a plugin'),
    mapping({
      dwrr: keyed(CLASS_KEYS, integer(1, 1_000_000).describe('Weight of the class.')).describe(
        'Deficit weighted round robin: weight of each traffic class; 1 where not given.',
      ),
    }),
    mapping({
      ets: keyed(
        CLASS_KEYS,
        either(
          [word('strict'), quantity(share)],
          'a share',
          'a percentage such as 30%, or strict',
        ).describe('Share of the class; strict: it goes before all shares.'),
      ).describe(
        'IEEE ETS: percentages of what the strict classes leave, together 100 %; a class that ' +
          'is not named has 0 %.',
      ),
    }),
  ],
  'an arbiter',
  'strict, round-robin, { dwrr: { 0: 1, 3: 4 } }, { ets: { 0: 30%, 3: 70%, 7: strict } } or the ' +
    'name of a plugin',
);

export const classMap = (what: string): z.ZodArray<z.ZodNumber> =>
  list(integer(0, 7), 'eight numbers 0 to 7')
    .length(8, { error: ({ input }) => `not 8 entries: ${(input as unknown[]).length}` })
    .describe(what);

const IDENTITY = [0, 1, 2, 3, 4, 5, 6, 7];

export const classesSchema = mapping({
  transmit: classMap(
    'Traffic class of each priority 0 to 7: the queue it waits in to be sent.',
  ).prefault(IDENTITY),
  receive: classMap(
    'Priority group (PG) of each priority 0 to 7, by which ingress buffer is counted.',
  ).prefault(IDENTITY),
  arbiter: arbiterSchema
    .describe('How every port chooses the next traffic class.')
    .prefault('strict'),
});

export type PriorityInput = z.output<typeof priorityDefaults>;
export type PriorityChangeInput =
  | z.output<typeof priorityOverridesSchema>[string]
  | z.output<typeof portPrioritiesSchema>[string];
export type PauseChangeInput = z.output<typeof pauseChangeSchema>;
export type ArbiterInput = z.output<typeof arbiterSchema>;
