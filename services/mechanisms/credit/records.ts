import { UNKNOWN } from '../../engine/kernel/kinds.js';
import type { Tables } from '../../engine/kernel/tables.js';
import { assertFields, field } from '../../engine/kernel/fields.js';

// What every frame reads of an account, both halves in one cache line: small numbers in half words,
// then totals in words; and doubles, which only messages and timers use.

export const RECORD_SHIFT = 5;

// Of the sending half.

/** Reports since the last change. */
export const REPORTS = 0;
/** Octets of a unit that the link partner grants. */
export const ASKED_UNIT = 1;
export const ASKED_SHIFT = 2;

export const MODES = 3;
export const CUMULATIVE = 1;
export const UNSOLICITED = 2;
export const LOOKS_AHEAD = 4;
/** The backlog is needed: to request ahead, or because credit ages when there is none. */
export const USES_BACKLOG = 8;
/** It requests credit when it lacks some. */
export const ASKS = 16;
export const AGES = 32;
/** Its target depends on the other channels. */
export const SHARES = 64;

/** The link partner sends no requests: data shows that it needs credit. */
export const UNASKED = 1024;

// Not modes, but read together with them.

/** It has reported since the last change. */
export const REPORTED = 128;
/** It has repeated its grant since the last change. */
export const REFRESHED = 256;
/** The link partner has begun an epoch. */
export const OPENED = 512;
/** The total received last was older than the one before. */
export const WENT_BACK = 2048;
/** A demand, or a new epoch, waits for its answer: only that may grant more. */
export const DEMANDED = 4096;
/** The link partner's totals have 31 bits. */
export const ASKED_WIDE = 8192;
/** The receiver is shaped: a token bucket limits grants. */
export const SHAPED = 16384;
/** The buffer had no room for the epoch that the link partner requested. */
export const REFUSED = 32768;

export const STATE = 4;
export const SENDER_EPOCH = 5;
/** The first frame in line lacks credit. */
export const BLOCKED = 6;

// Of the receiving half.

/** Octets of a unit that this end grants. */
export const UNIT = 7;
export const UNIT_SHIFT = 8;
/** Units of the longest frame that may be received. */
export const FRAME = 9;
/** Refreshes since the last change. */
export const REFRESHES = 10;
export const RECEIVER_EPOCH = 11;
/** The link partner has sent a request since it last was idle. */
export const WANTED = 12;

// Words of the same record, behind these: totals, and what is compared with them.

export const WORDS_SHIFT = 4;

// Of the sending half.

/** Units used since the epoch began. */
export const CONSUMED = 7;
/** The highest count allowed. */
export const ALLOWED = 8;

// Of the receiving half.

/** Upper bound of the units granted; stored where it does not depend on other channels. */
export const TARGET = 9;
export const STEP = 10;
/** Units that have passed: received, or known to be missing. */
export const PASSED = 11;
/** The highest count granted when it was last computed. */
export const LIMIT = 12;
export const LIMIT_SENT = 13;
/** Units in the buffer now. */
export const OCCUPIED = 14;
export const OCCUPIED_PEAK = 15;

export const TIMES_SHIFT = 3;

export const REPORT_AT = 0;
/** A changed count of used units is repeated after this time. */
export const REPORT_PS = 1;
/** Stored where credit ages. */
export const LAST_USE = 2;
export const SPENT = 3;
export const REFRESH_AT = 4;
/** A changed limit is repeated after this time. */
export const REFRESH_PS = 5;
/** Stored where the target of an account depends on the others. */
export const ACTIVE_AT = 6;
export const RECEIVED = 7;
assertFields(
  1 << TIMES_SHIFT,
  REPORT_AT,
  REPORT_PS,
  LAST_USE,
  SPENT,
  REFRESH_AT,
  REFRESH_PS,
  ACTIVE_AT,
  RECEIVED,
);

// Doubles of the receiving half that only some frames touch.

export const SYNC_ASKED_AT = 0;
/** Units of lost frames and of aged credit that were recovered. */
export const RECOVERED = 1;
/** The link partner reported that it sent less than was received. */
export const CONTRADICTIONS = 2;
export const RESYNCS = 3;
/** Units received that were not granted: the link partner still uses another method. */
export const VIOLATIONS = 4;
/** PASSED when RECEIVED was last updated. */
export const RECEIVED_MARK = 5;
/** How often it had to return unused credit. */
export const RECLAIMED = 6;
/** Since when nothing has been stored, if nothing is. */
export const EMPTY_SINCE = 7;
export const RECEIVER_DOUBLES = 8;
assertFields(
  RECEIVER_DOUBLES,
  SYNC_ASKED_AT,
  RECOVERED,
  CONTRADICTIONS,
  RESYNCS,
  VIOLATIONS,
  RECEIVED_MARK,
  RECLAIMED,
  EMPTY_SINCE,
);

export const RECEIVER_FIELDS = field('credit receiver', UNKNOWN, RECEIVER_DOUBLES);

/** The records of all accounts. */
export interface CreditRecords {
  readonly counts: Uint16Array;
  readonly words: Int32Array;
  readonly times: Float64Array;
}

export function makeCreditRecords(tables: Tables): CreditRecords {
  const { words } = tables.records('credit', field('account', UNKNOWN, 16));
  const counts = new Uint16Array(words.buffer, words.byteOffset, 2 * words.length);
  const times = tables.float64('credit', field('account times', UNKNOWN, 1 << TIMES_SHIFT));
  for (let t = 0; t < times.length; t += 1 << TIMES_SHIFT) {
    times[t | REFRESH_AT] = -Infinity;
    times[t | ACTIVE_AT] = -Infinity;
  }
  return { counts, words, times };
}
