/** Octets and 32-bit words as numbers. */

export const OCTET_BITS = 8;
/** Numbers of 32 bits; a double holds more than one word of them exactly. */
export const TWO_TO_32 = 0x1_0000_0000;
