/** Schema of `mvtx2802`: the registers of a switch that is this part. */

import type { z } from 'zod';
import {
  LEAST_XOFF_SLOTS,
  MVTX2802_DEFAULTS,
  WRED_DEFAULTS,
} from '../../engine/flow-control/mvtx2802/mvtx2802-managed.js';
import { share, size, time } from '../../settings/quantities.js';
import {
  choice,
  either,
  flag,
  integer,
  keyed,
  list,
  mapping,
  overriding,
  quantity,
  word,
} from '../../settings/parts.js';

/** More slots than the biggest memory has are never meant. */
const SLOTS_MOST = 1365;
const CLASS_KEYS = { pattern: /^[2-7]$/, allowed: 'a class 2 to 7; P0 and P1 have none' };

const wredKeys = {
  sum: choice(['delay-bound', 'wfq'])
    .describe(
      'Load of an output port: 16 P7 + 16 P6 + 8 P5 + 4 P4 + 2 P3 + P2, or the plain sum, in ' +
        'octets queued.',
    )
    .prefault('delay-bound'),
  levels: list(quantity(size), 'three sizes')
    .length(3, { error: ({ input }) => `not 3 levels: ${(input as unknown[]).length}` })
    .describe('Loads above which the first, the second and the third row of the table apply.')
    .prefault([...WRED_DEFAULTS.levels]),
  thresholds: keyed(CLASS_KEYS, quantity(size).describe('Threshold of the class.'))
    .describe(
      'A queue not above its threshold loses nothing (A to F of P7 to P2). ' +
        'Default: 4, 4, 8, 16, 32 and 64 KiB for 7 to 2.',
    )
    .prefault({}),
  x: quantity(share)
    .describe('First level: share to drop of frames with high drop precedence.')
    .prefault(WRED_DEFAULTS.x),
  y: quantity(share)
    .describe('Second level: share to drop of frames with high drop precedence.')
    .prefault(WRED_DEFAULTS.y),
  z: quantity(share)
    .describe('Second level: share to drop of the others. Of the third level, all are dropped.')
    .prefault(WRED_DEFAULTS.z),
};

const WRED = 'Random early discard, for ports without flow control and classes P7 to P2.';

const keys = {
  memory: choice(['1MB', '2MB'])
    .describe('Frame data buffer: 682 or 1365 slots of 1536 octets, one frame each.')
    .prefault(MVTX2802_DEFAULTS.memory),
  temporary: integer(1, SLOTS_MOST)
    .describe('Slots kept for frames that are still coming in.')
    .prefault(MVTX2802_DEFAULTS.temporarySlots),
  classes: keyed(CLASS_KEYS, integer(0, SLOTS_MOST).describe('Slots of the class.'))
    .describe('Slots kept for the frames of each class. Default: 8 each.')
    .prefault({}),
  source: integer(1, SLOTS_MOST)
    .describe('Slots kept for each source: the four ports and the CPU.')
    .prefault(MVTX2802_DEFAULTS.sourceSlots),
  xoff: either(
    [word('auto'), integer(LEAST_XOFF_SLOTS, SLOTS_MOST)],
    'a threshold',
    'auto, or slots from 2',
  )
    .describe(
      'So many of its own slots in use stop a source; auto: the rest holds what the delays of ' +
        'the link let come after Xoff, in the shortest frames.',
    )
    .prefault('auto'),
  order: choice(['shared-first', 'source-first'])
    .describe('Where a frame without a slot of its class looks first.')
    .prefault('shared-first'),
  flowControl: flag()
    .describe(
      'Ports send 802.3x PAUSE; their frames are downgraded and not lost. Single ports: ' +
        'devices.*.ports.',
    )
    .prefault(true),
  normalQos: flag()
    .describe('Frames of flow-controlled ports keep class, slots and drops.')
    .prefault(false),
  multicast: choice(['off', 'unmanaged', 'managed'])
    .describe(
      'What stops sources of frames with several destinations: nothing, a count of all of them, ' +
        'or the lowest queues of their destinations.',
    )
    .prefault('unmanaged'),
  mcc: integer(1, SLOTS_MOST)
    .describe('Unmanaged: more such frames in memory stop, fewer release.')
    .prefault(MVTX2802_DEFAULTS.mcc),
  multicastStops: choice(['source', 'all'])
    .describe('Unmanaged: which ports are paused: the source of the frame above `mcc`, or all.')
    .prefault('source'),
  congestion: integer(1, SLOTS_MOST)
    .describe('Managed: frames in the lowest queue above which a destination is congested.')
    .prefault(MVTX2802_DEFAULTS.congestionFrames),
  wred: mapping(wredKeys).describe(WRED).prefault({}),
  responseDelay: quantity(time)
    .describe('Time from the last bit of a PAUSE frame to its effect, at both ends of the links.')
    .prefault('0ns'),
};

export const mvtx2802Schema = mapping(keys);

/** Within `devices`: what is absent stays as `switches.mvtx2802` says. */
export const mvtx2802OverridesSchema = mapping(
  overriding({ ...keys, wred: mapping(overriding(wredKeys)).describe(WRED) }),
);

export const MVTX2802 = 'Registers of the MVTX2802; they apply where `model` is mvtx2802.';

export type Mvtx2802Input = z.output<typeof mvtx2802Schema>;
export type Mvtx2802ChangeInput = z.output<typeof mvtx2802OverridesSchema>;
