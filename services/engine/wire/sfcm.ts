/** SFCM: pause or resume a source (P802.1Qdw 52.5.3). */

import {
  readU16,
  readU32,
  readU48,
  requireRoom,
  writeU16,
  writeU32,
  writeU48,
} from './big-endian.js';
import { SUBTYPE_SFCM } from './congestion-message.js';
import type { Decoded } from './decoded.js';
import { assert } from '../kernel/assert.js';

const SFCM_VERSION = 1;
export const SFCM_PAUSE = 1;
export const SFCM_RESUME = 2;

/** Subtype, version and type, length. */
const HEAD_OCTETS = 4;
/** Of the value, up to the octets of the congesting frame. */
const VALUE_OCTETS = 34;
export const SFCM_FIXED_OCTETS = HEAD_OCTETS + VALUE_OCTETS;
/** As a CIM may copy (802.1Qcz 49.3.6). */
const SFCM_MSDU_MAX = 512;

const DSCP_VALID = 1;

export interface Sfcm {
  /** SFCM_PAUSE, SFCM_RESUME; others are to be ignored. */
  type: number;
  priority: number;
  /** DSCP of the congesting flow; -1 where it has none. */
  dscp: number;
  /** Counts the messages to a source, modulo 2^16. */
  sequence: number;
  pauseNs: number;
  /** Addresses and VID of the congesting flow. */
  destination: number;
  source: number;
  vlan: number;
  /** Congestion point: MAC of the port, then port number and priority, as the CPID of a CNM. */
  queueMac: number;
  queueNumber: number;
  /** Length of the congested queue in units of 64 octets. */
  queueUnits: number;
  /** First octets of the congesting frame from its EtherType on. */
  msduOctets: number;
  readonly msdu: Uint8Array;
}

export function blankSfcm(): Sfcm {
  return {
    type: SFCM_PAUSE,
    priority: 0,
    dscp: -1,
    sequence: 0,
    pauseNs: 0,
    destination: 0,
    source: 0,
    vlan: 0,
    queueMac: 0,
    queueNumber: 0,
    queueUnits: 0,
    msduOctets: 0,
    msdu: new Uint8Array(SFCM_MSDU_MAX),
  };
}

/** Writes the PDU from its subtype on; returns the offset behind it. */
export function encodeSfcm(octets: Uint8Array, at: number, pdu: Readonly<Sfcm>): number {
  const next = at + SFCM_FIXED_OCTETS + pdu.msduOctets;
  requireRoom(octets, at, next - at);
  assert(pdu.msduOctets >= 0 && pdu.msduOctets <= pdu.msdu.length, 'sfcm.quoted-octets');
  assert(pdu.priority < 8 && pdu.dscp < 64, 'sfcm.class-of-traffic');
  octets[at] = SUBTYPE_SFCM;
  octets[at + 1] = (SFCM_VERSION << 4) | pdu.type;
  writeU16(octets, at + 2, VALUE_OCTETS + pdu.msduOctets);
  octets[at + 4] = (pdu.priority << 5) | (pdu.dscp < 0 ? 0 : DSCP_VALID);
  octets[at + 5] = pdu.dscp < 0 ? 0 : pdu.dscp;
  writeU16(octets, at + 6, pdu.sequence);
  writeU32(octets, at + 8, pdu.pauseNs);
  writeU48(octets, at + 12, pdu.destination);
  writeU48(octets, at + 18, pdu.source);
  writeU16(octets, at + 24, pdu.vlan);
  writeU48(octets, at + 26, pdu.queueMac);
  writeU16(octets, at + 32, pdu.queueNumber);
  writeU16(octets, at + 34, pdu.queueUnits);
  writeU16(octets, at + 36, pdu.msduOctets);
  for (let i = 0; i < pdu.msduOctets; i++) octets[at + SFCM_FIXED_OCTETS + i] = pdu.msdu[i];
  return next;
}

/** Reads the PDU between two offsets; octets behind its value are padding, and ignored. */
export function decodeSfcm(octets: Uint8Array, at: number, end: number, into: Sfcm): Decoded {
  if (end - at < HEAD_OCTETS) return 'too-short';
  if (octets[at] !== SUBTYPE_SFCM) return 'wrong-type';
  if (octets[at + 1] >> 4 !== SFCM_VERSION) return 'wrong-version';
  const value = readU16(octets, at + 2);
  if (value < VALUE_OCTETS) return 'bad-length';
  if (end - at < HEAD_OCTETS + value) return 'too-short';
  const msduOctets = readU16(octets, at + 36);
  if (msduOctets > SFCM_MSDU_MAX || VALUE_OCTETS + msduOctets > value) return 'bad-length';
  into.type = octets[at + 1] & 0xf;
  into.priority = octets[at + 4] >> 5;
  into.dscp = (octets[at + 4] & DSCP_VALID) === 0 ? -1 : octets[at + 5] & 0x3f;
  into.sequence = readU16(octets, at + 6);
  into.pauseNs = readU32(octets, at + 8);
  into.destination = readU48(octets, at + 12);
  into.source = readU48(octets, at + 18);
  into.vlan = readU16(octets, at + 24) & 0xfff;
  into.queueMac = readU48(octets, at + 26);
  into.queueNumber = readU16(octets, at + 32);
  into.queueUnits = readU16(octets, at + 34);
  into.msduOctets = msduOctets;
  for (let i = 0; i < msduOctets; i++) into.msdu[i] = octets[at + SFCM_FIXED_OCTETS + i];
  return 'ok';
}
