/** What all MAC control frames have in common (802.3 31.4.1). */

import { readU16, readU48, requireRoom, writeU16, writeU48 } from '../big-endian.js';
import type { Decoded } from '../decoded.js';
import { ETHERTYPE_MAC_CONTROL } from '../ethernet.js';
import { isSupportedOpcode } from './opcodes.js';

/** 01-80-C2-00-00-01, which no bridge forwards (802.1Q Table 8-1). */
export const MAC_CONTROL_GROUP = 0x0180c2000001;

/** Always the least frame, zero-padded; the FCS comes on top. */
export const MAC_CONTROL_OCTETS = 60;

/** Offsets of the opcode, and of the first octet behind it. */
export const MAC_CONTROL_OPCODE = 14;
export const MAC_CONTROL_PARAMETERS = 16;

export interface MacControlHeader {
  /** MAC addresses are 48-bit numbers. */
  destination: number;
  source: number;
  opcode: number;
}

/** Writes header and padding, a whole frame of 60 octets whose parameters are zero. */
export function encodeMacControl(
  octets: Uint8Array,
  at: number,
  header: Readonly<MacControlHeader>,
): number {
  requireRoom(octets, at, MAC_CONTROL_OCTETS);
  const next = at + MAC_CONTROL_OCTETS;
  // A loop, because a call of `fill` costs more than so few octets.
  for (let i = at + MAC_CONTROL_PARAMETERS; i < next; i++) octets[i] = 0;
  writeU48(octets, at, header.destination);
  writeU48(octets, at + 6, header.source);
  writeU16(octets, at + 12, ETHERTYPE_MAC_CONTROL);
  writeU16(octets, at + 14, header.opcode);
  return next;
}

/** The opcode of a frame so long, without reading the rest; -1 if it is not MAC control. */
export function macControlOpcode(octets: Uint8Array, length: number): number {
  if (length < MAC_CONTROL_OCTETS || readU16(octets, 12) !== ETHERTYPE_MAC_CONTROL) return -1;
  return readU16(octets, 14);
}

/** The frame may be longer than 60 octets; the rest is ignored. */
export function decodeMacControl(octets: Uint8Array, at: number, into: MacControlHeader): Decoded {
  if (octets.length - at < MAC_CONTROL_OCTETS) return 'too-short';
  if (readU16(octets, at + 12) !== ETHERTYPE_MAC_CONTROL) return 'wrong-type';
  into.destination = readU48(octets, at);
  into.source = readU48(octets, at + 6);
  into.opcode = readU16(octets, at + 14);
  return isSupportedOpcode(into.opcode) ? 'ok' : 'unsupported-opcode';
}
