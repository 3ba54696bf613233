/**
 * Priority Code Points of VLAN tags: what priority and drop_eligible become in the PCP of a tag
 * (802.1Q table 6-2), and what a PCP means to who receives it (table 6-3). A coding with n
 * priorities that may be drop eligible has 8 - n in all.
 */

import { assert } from '../kernel/assert.js';
import { PRIORITY_NUMBERS } from '../units/ethernet.js';

/** PCP Selection of a port (802.1Q 12.6.2.7). */
export const CODINGS = ['8P0D', '7P1D', '6P2D', '5P3D'] as const;

export type Coding = (typeof CODINGS)[number];

/** A priority, and above its three bits drop_eligible, as in the class of a frame. */
export const DROP_ELIGIBLE = 8;
/** The same of a frame without a tag, where tags make a difference. */
export const UNTAGGED = 16;

/** Of each priority, and of it as drop eligible: its PCP. */
const ENCODING: Readonly<Record<Coding, readonly [string, string]>> = {
  '8P0D': ['01234567', '01234567'],
  '7P1D': ['01235567', '01234467'],
  '6P2D': ['01335567', '01224467'],
  '5P3D': ['11335567', '00224467'],
};

/** Of each PCP: its priority; and PCPs that mean drop eligible, one bit each. */
const DECODING: Readonly<Record<Coding, readonly [string, number]>> = {
  '8P0D': ['01234567', 0],
  '7P1D': ['01234467', 0b00010000],
  '6P2D': ['01224467', 0b00010100],
  '5P3D': ['00224467', 0b00010101],
};

/** How a port reads and writes the priorities of frames. */
export interface PortCoding {
  readonly pcp: Coding;
  /** The DEI of tags means drop_eligible; else it is sent as 0, and not read (802.1Q 6.9.3). */
  readonly usesDei: boolean;
  /** Of frames that come in without a tag (802.1Q 6.9.1); null: they keep their priority. */
  readonly defaultPriority: number | null;
  /** Of each priority that comes in: the one that it gets (802.1Q 6.9.4). */
  readonly regeneration: readonly number[];
}

export const PLAIN_CODING: PortCoding = {
  pcp: '8P0D',
  usesDei: true,
  defaultPriority: null,
  regeneration: PRIORITY_NUMBERS,
};

/** PCP of a tag, and its DEI as `DROP_ELIGIBLE`: of a priority with its `DROP_ELIGIBLE`. */
export function codePointOf({ pcp, usesDei }: PortCoding, priority: number): number {
  assert(priority >= 0 && priority < UNTAGGED, 'code-point.of-priority');
  const isEligible = priority >= DROP_ELIGIBLE;
  const code = Number(ENCODING[pcp][isEligible ? 1 : 0][priority % DROP_ELIGIBLE]);
  return isEligible && usesDei ? code | DROP_ELIGIBLE : code;
}

/** Priority, with its `DROP_ELIGIBLE`, of a tag's PCP and DEI. */
function priorityOf({ pcp, usesDei }: PortCoding, codePoint: number): number {
  const [priorities, eligible] = DECODING[pcp];
  const code = codePoint % DROP_ELIGIBLE;
  const isEligible =
    (eligible & (1 << code)) !== 0 || (usesDei && (codePoint & DROP_ELIGIBLE) !== 0);
  return Number(priorities[code]) | (isEligible ? DROP_ELIGIBLE : 0);
}

/**
 * What becomes of priorities on a link: by the priority at its sender, with `DROP_ELIGIBLE`, and
 * behind those of tagged frames the same of untagged ones. Null where all stay as they are.
 */
export function prioritiesAcross(sender: PortCoding, receiver: PortCoding): Uint8Array | null {
  const { defaultPriority, regeneration } = receiver;
  const table = Uint8Array.from({ length: 2 * UNTAGGED }, (_, at) => {
    const sent = at % UNTAGGED;
    const came =
      at < UNTAGGED ? priorityOf(receiver, codePointOf(sender, sent)) : (defaultPriority ?? sent);
    return regeneration[came % DROP_ELIGIBLE] | (came & DROP_ELIGIBLE);
  });
  return table.every((priority, at) => priority === at % UNTAGGED) ? null : table;
}
