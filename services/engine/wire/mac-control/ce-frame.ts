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

const FLAGS = MAC_CONTROL_PARAMETERS;
const VECTOR = FLAGS + 1;
const WORDS = VECTOR + 1;
const CHANNEL = WORDS + 2 * PRIORITIES;
/** In what the proposal pads with zeros: the upper halves of totals that words cannot hold. */
const UPPER = CHANNEL + 2;

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
  /** Bit n set: words[n] is valid. */
  priorities: number;
  /** Per priority, in units of the granting port; zero where the vector has no bit. */
  readonly words: Uint32Array;
  channel: number;
}

/** A request to the group address; fill in what it says. */
export function blankCeFrame(): CeFrame {
  return {
    destination: MAC_CONTROL_GROUP,
    source: 0,
    opcode: OPCODE_CE_REQUEST,
    flags: 0,
    priorities: 0,
    words: new Uint32Array(PRIORITIES),
    channel: 0,
  };
}

/** Whether a frame so long belongs to credit exchange. */
export function isCreditExchange(octets: Uint8Array, length: number): boolean {
  return (macControlOpcode(octets, length) | 1) === OPCODE_CE_GRANT;
}

/** Returns the offset behind the frame. */
export function encodeCe(octets: Uint8Array, at: number, frame: Readonly<CeFrame>): number {
  const next = encodeMacControl(octets, at, frame);
  octets[at + FLAGS] = frame.flags;
  octets[at + VECTOR] = frame.priorities;
  for (let n = 0; n < PRIORITIES; n++) {
    if ((frame.priorities & (1 << n)) === 0) continue;
    writeU16(octets, at + WORDS + 2 * n, frame.words[n] & 0xffff);
    writeU16(octets, at + UPPER + 2 * n, frame.words[n] >>> 16);
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
  into.priorities = octets[at + VECTOR];
  for (let n = 0; n < PRIORITIES; n++) {
    const valid = (into.priorities & (1 << n)) !== 0;
    const upper = valid ? readU16(octets, at + UPPER + 2 * n) : 0;
    into.words[n] = valid ? ((upper << 16) | readU16(octets, at + WORDS + 2 * n)) >>> 0 : 0;
  }
  into.channel = readU16(octets, at + CHANNEL);
  return 'ok';
}
