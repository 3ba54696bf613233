import { KB } from '../arbiter/credits.js';
import { assert } from '../kernel/assert.js';

/** How the receive memory is divided (7.7.3.1), and the watermarks of its buffers. */

export const RECEIVE_KB = 512;
export const TRANSMIT_KB = 160;

export const RECEIVE_SPLITS: Readonly<Record<string, readonly number[]>> = {
  '1x512': [512, 0, 0, 0, 0, 0, 0, 0],
  '4x128': [128, 128, 128, 128, 0, 0, 0, 0],
  '8x64': [64, 64, 64, 64, 64, 64, 64, 64],
  '4x80+4x48': [80, 80, 80, 80, 48, 48, 48, 48],
};

/** The transmit memory, in equal parts. */
export function transmitSplit(classes: number): number[] {
  return Array.from({ length: 8 }, (_, tc) => (tc < classes ? TRANSMIT_KB / classes : 0));
}

/** What drivers leave free above the high mark and keep below the low one, in KB. */
export interface Watermarks {
  readonly highKb: number;
  readonly lowKb: number;
}

const LINK_BITS = 5_556;
const INTERFACE_BITS = 18_944;
const CONTROL_FRAME_BITS = 672;
const HIGHER_LAYER_BITS = 6_144;
const LOW_BITS = 14_401;

function kbOfBits(bits: number): number {
  return Math.ceil(bits / (8 * KB));
}

/**
 * High mark: what can still arrive after XOFF fits above it. Low mark: what the host reads until
 * frames arrive again. Lengths are of the longest frame, without FCS and with all that a link adds
 * to it.
 */
export function watermarks(sizeKb: number, mtuOctets: number): Watermarks {
  const frame = mtuOctets + 14 + 4;
  const link = frame + 20;
  const way = 2 * LINK_BITS + 2 * INTERFACE_BITS;
  const bits = 8 * link + CONTROL_FRAME_BITS + way + HIGHER_LAYER_BITS;
  const delay = Math.floor((36 * bits) / 25) + 1 + 2 * 8 * link;
  const room = sizeKb - kbOfBits(delay);
  const highKb = room > 0 ? room : Math.ceil(frame / KB) + 1;
  const lowKb = kbOfBits(2 * (16 * frame + LOW_BITS));
  assert(highKb > 0 && lowKb > 0, 'nic.watermarks');
  return { highKb, lowKb: lowKb > highKb ? 0 : lowKb };
}
