/** CIM: move a congesting flow to another queue, or move it back (802.1Qcz 49.4.3). */

import { readU16, readU48, requireRoom, writeU16, writeU48 } from './big-endian.js';
import { SUBTYPE_CIM } from './congestion-message.js';
import type { Decoded } from './decoded.js';
import { assert } from '../kernel/assert.js';

export const CIM_FIXED_OCTETS = 18;
/** Encapsulated MSDU length (802.1Qcz 49.3.6). */
const CIM_MSDU_MAX = 512;

const ADD = 1;

export interface Cim {
  /** Add the flow, or delete it. */
  add: boolean;
  destination: number;
  source: number;
  vlan: number;
  /** First octets of the flow's frame from its EtherType on. */
  msduOctets: number;
  readonly msdu: Uint8Array;
}

export function blankCim(): Cim {
  return {
    add: true,
    destination: 0,
    source: 0,
    vlan: 0,
    msduOctets: 0,
    msdu: new Uint8Array(CIM_MSDU_MAX),
  };
}

/** Writes the PDU from its subtype on; returns the offset behind it. */
export function encodeCim(octets: Uint8Array, at: number, pdu: Readonly<Cim>): number {
  const next = at + CIM_FIXED_OCTETS + pdu.msduOctets;
  requireRoom(octets, at, next - at);
  assert(pdu.msduOctets >= 0 && pdu.msduOctets <= pdu.msdu.length, 'cim.quoted-octets');
  octets[at] = SUBTYPE_CIM;
  octets[at + 1] = pdu.add ? ADD : 0;
  writeU48(octets, at + 2, pdu.destination);
  writeU48(octets, at + 8, pdu.source);
  writeU16(octets, at + 14, pdu.vlan);
  writeU16(octets, at + 16, pdu.msduOctets);
  for (let i = 0; i < pdu.msduOctets; i++) octets[at + CIM_FIXED_OCTETS + i] = pdu.msdu[i];
  return next;
}

/** Reads the PDU between two offsets; octets behind it are padding, and ignored. */
export function decodeCim(octets: Uint8Array, at: number, end: number, into: Cim): Decoded {
  if (end - at < CIM_FIXED_OCTETS) return 'too-short';
  if (octets[at] !== SUBTYPE_CIM) return 'wrong-type';
  if (octets[at + 1] >> 4 !== 0) return 'wrong-version';
  const msduOctets = readU16(octets, at + 16);
  if (msduOctets > CIM_MSDU_MAX) return 'bad-length';
  if (end - at < CIM_FIXED_OCTETS + msduOctets) return 'too-short';
  into.add = (octets[at + 1] & ADD) !== 0;
  into.destination = readU48(octets, at + 2);
  into.source = readU48(octets, at + 8);
  into.vlan = readU16(octets, at + 14) & 0xfff;
  into.msduOctets = msduOctets;
  for (let i = 0; i < msduOctets; i++) into.msdu[i] = octets[at + CIM_FIXED_OCTETS + i];
  return 'ok';
}
