/**
 * Kinds of state. A fabric that repeats itself is in the same state a period later but for what
 * moves along: times by the period, packet numbers by the packets of the period. What may differ,
 * and by how much, cannot be read off two values: a number that stands still for three periods may
 * be one that everything else runs away from. So each number of state declares its kind where it is
 * made, and one that has none is in no state that is taken for repeated.
 *
 * Kinds are data beside the arrays. Nothing asks for them while events are executed.
 */
export type Kind =
  | { readonly is: 'shape' | 'stamp' | 'counter' | 'peak' | 'derived' }
  | { readonly is: 'due'; readonly none: number; readonly towards?: string }
  | { readonly is: 'since'; readonly none: number }
  | { readonly is: 'sequence'; readonly none: readonly number[] }
  | { readonly is: 'countdown'; readonly none: number; readonly most: number }
  | { readonly is: 'limit'; readonly towards: string }
  | { readonly is: 'unknown'; readonly idle: number };

/** Decides what happens: is equal, or the state is another. */
export const SHAPE: Kind = { is: 'shape' };

/**
 * A time that is only compared with the present one: past, it equals any other past time; ahead, it
 * moves along, or it stands and ends what repeats. `none`: what stands for no time.
 */
export const due = (none: number): Kind => ({ is: 'due', none });
export const DUE = due(Infinity);

/** Such a time that the time `towards` of its record is compared with, too. */
export const dueTowards = (towards: string): Kind => ({ is: 'due', none: Infinity, towards });

/**
 * A time that others are computed from: it moves along, or the whole record that it is in stands
 * still. `none`: what stands for no time.
 */
export const since = (none: number): Kind => ({ is: 'since', none });

/** A time that is kept for results alone. */
export const STAMP: Kind = { is: 'stamp' };

/** Grows or falls by as much in every period, and nothing is decided by it. */
export const COUNTER: Kind = { is: 'counter' };

/**
 * A packet number of the connection that its row belongs to: it moves by as many packets as the
 * connection does. `none`: what stands for no packet.
 */
export const sequence = (...none: readonly number[]): Kind => ({ is: 'sequence', none });

/**
 * What is left until a packet of the connection that is unlike others: it falls by as many as the
 * connection moves, and is never less than 1 while it repeats. Of `most` it is so many, or more.
 */
export const countdown = (none: number, most: number): Kind => ({ is: 'countdown', none, most });

/** What the field `towards` of its record runs to: it moves along, or stands and is not reached. */
export const limit = (towards: string): Kind => ({ is: 'limit', towards });

/** The most or the least so far, for results: a period that was executed does not change it. */
export const PEAK: Kind = { is: 'peak' };

/** Follows from other state, names a place in memory, or is folded apart: a digest. */
export const DERIVED: Kind = { is: 'derived' };

/** Nobody has thought about it; `idle`: but while it has this value, it is not in use. */
export const unknown = (idle: number): Kind => ({ is: 'unknown', idle });
export const UNKNOWN = unknown(NaN);

/**
 * Kinds of an object's properties, by name: of a number or of every number in an array; a record
 * for the properties of objects in it. A class that is saved has them as `static kinds`.
 */
export interface StateKinds {
  readonly [property: string]: Kind | StateKinds;
}
