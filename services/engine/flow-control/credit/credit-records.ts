import type { Tables } from '../../kernel/tables.js';

// What every frame touches of an account, both halves side by side: words of its record, which is
// one line of the cache, and doubles, which are another.

export const RECORD_SHIFT = 4;

// Of the sending half.

/** Units used since the epoch began. */
export const CONSUMED = 0;
/** The highest count allowed. */
export const ALLOWED = 1;
/** Reports since the last change. */
export const REPORTS = 2;
/** Octets of a unit that the neighbour grants. */
export const ASKED_UNIT = 3;

export const MODES = 4;
export const CUMULATIVE = 1;
export const UNSOLICITED = 2;
export const LOOKS_AHEAD = 4;
/** It matters how much waits in line: to ask ahead, or because credit ages when nothing does. */
export const MINDS_LINE = 8;

// Of the receiving half.

/** Octets of a unit that this end grants. */
export const UNIT = 5;
/** Units that it may have promised at most; -1 if that depends on the other channels. */
export const TARGET = 6;
export const STEP = 7;
/** Units of the longest frame that may come. */
export const FRAME = 8;
export const OPENED = 9;
/** Units that came past: received, or known to be missing. */
export const PASSED = 10;
/** Units in the buffer now. */
export const OCCUPIED = 11;
/** The highest count granted. */
export const LIMIT = 12;
export const LIMIT_SAID = 13;
export const OCCUPIED_PEAK = 14;
/** Refreshes since the last change. */
export const REFRESHES = 15;

export const TIMES_SHIFT = 3;

export const REPORT_AT = 0;
/** A changed count of what was used is said again after this time. */
export const REPORT_PS = 1;
export const LAST_USE = 2;
export const SPENT = 3;
export const REFRESH_AT = 4;
/** A changed limit is said again after this time. */
export const REFRESH_PS = 5;
export const ACTIVE_AT = 6;
export const RECEIVED = 7;

/** The records of all accounts. */
export interface CreditRecords {
  readonly counts: Int32Array;
  readonly times: Float64Array;
}

export function makeCreditRecords(tables: Tables): CreditRecords {
  const counts = tables.int32('credit', 1 << RECORD_SHIFT);
  const times = tables.float64('credit', 1 << TIMES_SHIFT);
  for (let t = 0; t < times.length; t += 1 << TIMES_SHIFT) {
    times[t | REFRESH_AT] = -Infinity;
    times[t | ACTIVE_AT] = -Infinity;
  }
  return { counts, times };
}
