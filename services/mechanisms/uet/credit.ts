/**
 * Receiver-credit congestion control (UE 1.0.3, 3.6.14) at a sender: octets that it may send are
 * granted by its receiver, as a total that only rises, so a message that is lost is made up for by
 * the next. What it wants is a total, too. Transitions on a record of doubles that starts at `s`.
 */

import { assert } from '../../engine/kernel/assert.js';
import { assertFields } from '../../engine/kernel/fields.js';
import { RECEIVED_MODULO, RECEIVED_UNIT } from '../../engine/wire/uet.js';
import type { CreditSpec } from './spec.js';

/** Octets that may be sent; less than 0 by a packet at most. */
const CREDIT = 0;
/** Units that were granted, as the newest message says. */
const GRANTED = 1;
/** Nothing has come back yet: what is sent is not granted. */
const IS_SPECULATING = 2;
/** The total that the newest packet wants. */
const ASKED = 3;
export const CREDIT_WORDS = 4;
assertFields(CREDIT_WORDS, CREDIT, GRANTED, IS_SPECULATING, ASKED);

/** What a frame carries of the total that is wanted. */
export const TARGET_MODULO = 2 ** 16;

export function beginCredit(table: Float64Array, s: number, { maxCredit }: CreditSpec): void {
  table[s + CREDIT] = maxCredit;
  table[s + IS_SPECULATING] = 1;
}

export function spendCredit(table: Float64Array, s: number, octets: number): void {
  table[s + CREDIT] -= octets;
}

export function hasCredit(table: Float64Array, s: number): boolean {
  return table[s + CREDIT] > 0;
}

/** An answer of any kind: what was not granted is not sent any more. */
export function endSpeculation(table: Float64Array, s: number): void {
  if (table[s + IS_SPECULATING] === 0) return;
  table[s + IS_SPECULATING] = 0;
  table[s + CREDIT] = Math.min(0, table[s + CREDIT]);
}

/** The receiver has granted so many units in all; one that was overtaken grants nothing. */
export function grantCredit(
  table: Float64Array,
  s: number,
  { maxCredit }: CreditSpec,
  total: number,
): void {
  const units = (total - table[s + GRANTED] + RECEIVED_MODULO) % RECEIVED_MODULO;
  if (units >= RECEIVED_MODULO / 2) return;
  table[s + GRANTED] = total;
  table[s + CREDIT] = Math.min(maxCredit, table[s + CREDIT] + units * RECEIVED_UNIT);
  assert(table[s + CREDIT] <= maxCredit, 'uet.most-credit');
}

/**
 * Whether the receiver has granted all that it was asked for. What is left then, as the end of
 * speculation leaves some, it does not know of: one packet tells it, at once.
 */
export function isUnheard(table: Float64Array, s: number): boolean {
  const open = (table[s + ASKED] - (table[s + GRANTED] % TARGET_MODULO)) % TARGET_MODULO;
  return (open + TARGET_MODULO) % TARGET_MODULO === 0;
}

/** The total that is wanted, for so many octets that wait, and goes to the receiver. */
export function askFor(
  table: Float64Array,
  s: number,
  { maxCredit }: CreditSpec,
  waitingOctets: number,
): number {
  const lacking = Math.min(waitingOctets, maxCredit) - Math.max(0, table[s + CREDIT]);
  const units = Math.ceil(Math.max(0, lacking) / RECEIVED_UNIT);
  table[s + ASKED] = (table[s + GRANTED] + units) % TARGET_MODULO;
  return table[s + ASKED];
}

/** An invariant that does not hold; null. Packets that ask, or come again, are not granted. */
export function brokenCredit(
  table: Float64Array,
  s: number,
  { maxCredit }: CreditSpec,
): string | null {
  const isBound = table[s + CREDIT] <= maxCredit && table[s + GRANTED] < RECEIVED_MODULO;
  return isBound ? null : 'uet: creditIsWithinItsBound';
}
