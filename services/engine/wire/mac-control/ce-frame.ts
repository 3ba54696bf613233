/** Credit exchange: a request or a grant for up to eight priorities of one channel. */

import { PRIORITIES } from '../../units/ethernet.js';
import { readU16, writeU16 } from '../big-endian.js';
import type { Decoded } from '../decoded.js';
import {
  decodeMacControl,
  encodeMacControl,
  MAC_CONTROL_GROUP,
  MAC_CONTROL_PARAMETERS,
  macControlOpcode,
  type MacControlHeader,
} from './mac-control-header.js';
import { OPCODE_CE_GRANT, OPCODE_CE_REQUEST } from './opcodes.js';
import { assert } from '../../kernel/assert.js';

const FLAGS = MAC_CONTROL_PARAMETERS;
/** TC Selection Vector: 8 reserved bits, which are FLAGS, and P[7] to P[0]. */
const SELECTION = FLAGS + 1;
/** TC Credit Vector. */
const CREDITS = SELECTION + 1;
const CHANNEL = CREDITS + 2 * PRIORITIES;
/** In what the proposal pads with zeros: the upper halves of totals of more than 16 bits. */
const UPPER = CHANNEL + 2;
/** Behind them, in requests: an octet per priority, with the amount that is requested. */
const AMOUNTS = UPPER + 2 * PRIORITIES;

/**
 * The octet that the proposal reserves. It is zero with incremental counts; with cumulative ones
 * it carries these flags and, in its low bits, the sender's epoch.
 */
export const CE_SYN = 0x80;
export const CE_ACK = 0x40;
export const CE_REPORT = 0x20;
export const CE_EPOCH_MASK = 0x1f;

export interface CeFrame extends MacControlHeader {
  flags: number;
  /** Bit n set: tcCredits[n] is valid. */
  tcSelectionVector: number;
  /** By priority, in units of the granting port; zero where the vector has no bit. */
  readonly tcCredits: Uint32Array;
  /** By priority, in a request: units beyond what is used so far; 0: as much as there is. */
  readonly amounts: Uint32Array;
  channel: number;
}

/** A request to the group address; the caller fills in the rest. */
export function blankCeFrame(): CeFrame {
  return {
    destination: MAC_CONTROL_GROUP,
    source: 0,
    opcode: OPCODE_CE_REQUEST,
    flags: 0,
    tcSelectionVector: 0,
    tcCredits: new Uint32Array(PRIORITIES),
    amounts: new Uint32Array(PRIORITIES),
    channel: 0,
  };
}

/** Whether a frame so long belongs to credit exchange. */
export function isCeFrame(octets: Uint8Array, length: number): boolean {
  return (macControlOpcode(octets, length) | 1) === OPCODE_CE_GRANT;
}

/** Returns the offset behind the frame. */
export function encodeCe(octets: Uint8Array, at: number, frame: Readonly<CeFrame>): number {
  const next = encodeMacControl(octets, at, frame);
  assert((frame.flags & ~0xff) === 0 && (frame.tcSelectionVector & ~0xff) === 0, 'ce.octets');
  octets[at + FLAGS] = frame.flags;
  octets[at + SELECTION] = frame.tcSelectionVector;
  for (let n = 0; n < PRIORITIES; n++) {
    if ((frame.tcSelectionVector & (1 << n)) === 0) continue;
    writeU16(octets, at + CREDITS + 2 * n, frame.tcCredits[n] & 0xffff);
    writeU16(octets, at + UPPER + 2 * n, frame.tcCredits[n] >>> 16);
    if (frame.opcode === OPCODE_CE_REQUEST)
      octets[at + AMOUNTS + n] = encodeAmount(frame.amounts[n]);
  }
  writeU16(octets, at + CHANNEL, frame.channel);
  return next;
}

export function decodeCe(octets: Uint8Array, at: number, into: CeFrame): Decoded {
  const header = decodeMacControl(octets, at, into);
  if (header !== 'ok') return header;
  if (into.opcode !== OPCODE_CE_REQUEST && into.opcode !== OPCODE_CE_GRANT) return 'wrong-opcode';
  if (into.destination !== MAC_CONTROL_GROUP) return 'wrong-destination';
  into.flags = octets[at + FLAGS];
  into.tcSelectionVector = octets[at + SELECTION];
  for (let n = 0; n < PRIORITIES; n++) {
    const valid = (into.tcSelectionVector & (1 << n)) !== 0;
    const upper = valid ? readU16(octets, at + UPPER + 2 * n) : 0;
    const isRequest = valid && into.opcode === OPCODE_CE_REQUEST;
    into.amounts[n] = isRequest ? decodeAmount(octets[at + AMOUNTS + n]) : 0;
    into.tcCredits[n] = valid ? ((upper << 16) | readU16(octets, at + CREDITS + 2 * n)) >>> 0 : 0;
  }
  into.channel = readU16(octets, at + CHANNEL);
  return 'ok';
}

/** Three bits of an amount follow its leading one, as in a floating-point number. */
const FRACTION_BITS = 3;
const FRACTION = 1 << FRACTION_BITS;

/** An amount in one octet: up to 16 as it is, beyond that rounded up by less than an eighth. */
function encodeAmount(units: number): number {
  if (units < FRACTION) return units;
  const shift = 31 - Math.clz32(units) - FRACTION_BITS;
  const fraction = Math.ceil(units / 2 ** shift);
  // The next power of two has an exponent of its own.
  const [exponent, rest] =
    fraction === 2 * FRACTION ? [shift + 2, 0] : [shift + 1, fraction - FRACTION];
  assert(rest >= 0 && rest < FRACTION && exponent <= 31, 'ce.amount-of-an-octet');
  return (exponent << FRACTION_BITS) | rest;
}

/** The units that an octet encodes. */
export function decodeAmount(octet: number): number {
  const exponent = octet >>> FRACTION_BITS;
  const fraction = octet & (FRACTION - 1);
  return exponent === 0 ? fraction : (FRACTION + fraction) * 2 ** (exponent - 1);
}
