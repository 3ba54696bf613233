/** What goes wrong in the emulated world, and when; plain data, made by assembly. */

import type { Priority } from '../units/indices.js';
import type { BufferChange } from './memory.js';

export interface FaultTimes {
  readonly startPs: number;
  /** How long it lasts each time; Infinity: to the end. */
  readonly forPs: number;
  /** From one beginning to the next; Infinity: once. */
  readonly everyPs: number;
  readonly times: number;
  /** It is over by then, and does not come again; Infinity: no such time. */
  readonly untilPs: number;
  /** `forPs` is a mean, and `everyPs` the mean time from an end to the next beginning. */
  readonly random: boolean;
  /** Names the random stream; faults of one stream begin and end together. */
  readonly stream: string;
}

/** A table of a switch that can be full: `mac`, or one of a mechanism, by its name. */
export type TableKind = string;

/** Which control frames: those whose EtherType and opcode are these; -1 takes any. */
export interface ControlMatch {
  readonly etherType: number;
  readonly opcode: number;
  /** Offset of the octet that names priorities; -1 where the kind has none. */
  readonly vectorAt: number;
  /** Of these priorities, one bit each. */
  readonly priorities: number;
  /** Messages that cross the fabric as frames, a bit each. */
  readonly messages: number;
}

/** A frame with spoofed octets. */
export interface ForgedMessage {
  readonly priority: Priority;
  /** Position of the station that it is sent to; -1: the link partner. */
  readonly target: number;
  readonly hash: number;
  readonly vlan: number;
}

type ControlAction = 'lose' | 'duplicate' | 'corrupt' | 'delay';

export type FaultEffect =
  /** The port has no carrier: it sends nothing, and what arrives is lost. */
  | { readonly kind: 'down' }
  /** The port sends nothing. */
  | { readonly kind: 'freeze' }
  /** Of what arrives; control frames too if `control`. */
  | {
      readonly kind: 'loss';
      readonly probability: number;
      readonly priorities: number;
      readonly control: boolean;
    }
  /**
   * Of what arrives: a frame with a wrong bit is dropped. The probability that it is intact has the
   * natural logarithm `perOctet * octets + perFrame`.
   */
  | { readonly kind: 'bit-errors'; readonly perOctet: number; readonly perFrame: number }
  /** Of control frames that arrive. */
  | {
      readonly kind: 'control';
      readonly match: ControlMatch;
      readonly action: ControlAction;
      readonly probability: number;
      readonly delayPs: number;
    }
  /** The port sends this frame (without FCS) repeatedly, whatever its state. */
  | {
      readonly kind: 'send';
      readonly octets: readonly number[];
      readonly everyPs: number;
      /** Headers of a frame that crosses the fabric; null: it is a frame of the link only. */
      readonly message: ForgedMessage | null;
    }
  /** What the port sends takes so long per octet. */
  | { readonly kind: 'slow'; readonly octetPs: number }
  /** What the port sends arrives later, by a constant and a uniform random part. */
  | { readonly kind: 'delay'; readonly delayPs: number; readonly jitterPs: number }
  /** Everything that the port's device holds is lost, once. */
  | { readonly kind: 'flush' }
  /** The shared buffer of the port's device is smaller by so much. */
  | { readonly kind: 'shrink'; readonly octets: number }
  /** The buffer of the port's device, which has pools, is configured anew. */
  | { readonly kind: 'set'; readonly change: BufferChange }
  /**
   * The link of the port has this rate, and takes so much longer, from now on: what began last
   * applies. Null: it stays as it was.
   */
  | { readonly kind: 'link'; readonly octetPs: number | null; readonly delayPs: number | null }
  /** Grants of so many octets that the port holds is lost, repeatedly. */
  | {
      readonly kind: 'steal';
      readonly priorities: number;
      readonly octets: number;
      readonly everyPs: number;
    }
  /** A table of the port's device takes no more than so many entries. */
  | { readonly kind: 'table'; readonly table: TableKind; readonly entries: number }
  /** The clock of the port's LLDP timers is wrong by so many parts per million. */
  | { readonly kind: 'drift'; readonly ppm: number }
  /** The application of the port's host reads no faster than this; Infinity: nothing. */
  | { readonly kind: 'read'; readonly octetPs: number }
  /** The port's NIC pauses the classes that this table (three bits each) has for priorities. */
  | { readonly kind: 'map'; readonly table: number }
  /** No effect by itself: a fault of the link partner may make this port's buffer overflow. */
  | { readonly kind: 'excuse' };

export interface FaultSpec {
  /** Position in the scenario's list; -1 of what a link does by its description. */
  readonly fault: number;
  readonly seed: number;
  /** Names the random stream that samples the frames it affects. */
  readonly stream: string;
  readonly when: FaultTimes;
  readonly effect: FaultEffect;
}
