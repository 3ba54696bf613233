/** Arithmetic of credit: counts are totals modulo 2^31, and a window is less than half of that. */

export const COUNT_MASK = 0x7fffffff;
/** The most that may be outstanding. */
export const WINDOW_MOST = 0x3fffffff;

/**
 * A message of credit exchange has 16 bits of a total: totals are distinguished that differ by less
 * than half.
 */
export const WORD_MASK = 0xffff;
/** The most that may be outstanding where messages carry 16 bits only. */
export const WORD_WINDOW_MOST = 0x7fff;

export const EPOCH_MASK = 0x1f;

/** How far `later` is ahead of `earlier`. */
export function ahead(later: number, earlier: number): number {
  return (later - earlier) & COUNT_MASK;
}

/** The total whose low half is `word`: the one that is closest to a known total. */
export function totalOf(word: number, known: number): number {
  const more = (word - known) & WORD_MASK;
  return (known + (more > WORD_WINDOW_MOST ? more - WORD_MASK - 1 : more)) & COUNT_MASK;
}

/** A difference of counts, or a sum of differences, with its sign. */
export function signed(difference: number): number {
  return (difference << 1) >> 1;
}

/** A frame takes whole units: a fraction never creates credit. */
export function costOf(octets: number, unitOctets: number): number {
  return ((octets + unitOctets - 1) / unitOctets) | 0;
}

const NO_SHIFT = 0xff;

/** Where units are a power of two, its exponent; else NO_SHIFT. */
export function shiftOf(unitOctets: number): number {
  return (unitOctets & (unitOctets - 1)) === 0 ? 31 - Math.clz32(unitOctets) : NO_SHIFT;
}

/** The same as `costOf` for a frame, without a division where its length or the unit allow it. */
export function quickCost(octets: number, unitOctets: number, shift: number): number {
  if (octets <= unitOctets) return 1;
  return shift === NO_SHIFT ? costOf(octets, unitOctets) : (octets + unitOctets - 1) >> shift;
}

// Messages that an account has to send, one bit each. The higher is more urgent, and implies or
// invalidates the lower.

export const SAY_REPORT = 1;
export const SAY_DEMAND = 2;
export const SAY_SYNC = 4;
export const SAY_GRANT = 8;
/** Request a new epoch from the link partner's sender. */
export const SAY_RESYNC = 16;
export const SAY_ACCEPT = 32;

export const SAY_ANSWERS = SAY_GRANT | SAY_ACCEPT | SAY_RESYNC;

/** Repeated at the short interval so often after a change; then it is a keep-alive. */
const EAGER_PERIODS = 3;

/** Counts a repetition; true if it is to be repeated soon. */
export function isEagerYet(counts: Uint16Array, at: number): boolean {
  if (counts[at] === EAGER_PERIODS) return false;
  return ++counts[at] < EAGER_PERIODS;
}

/** What both halves of an account use of their port. */
export interface CreditCarrier {
  readonly clock: { readonly now: number };
  /** Not zero while any probe is attached: read for each frame, before a step is announced. */
  readonly hasListeners: Uint8Array;
  /** An account has messages to send: bits of SAY. */
  say(row: number, what: number): void;
  /** The account's timers are due at this time, or earlier. */
  wake(row: number, timePs: number): void;
  /** The account has more credit than before. */
  permit(row: number): void;
  /** The account has none any more. */
  withdraw(row: number): void;
  /** The account's first frame began, or ceased, to lack credit. */
  lacks(row: number, credit: boolean): void;
  /** Notifies probes of a step of the exchange. */
  announce(row: number, step: number, units: number): void;
  /** Octets that wait at the account. */
  waitingOctets(row: number): number;
  /** Units of frames that a link layer may send again. */
  repeatableUnits(row: number): number;
}
