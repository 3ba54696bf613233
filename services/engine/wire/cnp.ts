/** Congestion notification packet of RoCEv2 (InfiniBand Architecture, Annex A17.9). */

import { requireRoom } from './big-endian.js';
import type { Decoded } from './decoded.js';
import {
  blankBaseTransportHeader,
  BTH_OCTETS,
  decodeBaseTransportHeader,
  encodeBaseTransportHeader,
  ROCE_CNP,
} from './roce.js';

const RESERVED_OCTETS = 16;

/** From the base transport header up to and without the ICRC. */
export const CNP_OCTETS = BTH_OCTETS + RESERVED_OCTETS;

export interface Cnp {
  /** The queue pair that sends too much, at the station that the packet goes to. */
  destinationQueuePair: number;
}

export function blankCnp(): Cnp {
  return { destinationQueuePair: 0 };
}

const header = { ...blankBaseTransportHeader(), opcode: ROCE_CNP, becn: true };
const heard = blankBaseTransportHeader();

/** Writes what follows the UDP header; returns the offset behind it. */
export function encodeCnp(octets: Uint8Array, at: number, cnp: Readonly<Cnp>): number {
  requireRoom(octets, at, CNP_OCTETS);
  header.destinationQueuePair = cnp.destinationQueuePair;
  const reserved = encodeBaseTransportHeader(octets, at, header);
  octets.fill(0, reserved, at + CNP_OCTETS);
  return at + CNP_OCTETS;
}

export function decodeCnp(octets: Uint8Array, at: number, into: Cnp): Decoded {
  if (octets.length - at < CNP_OCTETS) return 'too-short';
  const outcome = decodeBaseTransportHeader(octets, at, heard);
  if (outcome !== 'ok') return outcome;
  if (heard.opcode !== ROCE_CNP || !heard.becn) return 'wrong-opcode';
  into.destinationQueuePair = heard.destinationQueuePair;
  return 'ok';
}
