/** Faults of a scenario, in base units. */

import { EXCHANGE } from '../../mechanisms/registry.js';
import type { Place } from './place.js';

/** Grants that never were come to a port; it grants nothing more. */
export const STEAL_GRANTS = `steal-${EXCHANGE}` as const;
export const STUCK_GRANTS = `stuck-${EXCHANGE}` as const;

export type FaultKind =
  | 'link-down'
  | 'loss'
  | 'bit-errors'
  | 'delay'
  | 'slow-link'
  | 'control'
  | 'freeze'
  | 'storm'
  | 'forge'
  | typeof STEAL_GRANTS
  | typeof STUCK_GRANTS
  | 'shrink-buffer'
  | 'reboot'
  | 'full-table'
  | 'lldp-drift'
  | 'slow-receiver'
  | 'host-pause'
  | 'mis-cabling'
  | 'wrong-map';

interface FaultPlace extends Place {
  /** Each of these ports has the fault with this probability, sampled once by the seed. */
  readonly probability: number;
}

export interface FaultSection {
  readonly name: string;
  readonly kind: FaultKind;
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
  /** One bit each. */
  readonly priorities: number;
  /** Whether the file names priorities. */
  readonly named: boolean;
  readonly probability: number;
  readonly errorRate: number;
  /** A name of CONTROL_FRAMES. */
  readonly frames: string;
  readonly action: 'lose' | 'duplicate' | 'corrupt' | 'delay';
  readonly delayPs: number;
  readonly jitterPs: number;
  readonly rateBps: number;
  readonly intervalPs: number;
  readonly quanta: number;
  /** Of a spoofed frame; empty: it is composed of what follows. */
  readonly octets: readonly number[];
  /** Hosts: destination of a spoofed message, and its alleged source; null: the destination. */
  readonly to: string | null;
  readonly source: string | null;
  /** Null: as long as its mechanism pauses at most. */
  readonly pausePs: number | null;
  readonly bytes: number;
  /** Of learned addresses (`mac`), or of a mechanism by its name. */
  readonly table: string;
  readonly entries: number;
  readonly ppm: number;
  /** By priority: the class that is paused for it. */
  readonly classes: readonly number[];
  /** Ports whose links are swapped. */
  readonly swap: readonly string[];
}

/** When a fault is over for the last time; Infinity: it lasts to the end of the run. */
export function faultEndPs({ startPs, forPs, everyPs, times, untilPs }: FaultSection): number {
  const lastPs = everyPs === Infinity ? startPs : startPs + everyPs * (times - 1);
  return Math.min(untilPs, lastPs + forPs);
}
