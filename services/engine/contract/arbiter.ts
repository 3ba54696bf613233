import type { Clock } from '../kernel/clock.js';
import type { TrafficClass } from '../units/indices.js';

/** What an arbiter reads of the queues it chooses from: the length of each head frame. */
export interface Heads {
  /** Wire octets (preamble and gap included) of the first frame of a traffic class. */
  headWireOctets(port: number, trafficClass: TrafficClass): number;
  /** Octets that wait in a traffic class. */
  queuedOctets(port: number, trafficClass: TrafficClass): number;
}

/**
 * Chooses among the traffic classes of one port. `eligible` has only classes that may send now:
 * pauses and other gates are already applied to it.
 */
export interface Arbiter {
  /** The class whose head frame is sent next; `eligible` has a bit per class and is never 0. */
  pick(eligible: number, heads: Heads, port: number): number;
  /** Classes, one bit each, that are served before a class however long it waits. */
  outranking(trafficClass: number): number;
}

/** Classes above one, a bit each. */
export function classesAbove(trafficClass: number): number {
  return 0xff & ~((2 << trafficClass) - 1);
}

export type ArbiterSpec =
  | { readonly kind: 'strict' }
  | { readonly kind: 'round-robin' }
  | { readonly kind: 'dwrr'; readonly weights: readonly number[] }
  /** Percent of what the strict classes leave; null marks a strict class. */
  | { readonly kind: 'ets'; readonly shares: readonly (number | null)[] }
  /** Delay bounds, beside strict classes and weights. */
  | {
      readonly kind: 'due-dates';
      /** Classes that are served before all others, one bit each. */
      readonly strict: number;
      /** By class: time from admission until a frame is due; null without a bound. */
      readonly boundsPs: readonly (number | null)[];
      /** By class; 0 without a share. */
      readonly weights: readonly number[];
    }
  /** Weighted strict priority, configured by the registers of a NIC. */
  | { readonly kind: 'weighted-strict' }
  /** As a part from outside decides, by its name. */
  | { readonly kind: 'outside'; readonly name: string; readonly settings: object };

/** An arbiter from outside, made once for each port that has it. */
export interface ArbiterKind {
  readonly name: string;
  create(place: ArbiterPlace): Arbiter;
}

export interface ArbiterPlace {
  readonly port: { readonly name: string; readonly octetPs: number };
  /** Of the run. */
  readonly seed: number;
  /** As the scenario has them: plain data. */
  readonly settings: object;
  readonly clock: Clock;
}
