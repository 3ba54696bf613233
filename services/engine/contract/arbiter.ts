/** What an arbiter may know of the queues it chooses from: nothing but who waits and how long. */
export interface Heads {
  /** Wire octets (preamble and gap included) of the first frame of a traffic class. */
  headWireOctets(port: number, trafficClass: number): number;
}

/**
 * Chooses among the traffic classes of one port. It sees only classes that may send now: pauses,
 * other gates have been folded into `eligible` before.
 */
export interface Arbiter {
  /** The class whose head frame goes next; `eligible` has a bit per class and is never 0. */
  pick(eligible: number, heads: Heads, port: number): number;
}

export type ArbiterSpec =
  | { readonly kind: 'strict' }
  | { readonly kind: 'round-robin' }
  | { readonly kind: 'dwrr'; readonly weights: readonly number[] }
  /** Percent of what the strict classes leave; null marks a strict class. */
  | { readonly kind: 'ets'; readonly shares: readonly (number | null)[] }
  /** Weighted strict priority of the 82599, configured by its registers. */
  | { readonly kind: 'weighted-strict' };
