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

const TWO_TO_32 = 0x1_0000_0000;

/** Times count nanoseconds: ten to the power of minus nine. */
const NANOSECONDS = Uint8Array.of(9);
/** Captured frames end before their frame check sequence. */
const NO_FCS = Uint8Array.of(0);

export interface CaptureInterface {
  /** ASCII. */
  readonly name: string;
  /** Most octets kept of a frame; 0 for all. */
  readonly snapOctets: number;
  /** Seconds since 1970 at which the times of packets begin. */
  readonly epochSeconds?: number;
}

/** Which way a packet went at its interface, as the flags of a packet say it. */
export const PACKET_INBOUND = 1;
export const PACKET_OUTBOUND = 2;

const WORD_OCTETS = 4;
const TIME_OFFSET_OCTETS = 8;

export interface CapturedPacket {
  /** Index of the interface in the order of writing. */
  readonly interfaceIndex: number;
  readonly timeNs: number;
  /** The frame from its destination address on, as far as it was kept. */
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
    optionOctets(NANOSECONDS.length) +
    optionOctets(NO_FCS.length) +
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
  const view = startBlock(octets, at, BLOCK_SECTION_HEADER, SECTION_BLOCK_OCTETS);
  view.setUint32(8, BYTE_ORDER_MAGIC, true);
  view.setUint16(12, 1, true); // version 1.0
  view.setUint16(14, 0, true);
  view.setBigInt64(16, -1n, true); // length of the section not given
  return at + view.byteLength;
}

export function writeInterfaceBlock(
  octets: Uint8Array,
  at: number,
  capture: CaptureInterface,
): number {
  const view = startBlock(octets, at, BLOCK_INTERFACE, interfaceBlockOctets(capture));
  view.setUint16(8, LINKTYPE_ETHERNET, true);
  view.setUint16(10, 0, true);
  view.setUint32(12, capture.snapOctets, true);
  let next = writeOption(view, 16, OPTION_INTERFACE_NAME, asciiOctets(capture.name));
  next = writeOption(view, next, OPTION_INTERFACE_TIME_RESOLUTION, NANOSECONDS);
  next = writeOption(view, next, OPTION_INTERFACE_FCS_LENGTH, NO_FCS);
  if (capture.epochSeconds !== undefined) {
    const offset = new Uint8Array(TIME_OFFSET_OCTETS);
    new DataView(offset.buffer).setBigInt64(0, BigInt(capture.epochSeconds), true);
    next = writeOption(view, next, OPTION_INTERFACE_TIME_OFFSET, offset);
  }
  view.setUint32(next, OPTION_END, true);
  return at + view.byteLength;
}

export function writePacketBlock(octets: Uint8Array, at: number, packet: CapturedPacket): number {
  const view = startBlock(octets, at, BLOCK_ENHANCED_PACKET, packetBlockOctets(packet));
  const body = at + 8;
  view.setUint32(8, packet.interfaceIndex, true);
  view.setUint32(12, Math.floor(packet.timeNs / TWO_TO_32), true);
  view.setUint32(16, packet.timeNs % TWO_TO_32, true);
  view.setUint32(20, packet.octets.length, true);
  view.setUint32(24, packet.originalOctets, true);
  octets.set(packet.octets, body + PACKET_BODY_OCTETS);
  const { comment, direction = 0 } = packet;
  if (comment === '' && direction === 0) return at + view.byteLength;
  let next = 8 + PACKET_BODY_OCTETS + padded(packet.octets.length);
  if (comment !== '') next = writeOption(view, next, OPTION_COMMENT, asciiOctets(comment));
  if (direction !== 0) {
    next = writeOption(view, next, OPTION_PACKET_FLAGS, Uint8Array.of(direction, 0, 0, 0));
  }
  view.setUint32(next, OPTION_END, true);
  return at + view.byteLength;
}

/** A cleared block with its type and both lengths. */
function startBlock(octets: Uint8Array, at: number, type: number, length: number): DataView {
  requireRoom(octets, at, length);
  octets.fill(0, at, at + length);
  const view = new DataView(octets.buffer, octets.byteOffset + at, length);
  view.setUint32(0, type, true);
  view.setUint32(4, length, true);
  view.setUint32(length - 4, length, true);
  return view;
}

function optionOctets(valueOctets: number): number {
  return OPTION_HEADER_OCTETS + padded(valueOctets);
}

function writeOption(view: DataView, at: number, code: number, value: Uint8Array): number {
  view.setUint16(at, code, true);
  view.setUint16(at + 2, value.length, true);
  value.forEach((octet, index) => {
    view.setUint8(at + OPTION_HEADER_OCTETS + index, octet);
  });
  return at + optionOctets(value.length);
}

/** A character outside ASCII becomes a question mark. */
function asciiOctets(text: string): Uint8Array {
  return Uint8Array.from(text.split(''), (character) => {
    const code = character.charCodeAt(0);
    return code < 0x80 ? code : 0x3f;
  });
}
