/** What a scenario lets go wrong, in base units. */

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
  | 'steal-credit'
  | 'stuck-credit'
  | 'shrink-buffer'
  | 'reboot';

/** Ports that meet all of this; null: any. */
export interface FaultPlace {
  /** Name or pattern of the port's device, or of the port itself. */
  readonly device: string | null;
  readonly port: string | null;
  readonly kind: 'host' | 'switch' | null;
  readonly tier: string | null;
  /** Name or pattern of the device at the other end. */
  readonly peer: string | null;
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
  /** So long after it was there, all is well again; null: not promised. */
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
  readonly octets: readonly number[];
  readonly bytes: number;
}
