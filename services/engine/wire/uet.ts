/**
 * Packet delivery sublayer of Ultra Ethernet Transport (UE 1.0, 3.5), in UDP: requests, and
 * acknowledgements with the state of NSCC. A header begins with a prologue of 16 bits: type (5),
 * next header (4), flags (7).
 */

import { readU16, readU24, readU32, requireRoom } from './big-endian.js';
import { writeU16, writeU24, writeU32 } from './big-endian.js';
import type { Decoded } from './decoded.js';

export const UET_UDP_PORT = 4793;

export const UET_REQUEST_OCTETS = 12;
export const UET_ACK_CC_OCTETS = 32;
export const UET_NACK_OCTETS = 16;
export const UET_CONTROL_OCTETS = 16;
/** A request that says which credit is wanted. */
export const UET_CREDIT_REQUEST_OCTETS = 16;
/** Standard header of the semantic sublayer, behind a request; its fields are not ours. */
export const UET_SEMANTIC_OCTETS = 44;

const TYPE_RUD_REQUEST = 2;
const TYPE_ACK_CC = 8;
const TYPE_NACK = 10;
const TYPE_CONTROL = 11;
const TYPE_RUD_CC_REQUEST = 13;
const NEXT_NONE = 0;
const NEXT_STANDARD_REQUEST = 3;
const NEXT_RESPONSE = 4;
const FLAGS_BITS = 7;
const NEXT_BITS = 4;

const RETRANSMITTED = 0x10;
const ACK_REQUESTED = 0x08;
const SYN = 0x04;
const MARKED = 0x20;

/** Why a packet is refused: its payload was cut off, in the fabric or by the last switch. */
export const NACK_TRIMMED = 1;
export const NACK_TRIMMED_LAST_HOP = 2;

/** What a control packet says: the total of credit. It is no code of a NACK. */
export const CONTROL_CREDIT = 0x107;
const NEXT_CREDIT = 7;

/** Packets that a receiver tells apart, as the Linux draft has it. */
const PACKET_RANGE = 128;

/** Unit of the octets received, which are rounded up, and their modulo. */
export const RECEIVED_UNIT = 256;
export const RECEIVED_MODULO = 2 ** 24;

interface UetRequest {
  retransmitted: boolean;
  ackRequested: boolean;
  syn: boolean;
  /** Packet sequence number, 32 bits. */
  psn: number;
  sourcePdc: number;
  destinationPdc: number;
}

export function blankUetRequest(): UetRequest {
  const flags = { retransmitted: false, ackRequested: false, syn: false };
  return { ...flags, psn: 0, sourcePdc: 0, destinationPdc: 0 };
}

/** A RUD request with a standard header behind it. Returns the offset behind it. */
export function encodeUetRequest(
  octets: Uint8Array,
  at: number,
  { retransmitted, ackRequested, syn, psn, sourcePdc, destinationPdc }: Readonly<UetRequest>,
): number {
  requireRoom(octets, at, UET_REQUEST_OCTETS);
  const flags =
    (retransmitted ? RETRANSMITTED : 0) | (ackRequested ? ACK_REQUESTED : 0) | (syn ? SYN : 0);
  writePrologue(octets, at, [TYPE_RUD_REQUEST, NEXT_STANDARD_REQUEST, flags]);
  writeU16(octets, at + 2, 0);
  writeU32(octets, at + 4, psn);
  writeU16(octets, at + 8, sourcePdc);
  writeU16(octets, at + 10, destinationPdc);
  return at + UET_REQUEST_OCTETS;
}

interface UetCreditRequest extends UetRequest {
  /** Total of credit that is wanted, in units of `RECEIVED_UNIT`, 24 bits. */
  creditTarget: number;
}

export function blankUetCreditRequest(): UetCreditRequest {
  return { ...blankUetRequest(), creditTarget: 0 };
}

/** The same of a RUD_CC request; its context is 0. Returns the offset behind it. */
export function encodeUetCreditRequest(
  octets: Uint8Array,
  at: number,
  request: Readonly<UetCreditRequest>,
): number {
  requireRoom(octets, at, UET_CREDIT_REQUEST_OCTETS);
  const end = encodeUetRequest(octets, at, request);
  octets[at] = (TYPE_RUD_CC_REQUEST << 3) | (octets[at] & 7);
  octets[end] = 0;
  writeU24(octets, end + 1, request.creditTarget);
  return at + UET_CREDIT_REQUEST_OCTETS;
}

export function decodeUetCreditRequest(
  octets: Uint8Array,
  at: number,
  into: UetCreditRequest,
): Decoded {
  if (octets.length - at < UET_CREDIT_REQUEST_OCTETS) return 'too-short';
  if (typeAt(octets, at) !== TYPE_RUD_CC_REQUEST) return 'wrong-opcode';
  readRequest(octets, at, into);
  into.creditTarget = readU24(octets, at + UET_REQUEST_OCTETS + 1);
  return 'ok';
}

export function decodeUetRequest(octets: Uint8Array, at: number, into: UetRequest): Decoded {
  if (octets.length - at < UET_REQUEST_OCTETS) return 'too-short';
  if (typeAt(octets, at) !== TYPE_RUD_REQUEST) return 'wrong-opcode';
  readRequest(octets, at, into);
  return 'ok';
}

function readRequest(octets: Uint8Array, at: number, into: UetRequest): void {
  const flags = octets[at + 1];
  into.retransmitted = (flags & RETRANSMITTED) !== 0;
  into.ackRequested = (flags & ACK_REQUESTED) !== 0;
  into.syn = (flags & SYN) !== 0;
  into.psn = readU32(octets, at + 4);
  into.sourcePdc = readU16(octets, at + 8);
  into.destinationPdc = readU16(octets, at + 10);
}

interface UetAck {
  /** The packet that it answers was marked (CE). */
  marked: boolean;
  /** All before it have arrived, 32 bits. */
  cumulativePsn: number;
  /** The packet that it answers, from that number on, signed. */
  ackOffset: number;
  sourcePdc: number;
  destinationPdc: number;
  /** The packet of the lowest bit, from `cumulativePsn` on, signed. */
  sackOffset: number;
  /** Bits 0 to 31, and 32 to 63. */
  sackLow: number;
  sackHigh: number;
  /** Time for which the receiver had the packet, in units of 128 ns; 0: not told. */
  serviceTime: number;
  /** Destination flow control: the saved window returns; and by how many 128ths it shrinks. */
  restore: boolean;
  penalty: number;
  /** In units of `RECEIVED_UNIT`, 24 bits. */
  receivedUnits: number;
  /** Packets that have arrived out of order. */
  outOfOrder: number;
}

export function blankUetAck(): UetAck {
  return {
    ...{ marked: false, cumulativePsn: 0, ackOffset: 0, sourcePdc: 0, destinationPdc: 0 },
    ...{ sackOffset: 0, sackLow: 0, sackHigh: 0, serviceTime: 0, restore: false, penalty: 0 },
    ...{ receivedUnits: 0, outOfOrder: 0 },
  };
}

/** An ACK_CC with the state of NSCC. Returns the offset behind it. */
export function encodeUetAck(octets: Uint8Array, at: number, ack: Readonly<UetAck>): number {
  requireRoom(octets, at, UET_ACK_CC_OCTETS);
  writePrologue(octets, at, [TYPE_ACK_CC, NEXT_RESPONSE, ack.marked ? MARKED : 0]);
  writeU16(octets, at + 2, ack.ackOffset & 0xffff);
  writeU32(octets, at + 4, ack.cumulativePsn);
  writeU16(octets, at + 8, ack.sourcePdc);
  writeU16(octets, at + 10, ack.destinationPdc);
  octets[at + 12] = 0;
  octets[at + 13] = PACKET_RANGE;
  writeU16(octets, at + 14, ack.sackOffset & 0xffff);
  writeU32(octets, at + 16, ack.sackHigh);
  writeU32(octets, at + 20, ack.sackLow);
  writeU16(octets, at + 24, ack.serviceTime);
  octets[at + 26] = (ack.restore ? 0x80 : 0) | ack.penalty;
  writeU24(octets, at + 27, ack.receivedUnits);
  writeU16(octets, at + 30, ack.outOfOrder);
  return at + UET_ACK_CC_OCTETS;
}

export function decodeUetAck(octets: Uint8Array, at: number, into: UetAck): Decoded {
  if (octets.length - at < UET_ACK_CC_OCTETS) return 'too-short';
  if (typeAt(octets, at) !== TYPE_ACK_CC) return 'wrong-opcode';
  // Another state than that of NSCC.
  if (octets[at + 12] >> 4 !== 0) return 'wrong-version';
  into.marked = (octets[at + 1] & MARKED) !== 0;
  into.ackOffset = signed(readU16(octets, at + 2));
  into.cumulativePsn = readU32(octets, at + 4);
  into.sourcePdc = readU16(octets, at + 8);
  into.destinationPdc = readU16(octets, at + 10);
  into.sackOffset = signed(readU16(octets, at + 14));
  into.sackHigh = readU32(octets, at + 16);
  into.sackLow = readU32(octets, at + 20);
  into.serviceTime = readU16(octets, at + 24);
  into.restore = (octets[at + 26] & 0x80) !== 0;
  into.penalty = octets[at + 26] & 0x7f;
  into.receivedUnits = readU24(octets, at + 27);
  into.outOfOrder = readU16(octets, at + 30);
  return 'ok';
}

interface UetNack {
  /** The packet that it answers was marked (CE). */
  marked: boolean;
  code: number;
  /** The packet that is refused, 32 bits. */
  psn: number;
  sourcePdc: number;
  destinationPdc: number;
}

export function blankUetNack(): UetNack {
  return { marked: false, code: 0, psn: 0, sourcePdc: 0, destinationPdc: 0 };
}

/** A NACK; codes of vendors and payload are 0. Returns the offset behind it. */
export function encodeUetNack(octets: Uint8Array, at: number, nack: Readonly<UetNack>): number {
  requireRoom(octets, at, UET_NACK_OCTETS);
  writePrologue(octets, at, [TYPE_NACK, NEXT_NONE, nack.marked ? MARKED : 0]);
  octets[at + 2] = nack.code;
  octets[at + 3] = 0;
  writeU32(octets, at + 4, nack.psn);
  writeU16(octets, at + 8, nack.sourcePdc);
  writeU16(octets, at + 10, nack.destinationPdc);
  writeU32(octets, at + 12, 0);
  return at + UET_NACK_OCTETS;
}

export function decodeUetNack(octets: Uint8Array, at: number, into: UetNack): Decoded {
  if (octets.length - at < UET_NACK_OCTETS) return 'too-short';
  if (typeAt(octets, at) !== TYPE_NACK) return 'wrong-opcode';
  into.marked = (octets[at + 1] & MARKED) !== 0;
  into.code = octets[at + 2];
  into.psn = readU32(octets, at + 4);
  into.sourcePdc = readU16(octets, at + 8);
  into.destinationPdc = readU16(octets, at + 10);
  return 'ok';
}

interface UetCredit {
  /** The next packet expected, 32 bits. */
  psn: number;
  sourcePdc: number;
  destinationPdc: number;
  /** Total of credit, in units of `RECEIVED_UNIT`, 24 bits, cyclic. */
  credit: number;
}

export function blankUetCredit(): UetCredit {
  return { psn: 0, sourcePdc: 0, destinationPdc: 0, credit: 0 };
}

/** A control packet that grants credit. Returns the offset behind it. */
export function encodeUetCredit(
  octets: Uint8Array,
  at: number,
  { psn, sourcePdc, destinationPdc, credit }: Readonly<UetCredit>,
): number {
  requireRoom(octets, at, UET_CONTROL_OCTETS);
  writePrologue(octets, at, [TYPE_CONTROL, NEXT_CREDIT, 0]);
  writeU16(octets, at + 2, 0);
  writeU32(octets, at + 4, psn);
  writeU16(octets, at + 8, sourcePdc);
  writeU16(octets, at + 10, destinationPdc);
  writeU32(octets, at + 12, credit);
  return at + UET_CONTROL_OCTETS;
}

export function decodeUetCredit(octets: Uint8Array, at: number, into: UetCredit): Decoded {
  if (octets.length - at < UET_CONTROL_OCTETS) return 'too-short';
  const isCredit = ((readU16(octets, at) >> FLAGS_BITS) & 0xf) === NEXT_CREDIT;
  if (typeAt(octets, at) !== TYPE_CONTROL || !isCredit) return 'wrong-opcode';
  into.psn = readU32(octets, at + 4);
  into.sourcePdc = readU16(octets, at + 8);
  into.destinationPdc = readU16(octets, at + 10);
  into.credit = readU32(octets, at + 12);
  return 'ok';
}

function writePrologue(
  octets: Uint8Array,
  at: number,
  [type, next, flags]: readonly [number, number, number],
): void {
  writeU16(octets, at, (type << (NEXT_BITS + FLAGS_BITS)) | (next << FLAGS_BITS) | flags);
}

function typeAt(octets: Uint8Array, at: number): number {
  return octets[at] >> 3;
}

function signed(word: number): number {
  return (word << 16) >> 16;
}
