/** Writes pcapng blocks, little-endian: a section header, interfaces, then packets. */

import { requireRoom } from '../big-endian.js';
import {
  BLOCK_ENHANCED_PACKET,
  BLOCK_FRAME_OCTETS,
  BLOCK_INTERFACE,
  BLOCK_SECTION_HEADER,
  BYTE_ORDER_MAGIC,
  INTERFACE_BODY_OCTETS,
  LINKTYPE_ETHERNET,
  OPTION_COMMENT,
  OPTION_END,
  OPTION_HEADER_OCTETS,
  OPTION_INTERFACE_FCS_LENGTH,
  OPTION_INTERFACE_NAME,
  OPTION_INTERFACE_TIME_OFFSET,
  OPTION_INTERFACE_TIME_RESOLUTION,
  OPTION_PACKET_FLAGS,
  PACKET_BODY_OCTETS,
  padded,
  SECTION_BODY_OCTETS,
} from './blocks.js';
import { TWO_TO_32 } from '../../units/words.js';

/** Times count nanoseconds: ten to the power of minus nine. */
const NANOSECONDS = 9;
/** Captured frames end before their frame check sequence. */
const NO_FCS = 0;

export interface CaptureInterface {
  /** ASCII. */
  readonly name: string;
  /** Most octets kept of a frame; 0 for all. */
  readonly snapOctets: number;
  /** Seconds since 1970 at which the times of packets begin. */
  readonly epochSeconds?: number;
  /** Times count ten to the power of minus this of a second; nanoseconds where it is not given. */
  readonly resolution?: number;
  /** LINKTYPE_ETHERNET where it is not given. */
  readonly linkType?: number;
}

/** Direction of a packet at its interface, as in the flags of a packet. */
export const PACKET_INBOUND = 1;
export const PACKET_OUTBOUND = 2;

const WORD_OCTETS = 4;
const TIME_OFFSET_OCTETS = 8;

export interface CapturedPacket {
  /** Index of the interface in the order of writing. */
  readonly interfaceIndex: number;
  /** Or in the unit of its interface. */
  readonly timeNs: number;
  /** The frame from its destination address on, as far as it was captured. */
  readonly octets: Uint8Array;
  /** Octets of the frame on the wire, without FCS. */
  readonly originalOctets: number;
  /** ASCII; empty for none. */
  readonly comment: string;
  /** PACKET_INBOUND or PACKET_OUTBOUND; 0 (as absent) where that is not known. */
  readonly direction?: number;
}

export const SECTION_BLOCK_OCTETS = BLOCK_FRAME_OCTETS + SECTION_BODY_OCTETS;

export function interfaceBlockOctets(capture: CaptureInterface): number {
  const options =
    optionOctets(capture.name.length) +
    2 * optionOctets(1) +
    (capture.epochSeconds === undefined ? 0 : optionOctets(TIME_OFFSET_OCTETS)) +
    OPTION_HEADER_OCTETS;
  return BLOCK_FRAME_OCTETS + INTERFACE_BODY_OCTETS + options;
}

export function packetBlockOctets(packet: CapturedPacket): number {
  const { comment, direction = 0 } = packet;
  const own =
    (comment === '' ? 0 : optionOctets(comment.length)) +
    (direction === 0 ? 0 : optionOctets(WORD_OCTETS));
  const options = own === 0 ? 0 : own + OPTION_HEADER_OCTETS;
  return BLOCK_FRAME_OCTETS + PACKET_BODY_OCTETS + padded(packet.octets.length) + options;
}

/** Begins a file; returns the offset behind the block, as the other writers do. */
export function writeSectionBlock(octets: Uint8Array, at: number): number {
  const end = startBlock(octets, at, BLOCK_SECTION_HEADER, SECTION_BLOCK_OCTETS);
  writeLe32(octets, at + 8, BYTE_ORDER_MAGIC);
  writeLe16(octets, at + 12, 1); // version 1.0
  writeLe16(octets, at + 14, 0);
  writeLe64(octets, at + 16, -1); // length of the section not given
  return end;
}

export function writeInterfaceBlock(
  octets: Uint8Array,
  at: number,
  capture: CaptureInterface,
): number {
  const end = startBlock(octets, at, BLOCK_INTERFACE, interfaceBlockOctets(capture));
  const { resolution = NANOSECONDS } = capture;
  writeLe16(octets, at + 8, capture.linkType ?? LINKTYPE_ETHERNET);
  writeLe16(octets, at + 10, 0);
  writeLe32(octets, at + 12, capture.snapOctets);
  let next = writeText(octets, at + 16, OPTION_INTERFACE_NAME, capture.name);
  next = startOption(octets, next, OPTION_INTERFACE_TIME_RESOLUTION, 1, resolution);
  next = startOption(octets, next, OPTION_INTERFACE_FCS_LENGTH, 1, NO_FCS);
  if (capture.epochSeconds !== undefined) {
    const value = next + OPTION_HEADER_OCTETS;
    next = startOption(octets, next, OPTION_INTERFACE_TIME_OFFSET, TIME_OFFSET_OCTETS, 0);
    writeLe64(octets, value, capture.epochSeconds);
  }
  writeLe32(octets, next, OPTION_END);
  return end;
}

export function writePacketBlock(octets: Uint8Array, at: number, packet: CapturedPacket): number {
  const { comment, direction = 0, timeNs } = packet;
  const { length } = packet.octets;
  const end = startBlock(octets, at, BLOCK_ENHANCED_PACKET, packetBlockOctets(packet));
  writeLe32(octets, at + 8, packet.interfaceIndex);
  writeLe32(octets, at + 12, Math.floor(timeNs / TWO_TO_32));
  writeLe32(octets, at + 16, timeNs % TWO_TO_32);
  writeLe32(octets, at + 20, length);
  writeLe32(octets, at + 24, packet.originalOctets);
  const body = at + 8 + PACKET_BODY_OCTETS;
  let next = body + padded(length);
  if (length > 0) writeLe32(octets, next - WORD_OCTETS, 0);
  octets.set(packet.octets, body);
  if (comment === '' && direction === 0) return end;
  if (comment !== '') next = writeText(octets, next, OPTION_COMMENT, comment);
  if (direction !== 0) {
    next = startOption(octets, next, OPTION_PACKET_FLAGS, WORD_OCTETS, direction);
  }
  writeLe32(octets, next, OPTION_END);
  return end;
}

/** The type of a block and both its lengths; returns the offset behind it. */
function startBlock(octets: Uint8Array, at: number, type: number, length: number): number {
  requireRoom(octets, at, length);
  writeLe32(octets, at, type);
  writeLe32(octets, at + 4, length);
  writeLe32(octets, at + length - 4, length);
  return at + length;
}

function optionOctets(valueOctets: number): number {
  return OPTION_HEADER_OCTETS + padded(valueOctets);
}

/** An option and the first word of its value, with its padding; returns the offset behind it. */
function startOption(
  octets: Uint8Array,
  at: number,
  code: number,
  length: number,
  word: number,
): number {
  writeLe16(octets, at, code);
  writeLe16(octets, at + 2, length);
  writeLe32(octets, at + OPTION_HEADER_OCTETS, word);
  return at + optionOctets(length);
}

/** A character outside ASCII becomes a question mark. */
function writeText(octets: Uint8Array, at: number, code: number, text: string): number {
  const { length } = text;
  const end = at + optionOctets(length);
  if (length > 0) writeLe32(octets, end - WORD_OCTETS, 0);
  writeLe16(octets, at, code);
  writeLe16(octets, at + 2, length);
  for (let i = 0; i < length; i++) {
    const character = text.charCodeAt(i);
    octets[at + OPTION_HEADER_OCTETS + i] = character < 0x80 ? character : 0x3f;
  }
  return end;
}

function writeLe16(octets: Uint8Array, at: number, value: number): void {
  octets[at] = value;
  octets[at + 1] = value >>> 8;
}

function writeLe32(octets: Uint8Array, at: number, value: number): void {
  octets[at] = value;
  octets[at + 1] = value >>> 8;
  octets[at + 2] = value >>> 16;
  octets[at + 3] = value >>> 24;
}

/** Of an integer from -1 on that a double holds exactly. */
function writeLe64(octets: Uint8Array, at: number, value: number): void {
  writeLe32(octets, at, value >>> 0);
  writeLe32(octets, at + 4, Math.floor(value / TWO_TO_32));
}
