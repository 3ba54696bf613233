/** `mvtx2802` of the file -> registers, all or those that change. */

import {
  MVTX2802_DEFAULTS,
  WRED_DEFAULTS,
} from '../../engine/flow-control/mvtx2802/mvtx2802-managed.js';
import type { Located } from './located.js';
import { size } from '../../settings/quantities.js';
import type { Mvtx2802Change, Mvtx2802Section } from './scenario.js';
import type { Mvtx2802ChangeInput, Mvtx2802Input } from './schema-mvtx2802.js';
import type { Path } from '../../settings/source-tree.js';

const KEPT_CLASSES = [2, 3, 4, 5, 6, 7] as const;

type WredChange = Mvtx2802Change['wred'];

export function mvtx2802Section(
  input: Mvtx2802Input,
  path: Path,
  located: Located,
): Mvtx2802Section {
  const { classes, wred, ...registers } = mvtx2802Change(input, path, located);
  const slots = KEPT_CLASSES.map((tc): [number, number] => [tc, MVTX2802_DEFAULTS.classSlots]);
  const thresholds = KEPT_CLASSES.map((tc): [number, number] => [
    tc,
    size.parse(WRED_DEFAULTS.thresholds[tc]),
  ]);
  return {
    ...(registers as Omit<Mvtx2802Section, 'classes' | 'wred'>),
    classes: { ...Object.fromEntries(slots), ...classes },
    wred: {
      ...(wred as Required<WredChange>),
      thresholds: { ...Object.fromEntries(thresholds), ...wred.thresholds },
    },
  };
}

export function mvtx2802Change(
  input: Mvtx2802ChangeInput,
  path: Path,
  located: Located,
): Mvtx2802Change {
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
    wred: wredChange(input.wred ?? {}, [...path, 'wred'], located),
  };
}

function shaperSection(
  shaper: NonNullable<Mvtx2802ChangeInput['shaper']>,
): Mvtx2802Section['shaper'] {
  if (shaper === 'off') return null;
  const { peak, average, burst } = shaper;
  return { peak, average, burstBytes: burst };
}

function wredChange(
  input: NonNullable<Mvtx2802ChangeInput['wred']>,
  path: Path,
  located: Located,
): WredChange {
  const { sum, levels, thresholds, x, y, z } = input;
  if (levels?.some((level, i) => i > 0 && level <= levels[i - 1]!)) {
    throw located.errorAt([...path, 'levels'], 'the levels do not rise: the third is the highest');
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
