/** `mvtx2802`: the registers of such a switch, from the file to their values. */

import type { z } from 'zod';
import {
  LEAST_XOFF_SLOTS,
  MVTX2802_DEFAULTS,
  RATE_PARTS,
  SCHEDULERS,
  SHAPER_BURST,
  WRED_DEFAULTS,
} from '../../engine/mvtx2802/managed.js';
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
import type { Path } from '../../settings/source-tree.js';
import type { Places } from '../rate-control-slice.js';
import type { SlotsChange, SlotsSection, SlottedPortSection } from './section.js';

/** A value of `model`, and the key of its registers. */
export const NAME = 'mvtx2802' as const;

/** More slots than the largest memory has. */
const SLOTS_MOST = 1365;
const CLASS_KEYS = { pattern: /^[2-7]$/, allowed: 'a class 2 to 7; P0 and P1 have none' };

const wredKeys = {
  sum: choice(['delay-bound', 'wfq'])
    .describe(
      'Load of an output port: 16 P7 + 16 P6 + 8 P5 + 4 P4 + 2 P3 + P2, or the plain sum, in ' +
        'bytes queued.',
    )
    .prefault('delay-bound'),
  levels: list(quantity(size), 'three sizes')
    .length(3, { error: ({ input }) => `not 3 levels: ${(input as unknown[]).length}` })
    .describe('Loads above which the first, the second and the third row of the table apply.')
    .prefault([...WRED_DEFAULTS.levels]),
  thresholds: keyed(CLASS_KEYS, quantity(size).describe('Threshold of the class.'))
    .describe(
      'A queue not above its threshold loses nothing (A to F of P7 to P2). Default: ' +
        `${Object.values(WRED_DEFAULTS.thresholds).join(', ')} for classes 2 to 7.`,
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

const shaperKeys = {
  peak: integer(1, RATE_PARTS).describe('Peak rate, in 64ths of the port.'),
  average: integer(1, RATE_PARTS).describe('Average rate, in 64ths of the port.'),
  burst: quantity(size)
    .describe('So many bytes may the class be ahead of its average.')
    .prefault(SHAPER_BURST),
};

const WRED = 'Random early discard, for ports without flow control and classes P7 to P2.';

const keys = {
  memory: choice(['1MB', '2MB'])
    .describe('Frame data buffer: 682 or 1365 slots of 1536 bytes, one frame each.')
    .prefault(MVTX2802_DEFAULTS.memory),
  temporary: integer(1, SLOTS_MOST)
    .describe(
      'Slots kept for frames that are still coming in; one that finds none at its first bit is ' +
        'dropped.',
    )
    .prefault(MVTX2802_DEFAULTS.temporarySlots),
  classes: keyed(CLASS_KEYS, integer(0, SLOTS_MOST).describe('Slots of the class.'))
    .describe(
      `Slots kept for the frames of each class. Default: ${MVTX2802_DEFAULTS.classSlots} each.`,
    )
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
    .describe('Where a frame without a slot of its class takes one first.')
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
  vlanCongestion: keyed(
    { pattern: /^[1-9][0-9]{0,3}$/, allowed: 'a VLAN 1 to 4094' },
    integer(1, SLOTS_MOST).describe('Frames, as `congestion`.'),
  )
    .describe('Managed: `congestion` of single VLANs.')
    .prefault({}),
  scheduler: choice(SCHEDULERS)
    .describe(
      'Order of the queues of a port. classes: the arbiter of `classes`; delay-bound: P7 to P2 ' +
        'by due dates (0.16, 0.16, 0.32, 0.64, 1.28 and 2.56 ms at 1G), then P1 and P0; ' +
        'strict-delay-bound: P7 and P6 before the due dates; strict-wfq: P7 and P6, then ' +
        'weights; wfq: weights.',
    )
    .prefault('classes'),
  weights: keyed(
    { pattern: /^[0-7]$/, allowed: 'a class 0 to 7' },
    integer(1, RATE_PARTS).describe('Weight of the class.'),
  )
    .describe(
      'Weights of wfq, for all classes that it serves; they add up to 64. Default: as equal as ' +
        'whole numbers are.',
    )
    .prefault({}),
  shaper: either(
    [word('off'), mapping(shaperKeys)],
    'a shaper',
    'off, or a mapping such as { peak: 32, average: 16 }',
  )
    .describe('Peak and average rate of class P6, which is strict: frames wait on an idle port.')
    .prefault('off'),
  cpuPort: either([word('none'), integer(1, 5)], 'a port', 'none, or the number of a port')
    .describe(
      'Port of the CPU, beside the four others: it has the fifth region of sources, no 802.3x, ' +
        'no shaper, and no bit in the port maps of multicast.',
    )
    .prefault('none'),
  wred: mapping(wredKeys).describe(WRED).prefault({}),
  responseDelay: quantity(time)
    .describe('Time from the last bit of a PAUSE frame to its effect, at both ends of the links.')
    .prefault('0ns'),
};

const schema = mapping(keys);
const changeSchema = mapping(
  overriding({ ...keys, wred: mapping(overriding(wredKeys)).describe(WRED) }),
);
const REGISTERS = 'Registers of the MVTX2802; they apply where `model` is mvtx2802.';

/** Of `switches`. */
export const switchKeys = { mvtx2802: schema.describe(REGISTERS).prefault({}) };
/** Of a device: absent keys are those of `switches`. */
export const deviceKeys = { mvtx2802: changeSchema.describe(REGISTERS).exactOptional() };
/** Of a port of a device. */
export const portKeys = {
  flowControl: flag()
    .describe('Of an MVTX2802: whether this port has 802.3x. Default: as all its ports.')
    .exactOptional(),
  fixed: mapping({
    class: integer(0, 7).describe('Class of every frame that comes in here.'),
    dropPrecedence: choice(['low', 'high']).describe('Its drop precedence.').prefault('low'),
  })
    .describe('Of an MVTX2802: class and precedence of the port. Default: by priority and DEI.')
    .exactOptional(),
};

type Registers = z.output<typeof schema>;
type RegistersChange = z.output<typeof changeSchema>;
type PortInput = {
  readonly [Key in keyof typeof portKeys]?: z.output<(typeof portKeys)[Key]>;
};

type ErrorPlaces = Pick<Places, 'errorAt'>;

const KEPT_CLASSES = [2, 3, 4, 5, 6, 7] as const;

type WredChange = SlotsChange['wred'];

/** All registers: as in the file, or by default. */
export function slotsSection(
  { mvtx2802: input }: { readonly mvtx2802: Registers },
  path: Path,
  places: ErrorPlaces,
): SlotsSection {
  const { classes, wred, ...registers } = changeOf(input, [...path, NAME], places);
  const slots = KEPT_CLASSES.map((tc): [number, number] => [tc, MVTX2802_DEFAULTS.classSlots]);
  const thresholds = KEPT_CLASSES.map((tc): [number, number] => [
    tc,
    size.parse(WRED_DEFAULTS.thresholds[tc]),
  ]);
  return {
    ...(registers as Omit<SlotsSection, 'classes' | 'wred'>),
    classes: { ...Object.fromEntries(slots), ...classes },
    wred: {
      ...(wred as Required<WredChange>),
      thresholds: { ...Object.fromEntries(thresholds), ...wred.thresholds },
    },
  };
}

/** What a device changes, if it does. */
export function slotsChange(
  { mvtx2802: input }: { readonly mvtx2802?: RegistersChange },
  path: Path,
  places: ErrorPlaces,
): { readonly slots?: SlotsChange } {
  return input === undefined ? {} : { slots: changeOf(input, [...path, NAME], places) };
}

function changeOf(input: RegistersChange, path: Path, places: ErrorPlaces): SlotsChange {
  const { memory, temporary, classes, source, xoff, order, flowControl, normalQos } = input;
  const { multicast, mcc, multicastStops, congestion, responseDelay } = input;
  const { vlanCongestion, scheduler, weights, shaper, cpuPort } = input;
  return {
    ...(memory !== undefined && { memory }),
    ...(temporary !== undefined && { temporarySlots: temporary }),
    classes: classes ?? {},
    ...(source !== undefined && { sourceSlots: source }),
    ...(xoff !== undefined && { xoffSlots: xoff === 'auto' ? null : xoff }),
    ...(order !== undefined && { allocationOrder: order }),
    ...(flowControl !== undefined && { flowControl }),
    ...(normalQos !== undefined && { normalQos }),
    ...(multicast !== undefined && { multicast }),
    ...(mcc !== undefined && { mcc }),
    ...(multicastStops !== undefined && { multicastStops }),
    ...(congestion !== undefined && { congestionFrames: congestion }),
    ...(vlanCongestion !== undefined && { vlanCongestionFrames: vlanCongestion }),
    ...(scheduler !== undefined && { scheduler }),
    ...(weights !== undefined && { weights }),
    ...(shaper !== undefined && { shaper: shaperSection(shaper) }),
    ...(cpuPort !== undefined && { cpuPort: cpuPort === 'none' ? null : cpuPort }),
    ...(responseDelay !== undefined && { responseDelayPs: responseDelay }),
    wred: wredChange(input.wred ?? {}, [...path, 'wred'], places),
  };
}

function shaperSection(shaper: NonNullable<RegistersChange['shaper']>): SlotsSection['shaper'] {
  if (shaper === 'off') return null;
  const { peak, average, burst } = shaper;
  return { peak, average, burstBytes: burst };
}

function wredChange(
  input: NonNullable<RegistersChange['wred']>,
  path: Path,
  places: ErrorPlaces,
): WredChange {
  const { sum, levels, thresholds, x, y, z } = input;
  if (levels?.some((level, i) => i > 0 && level <= levels[i - 1])) {
    throw places.errorAt([...path, 'levels'], 'the levels do not rise: the third is the highest');
  }
  return {
    ...(sum !== undefined && { sum }),
    ...(levels !== undefined && { levels: levels as [number, number, number] }),
    thresholds: thresholds ?? {},
    ...(x !== undefined && { firstHigh: x }),
    ...(y !== undefined && { secondHigh: y }),
    ...(z !== undefined && { secondLow: z }),
  };
}

/** Registers with what a device changes. */
export function changedSlots(slots: SlotsSection, change: SlotsChange): SlotsSection {
  return {
    ...slots,
    ...change,
    classes: { ...slots.classes, ...change.classes },
    wred: {
      ...slots.wred,
      ...change.wred,
      thresholds: { ...slots.wred.thresholds, ...change.wred.thresholds },
    },
  };
}

export function portSection({ flowControl, fixed }: PortInput): SlottedPortSection {
  return {
    flowControl: flowControl ?? null,
    fixed:
      fixed === undefined
        ? null
        : { trafficClass: fixed.class, highPrecedence: fixed.dropPrecedence === 'high' },
  };
}

export const TOPICS = {
  mvtx2802:
    'A four-port gigabit switch whose memory is slots of one frame, kept for classes and for ' +
    'source ports. Frames of a port with flow control go to the lowest queue and are never ' +
    'dropped: 802.3x PAUSE stops its link partner when its own slots run out, until all are ' +
    'free. Frames of other ports keep their class, and WRED may drop them. `switches: { model: ' +
    'mvtx2802 }`.',
} as const;
