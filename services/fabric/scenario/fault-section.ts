/** Faults of a scenario, in base units. */

import type { Place } from './place.js';

interface FaultPlace extends Place {
  /** Each of these ports has the fault with this probability, sampled once by the seed. */
  readonly probability: number;
}

export interface FaultSection {
  readonly name: string;
  /** One of `FAULT_KINDS`. */
  readonly kind: string;
  readonly where: FaultPlace;
  readonly startPs: number;
  /** Infinity: to the end. */
  readonly forPs: number;
  /** Infinity: once. */
  readonly everyPs: number;
  readonly times: number;
  /** Infinity: no such time. */
  readonly untilPs: number;
  readonly random: boolean;
  readonly stream: string;
  /** So long after its end, everything has recovered; null: not required. */
  readonly recoverPs: number | null;
  /** Keys of its kind, as they are given. */
  readonly given: Readonly<Record<string, unknown>>;
}

/** When a fault is over for the last time; Infinity: it lasts to the end of the run. */
export function faultEndPs({ startPs, forPs, everyPs, times, untilPs }: FaultSection): number {
  const lastPs = everyPs === Infinity ? startPs : startPs + everyPs * (times - 1);
  return Math.min(untilPs, lastPs + forPs);
}
