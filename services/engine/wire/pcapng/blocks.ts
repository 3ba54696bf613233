/** Numbers of the pcapng format (draft-ietf-opsawg-pcapng) that writer and reader share. */

export const BLOCK_SECTION_HEADER = 0x0a0d0d0a;
export const BLOCK_INTERFACE = 1;
export const BLOCK_ENHANCED_PACKET = 6;

/** Reads as itself in the section's own byte order. */
export const BYTE_ORDER_MAGIC = 0x1a2b3c4d;

export const LINKTYPE_ETHERNET = 1;
/** For private use: of interfaces that have control ordered sets instead of frames. */
export const LINKTYPE_USER0 = 147;

export const OPTION_END = 0;
export const OPTION_COMMENT = 1;
export const OPTION_PACKET_FLAGS = 2;
export const OPTION_INTERFACE_NAME = 2;
export const OPTION_INTERFACE_TIME_RESOLUTION = 9;
export const OPTION_INTERFACE_FCS_LENGTH = 13;
export const OPTION_INTERFACE_TIME_OFFSET = 14;

/** Block type and length before the body, length again behind it. */
export const BLOCK_FRAME_OCTETS = 12;
export const SECTION_BODY_OCTETS = 16;
export const INTERFACE_BODY_OCTETS = 8;
export const PACKET_BODY_OCTETS = 20;
/** Code and length of an option. */
export const OPTION_HEADER_OCTETS = 4;

/** Packet data and option values are padded to words of 32 bits. */
export function padded(octets: number): number {
  return Math.ceil(octets / 4) * 4;
}
