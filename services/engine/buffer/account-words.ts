import { COUNTER, PEAK, SHAPE } from '../kernel/kinds.js';
import { double, fields } from '../kernel/fields.js';

// Words of an ingress buffer; there is one per port and priority group.

export const USED = 0;
/** Part of USED that is charged to the headroom. */
export const HEADROOM = 1;
export const USED_PEAK = 2;
export const HEADROOM_PEAK = 3;
export const PAUSED = 4;
export const RESERVED = 5;
export const HEADROOM_LIMIT = 6;
/** LOSSLESS_BIT and POOLED_BIT. */
export const KIND = 7;
/** Most that was beyond the reservation and not in the headroom; of buffers with pools. */
export const SHARED_PEAK = 14;
/** Frames that it did not admit; of buffers with pools. */
export const REFUSED = 15;
/** A cache line, together with the doubles. */
export const WORDS = 16;

/** At XOFF the sender is paused; what arrives then has the headroom. */
export const LOSSLESS_BIT = 1;
/** The buffer has pools (`makePools`). */
export const POOLED_BIT = 2;

// Doubles of an ingress buffer, behind its words.

export const ALPHA = 4;
export const XOFF = 5;
export const XON_GAP = 6;
export const DOUBLES = 8;
export const ACCOUNT_FIELDS = fields(WORDS, {
  used: [USED, SHAPE],
  headroom: [HEADROOM, SHAPE],
  usedPeak: [USED_PEAK, PEAK],
  headroomPeak: [HEADROOM_PEAK, PEAK],
  paused: [PAUSED, SHAPE],
  reserved: [RESERVED, SHAPE],
  headroomLimit: [HEADROOM_LIMIT, SHAPE],
  kind: [KIND, SHAPE],
  sharedPeak: [SHARED_PEAK, PEAK],
  refused: [REFUSED, COUNTER],
  alpha: [double(ALPHA), SHAPE],
  xoff: [double(XOFF), SHAPE],
  xonGap: [double(XON_GAP), SHAPE],
});

export const ADMITTED = -1;
