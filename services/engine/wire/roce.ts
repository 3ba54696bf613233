/**
 * RoCEv2 (InfiniBand Architecture, volume 1, chapter 9 and Annex A17): base transport header,
 * acknowledge header and invariant CRC, carried in UDP.
 */

import { readU16, readU24, requireRoom, writeU16, writeU24 } from './big-endian.js';
import { CRC32_START, crc32Over, crc32Repeated, crc32Value } from './crc32.js';
import type { Decoded } from './decoded.js';
import { IPV4_HEADER_OCTETS } from './ipv4.js';
import { IPV6_HEADER_OCTETS } from './ipv6.js';
import { UDP_HEADER_OCTETS } from './udp.js';

export const ROCE_UDP_PORT = 4791;

export const BTH_OCTETS = 12;
export const AETH_OCTETS = 4;

/** Opcodes of the reliable connected service, and the congestion notification packet. */
export const ROCE_SEND_FIRST = 0x00;
export const ROCE_SEND_MIDDLE = 0x01;
export const ROCE_SEND_LAST = 0x02;
export const ROCE_SEND_ONLY = 0x04;
export const ROCE_ACKNOWLEDGE = 0x11;
export const ROCE_CNP = 0x81;
/** One that is left to vendors: an acknowledgement with what came out of order (ours). */
export const ROCE_SELECTIVE_ACKNOWLEDGE = 0xd1;

/** P_Key of the default partition, full member. */
const DEFAULT_PARTITION_KEY = 0xffff;

/** Queue pairs 0 and 1 of a station are for management (3.5.1): connections have those behind. */
const FIRST_QUEUE_PAIR = 2;
const QUEUE_PAIR_MASK = 0xffffff;

/** The queue pair of a station's connection, which is counted from 0. */
export function queuePairOf(connection: number): number {
  return (connection + FIRST_QUEUE_PAIR) & QUEUE_PAIR_MASK;
}

/** The other way round; negative: none of them. */
export function connectionOf(queuePair: number): number {
  return queuePair - FIRST_QUEUE_PAIR;
}

/** Base transport header (9.2). The transport header version is 0. */
interface BaseTransportHeader {
  opcode: number;
  solicitedEvent: boolean;
  migrationRequest: boolean;
  /** Octets that fill the payload up to a multiple of four, 0..3. */
  padOctets: number;
  partitionKey: number;
  fecn: boolean;
  becn: boolean;
  /** 24 bits. */
  destinationQueuePair: number;
  acknowledgeRequest: boolean;
  /** Packet sequence number, 24 bits. */
  sequence: number;
}

export function blankBaseTransportHeader(): BaseTransportHeader {
  return {
    opcode: ROCE_SEND_ONLY,
    solicitedEvent: false,
    migrationRequest: false,
    padOctets: 0,
    partitionKey: DEFAULT_PARTITION_KEY,
    fecn: false,
    becn: false,
    destinationQueuePair: 0,
    acknowledgeRequest: false,
    sequence: 0,
  };
}

/** Returns the offset behind the header. */
export function encodeBaseTransportHeader(
  octets: Uint8Array,
  at: number,
  header: Readonly<BaseTransportHeader>,
): number {
  requireRoom(octets, at, BTH_OCTETS);
  octets[at] = header.opcode;
  octets[at + 1] =
    (header.solicitedEvent ? 0x80 : 0) |
    (header.migrationRequest ? 0x40 : 0) |
    (header.padOctets << 4);
  writeU16(octets, at + 2, header.partitionKey);
  octets[at + 4] = (header.fecn ? 0x80 : 0) | (header.becn ? 0x40 : 0);
  writeU24(octets, at + 5, header.destinationQueuePair);
  octets[at + 8] = header.acknowledgeRequest ? 0x80 : 0;
  writeU24(octets, at + 9, header.sequence);
  return at + BTH_OCTETS;
}

export function decodeBaseTransportHeader(
  octets: Uint8Array,
  at: number,
  into: BaseTransportHeader,
): Decoded {
  if (octets.length - at < BTH_OCTETS) return 'too-short';
  if ((octets[at + 1] & 0xf) !== 0) return 'wrong-version';
  into.opcode = octets[at];
  into.solicitedEvent = (octets[at + 1] & 0x80) !== 0;
  into.migrationRequest = (octets[at + 1] & 0x40) !== 0;
  into.padOctets = (octets[at + 1] >> 4) & 3;
  into.partitionKey = readU16(octets, at + 2);
  into.fecn = (octets[at + 4] & 0x80) !== 0;
  into.becn = (octets[at + 4] & 0x40) !== 0;
  into.destinationQueuePair = readU24(octets, at + 5);
  into.acknowledgeRequest = (octets[at + 8] & 0x80) !== 0;
  into.sequence = readU24(octets, at + 9);
  return 'ok';
}

/** ACK that grants no end-to-end credits: the credit count 31 means that none are counted. */
export const SYNDROME_ACK = 0x1f;
export const SYNDROME_NAK_SEQUENCE_ERROR = 0x60;

/** Acknowledge extended transport header (9.7.5.2). */
interface AcknowledgeHeader {
  syndrome: number;
  /** Messages completed, 24 bits. */
  messageSequence: number;
}

/** Returns the offset behind the header. */
export function encodeAcknowledgeHeader(
  octets: Uint8Array,
  at: number,
  header: Readonly<AcknowledgeHeader>,
): number {
  requireRoom(octets, at, AETH_OCTETS);
  octets[at] = header.syndrome;
  writeU24(octets, at + 1, header.messageSequence);
  return at + AETH_OCTETS;
}

export function decodeAcknowledgeHeader(
  octets: Uint8Array,
  at: number,
  into: AcknowledgeHeader,
): Decoded {
  if (octets.length - at < AETH_OCTETS) return 'too-short';
  into.syndrome = octets[at];
  into.messageSequence = readU24(octets, at + 1);
  return 'ok';
}

/** InfiniBand's own header, for which RoCEv2 uses ones (A17.3.3). */
const LOCAL_HEADER_OCTETS = 8;

/**
 * The invariant CRC of the IP packet at `start`, up to and without the ICRC itself at `end`. Fields
 * that routers may change count as ones. The IP header must have no options and be followed by UDP
 * and a base transport header.
 */
export function invariantCrc(octets: Uint8Array, start: number, end: number): number {
  let state = crc32Repeated(CRC32_START, 0xff, LOCAL_HEADER_OCTETS);
  const ipv4 = octets[start] >> 4 === 4;
  state = ipv4 ? overIpv4Header(state, octets, start) : overIpv6Header(state, octets, start);
  const udp = start + (ipv4 ? IPV4_HEADER_OCTETS : IPV6_HEADER_OCTETS);
  state = crc32Over(state, octets, udp, udp + 6);
  state = crc32Repeated(state, 0xff, 2); // checksum
  const bth = udp + UDP_HEADER_OCTETS;
  state = crc32Over(state, octets, bth, bth + 4);
  state = crc32Repeated(state, 0xff, 1); // FECN, BECN
  return crc32Value(crc32Over(state, octets, bth + 5, end));
}

function overIpv4Header(state: number, octets: Uint8Array, at: number): number {
  state = crc32Over(state, octets, at, at + 1);
  state = crc32Repeated(state, 0xff, 1); // DSCP, ECN
  state = crc32Over(state, octets, at + 2, at + 8);
  state = crc32Repeated(state, 0xff, 1); // time to live
  state = crc32Over(state, octets, at + 9, at + 10);
  state = crc32Repeated(state, 0xff, 2); // checksum
  return crc32Over(state, octets, at + 12, at + IPV4_HEADER_OCTETS);
}

function overIpv6Header(state: number, octets: Uint8Array, at: number): number {
  state = crc32Repeated(state, 0x6f, 1); // version, then traffic class
  state = crc32Repeated(state, 0xff, 3); // traffic class, flow label
  state = crc32Over(state, octets, at + 4, at + 7);
  state = crc32Repeated(state, 0xff, 1); // hop limit
  return crc32Over(state, octets, at + 8, at + IPV6_HEADER_OCTETS);
}
