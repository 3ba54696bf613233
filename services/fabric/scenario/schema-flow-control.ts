/** Schema of `priorities`, `pause` and `classes`: flow control, and transmission selection. */

import { FLOW_CONTROLS } from '../../mechanisms/registry.js';
import { PFC_WATCHDOG } from '../../engine/flow-control/pfc/pfc-managed.js';
import type { z } from 'zod';
import { priorityKeys as mechanismKeys } from './mechanism-sections.js';
import { aboveZero, share, size, time } from '../../settings/quantities.js';
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
  positive,
  quantity,
  word,
} from '../../settings/parts.js';

/** Of one ingress account and its XOFF and XON: PFC of a priority, or PAUSE. */
const holdKeys = {
  xoff: either(
    [word('dynamic'), quantity(aboveZero(size))],
    'a threshold',
    'dynamic, or a size such as 64KB',
  )
    .describe(
      'Occupancy that stops the sender; dynamic: the reserve plus alpha times what is free ' +
        'of the shared pool.',
    )
    .prefault('dynamic'),
  xonGap: quantity(size)
    .describe('The sender may go on when the account is so far below the XOFF threshold.')
    .prefault('3KB'),
  headroom: either([word('auto'), quantity(size)], 'a headroom', 'auto, or a size such as 50KB')
    .describe(
      'Buffer for what arrives after XOFF; auto: from rate, link, delays and frame length ' +
        '(802.1Q Annex N).',
    )
    .prefault('auto'),
  quanta: integer(1, 65535)
    .describe('Pause time in each PAUSE or PFC frame, in quanta of 512 bit times.')
    .prefault(65535),
  refresh: quantity(aboveZero(share))
    .describe('Share of the pause time after which the pause is sent again.')
    .prefault('50%'),
  responseDelay: quantity(time)
    .describe(
      'Time from the last bit of a pause frame to its effect; at most 614.4ns for PFC ' +
        '(802.1Q 36.1.3.3), for PAUSE by rate (802.3 31B.3.7).',
    )
    .prefault('0ns'),
  reserved: quantity(size)
    .describe('Ingress buffer of each port reserved for this priority group.')
    .prefault(0),
  alpha: positive()
    .describe('Dynamic threshold of the account, as a multiple of the free shared pool.')
    .prefault(1),
};

export const watchdogKeys = mapping({
  detection: quantity(aboveZero(time))
    .describe('Held without a break for so long, with frames waiting, a priority is in a storm.')
    .prefault(PFC_WATCHDOG.detection.default),
  restoration: quantity(aboveZero(time))
    .describe('The storm ends when no PFC frame has paused the priority for this time.')
    .prefault(PFC_WATCHDOG.restoration.default),
  action: choice(['drop', 'forward'])
    .describe(
      'What the switch does with the frames of a priority in a storm: drop them, or transmit them.',
    )
    .prefault(PFC_WATCHDOG.action.default),
});

const watchdog = either(
  [flag(), watchdogKeys],
  'a watchdog',
  'true, false, or a mapping such as { detection: 200us, restoration: 200us, action: drop }',
).describe(
  'Switches watch for stops of this priority that last too long (a PFC storm, or a deadlock).',
);

const METHODS = ['none', 'pfc', 'credit', ...FLOW_CONTROLS] as const;

const priorityKeys = {
  flowControl: choice(METHODS)
    .describe('Flow control of this priority; pfc and credit need 10 Gb/s or more.')
    .prefault('none'),
  ...holdKeys,
  watchdog: watchdog.prefault(false),
  ...mechanismKeys(),
};

const PRIORITY = 'One priority by its number, or all: numbers refine what all says.';
const PRIORITY_KEYS = { pattern: /^([0-7]|all)$/, allowed: 'a priority 0 to 7, or all' };
const CLASS_KEYS = { pattern: /^[0-7]$/, allowed: 'a traffic class 0 to 7' };

export const prioritiesSchema = keyed(
  PRIORITY_KEYS,
  either(
    [choice(METHODS), mapping(layered(priorityKeys))],
    'a priority',
    `${METHODS.join(', ')}, or a mapping such as { flowControl: pfc, xoff: 64KB }`,
  ).describe(PRIORITY),
);

/** Within `devices`: absent keys are those of the scenario's own `priorities`. */
export const priorityOverridesSchema = keyed(
  PRIORITY_KEYS,
  either(
    [choice(METHODS), mapping(overriding(priorityKeys))],
    'a priority',
    `${METHODS.join(', ')}, or a mapping such as { flowControl: pfc, xoff: 64KB }`,
  ).describe(PRIORITY),
);

/** A priority without settings. */
export const priorityDefaults = mapping(priorityKeys);

export const pauseSchema = either(
  [flag(), mapping(holdKeys)],
  'a pause setting',
  'true, false, or a mapping such as { xoff: 64KB }',
);

export const pauseDefaults = mapping(holdKeys);

export const arbiterSchema = either(
  [
    choice(['strict', 'round-robin']),
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
  'strict, round-robin, { dwrr: { 0: 1, 3: 4 } } or { ets: { 0: 30%, 3: 70%, 7: strict } }',
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
  arbiter: arbiterSchema.describe('Who goes first at every port.').prefault('strict'),
});

export type HoldInput = z.output<typeof pauseDefaults>;
export type WatchdogInput = z.output<typeof watchdog>;
export type PriorityInput = z.output<typeof priorityDefaults>;
export type PriorityChangeInput = z.output<typeof priorityOverridesSchema>[string];
export type ArbiterInput = z.output<typeof arbiterSchema>;
