import type { z } from 'zod';
import { type PauseWatchdogSpec, WATCHDOG_CHIPS } from '../engine/contract/spec.js';
import { choice, either, flag, integer, mapping, quantity, word } from '../settings/parts.js';
import { aboveZero, multiple, size, time } from '../settings/quantities.js';

/** Most that a control frame can state (802.3 31B.2, 31D). */
export const QUANTA_MOST = 65_535;

/** Of an ingress buffer and its XOFF and XON: PFC of a priority, or PAUSE of a port. */
export const pausingKeys = {
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
  quanta: integer(1, QUANTA_MOST)
    .describe('Pause time in each PAUSE or PFC frame, in quanta of 512 bit times.')
    .prefault(QUANTA_MOST),
  refresh: quantity(aboveZero(multiple))
    .describe(
      'Part of the pause time after which the pause is sent again; above 100 % it expires first, ' +
        'and frames may arrive that headroom is not for.',
    )
    .prefault('50%'),
  responseDelay: quantity(time)
    .describe(
      'Time from the last bit of a pause frame to its effect; at most 614.4ns for PFC ' +
        '(802.1Q 36.1.3.3), for PAUSE by rate (802.3 31B.3.7).',
    )
    .prefault('0ns'),
};

/** A priority that is paused for a fifth of a second is not merely congested. */
const watchdogKeys = mapping({
  detection: quantity(aboveZero(time))
    .describe('Paused without a break for so long, with frames waiting, a priority is in a storm.')
    .prefault('200ms'),
  restoration: either([word('never'), quantity(aboveZero(time))], 'a time', 'never, or 200ms')
    .describe(
      'The storm ends when no PFC frame has paused the priority for this time; never: it lasts.',
    )
    .prefault('200ms'),
  action: choice(['drop', 'forward', 'alert'])
    .describe(
      'What the switch does with the frames of a priority in a storm: drop them, or transmit ' +
        'them; alert: it counts the storm, and the priority stays paused.',
    )
    .prefault('drop'),
  poll: either([word('none'), quantity(aboveZero(time))], 'a time', 'none, or 200ms')
    .describe(
      'The switch looks at its counters so often, as SONiC does, and a time runs only from poll ' +
        'to poll. none: it watches without a break.',
    )
    .prefault('none'),
  chip: choice(WATCHDOG_CHIPS)
    .describe('What a poll takes for a storm, as the scripts of SONiC for these chips do.')
    .prefault('broadcom'),
  bigRedSwitch: flag()
    .describe('The priority is in a storm from the beginning to the end, as BIG_RED_SWITCH has it.')
    .prefault(false),
});

export const watchdogKey = either(
  [flag(), watchdogKeys],
  'a watchdog',
  'true, false, or a mapping such as { detection: 200us, restoration: 200us, action: drop }',
)
  .describe(
    'Switches watch for stops of this priority that last too long (a PFC storm, or a deadlock).',
  )
  .prefault(false);

/** Keys of a priority that only a flow control that pauses has a use for. */
export const PAUSE_KEYS: readonly string[] = [...Object.keys(pausingKeys), 'watchdog'];

/** Sizes in octets, times in picoseconds, shares from 0 to 1. */
export type PausingSettings = z.output<z.ZodObject<typeof pausingKeys>>;
export type WatchdogSetting = z.output<typeof watchdogKey>;

/** Null: a port responds to pauses however long they last. */
export function watchdogOf(setting: WatchdogSetting): PauseWatchdogSpec | null {
  if (setting === false) return null;
  const keys = setting === true ? watchdogKeys.parse({}) : setting;
  const { detection, restoration, action, poll, chip, bigRedSwitch } = keys;
  return {
    detectionPs: detection,
    restorationPs: restoration === 'never' ? Infinity : restoration,
    // The big red switch has the action of its own.
    action: bigRedSwitch ? 'drop' : action,
    polled: poll === 'none' ? null : { pollPs: poll, chip },
    isForced: bigRedSwitch,
  };
}
