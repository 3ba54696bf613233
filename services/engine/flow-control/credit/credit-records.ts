import type { Tables } from '../../kernel/tables.js';

// What every frame touches of an account: its counts, both halves in one line of the cache; and
// doubles, which only messages and timers touch.

export const RECORD_SHIFT = 5;

// Of the sending half.

/** Units used since the epoch began. */
export const CONSUMED = 0;
/** The highest count allowed. */
export const ALLOWED = 1;
/** Reports since the last change. */
export const REPORTS = 2;
/** Octets of a unit that the neighbour grants. */
export const ASKED_UNIT = 3;
export const ASKED_SHIFT = 4;

export const MODES = 5;
export const CUMULATIVE = 1;
export const UNSOLICITED = 2;
export const LOOKS_AHEAD = 4;
/** It matters how much waits in line: to ask ahead, or because credit ages when nothing does. */
export const MINDS_LINE = 8;
/** It asks when it lacks credit. */
export const ASKS = 16;
export const AGES = 32;
/** What it may have promised depends on the other channels. */
export const SHARES = 64;

// Not modes, but looked at together with them.

/** It has reported since the last change. */
export const REPORTED = 128;
/** It has said again what it grants since the last change. */
export const REFRESHED = 256;
/** The neighbour has begun an epoch. */
export const OPENED = 512;

/** CONSUMED when SPENT was last brought up to date. */
export const SPENT_MARK = 6;
export const STATE = 7;
export const SENDER_EPOCH = 8;
/** The first frame in line lacks credit. */
export const BLOCKED = 9;

// Of the receiving half.

/** Octets of a unit that this end grants. */
export const UNIT = 10;
export const UNIT_SHIFT = 11;
/** Units that it may have promised at most; kept where it does not share. */
export const TARGET = 12;
export const STEP = 13;
/** Units of the longest frame that may come. */
export const FRAME = 14;
/** Units that came past: received, or known to be missing. */
export const PASSED = 15;
/** The highest count granted when it was last looked at. */
export const LIMIT = 16;
export const LIMIT_SAID = 17;
/** Refreshes since the last change. */
export const REFRESHES = 18;
/** PASSED when RECEIVED was last brought up to date. */
export const RECEIVED_MARK = 19;
export const RECEIVER_EPOCH = 20;
/** The neighbour has asked since it last was idle. */
export const WANTED = 21;

// Words of the same record, behind its counts: copies may be more than a count can hold.

export const WORDS_SHIFT = 4;

/** Units in the buffer now. */
export const OCCUPIED = 12;
export const OCCUPIED_PEAK = 13;

export const TIMES_SHIFT = 3;

export const REPORT_AT = 0;
/** A changed count of what was used is said again after this time. */
export const REPORT_PS = 1;
/** Kept where credit ages. */
export const LAST_USE = 2;
export const SPENT = 3;
export const REFRESH_AT = 4;
/** A changed limit is said again after this time. */
export const REFRESH_PS = 5;
/** Kept where what an account may have depends on the others. */
export const ACTIVE_AT = 6;
export const RECEIVED = 7;

/** The records of all accounts. */
export interface CreditRecords {
  readonly counts: Uint16Array;
  readonly words: Int32Array;
  readonly times: Float64Array;
}

export function makeCreditRecords(tables: Tables): CreditRecords {
  const { words } = tables.records('credit');
  const counts = new Uint16Array(words.buffer, words.byteOffset, 2 * words.length);
  const times = tables.float64('credit', 1 << TIMES_SHIFT);
  for (let t = 0; t < times.length; t += 1 << TIMES_SHIFT) {
    times[t | REFRESH_AT] = -Infinity;
    times[t | ACTIVE_AT] = -Infinity;
  }
  return { counts, words, times };
}
