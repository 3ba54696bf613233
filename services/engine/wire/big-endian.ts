/** Numbers in network order. Readers trust the caller to have checked the length. */

import { TWO_TO_32 } from '../units/words.js';
import { assert } from '../kernel/assert.js';

export function readU16(octets: Uint8Array, at: number): number {
  return (octets[at] << 8) | octets[at + 1];
}

export function readU24(octets: Uint8Array, at: number): number {
  return (octets[at] << 16) | readU16(octets, at + 1);
}

export function readU32(octets: Uint8Array, at: number): number {
  return ((readU16(octets, at) << 16) | readU16(octets, at + 2)) >>> 0;
}

export function readU48(octets: Uint8Array, at: number): number {
  return readU16(octets, at) * TWO_TO_32 + readU32(octets, at + 2);
}

export function writeU16(octets: Uint8Array, at: number, value: number): void {
  assert(value >= 0 && value <= 0xffff && at + 1 < octets.length, 'wire.16-bits');
  octets[at] = value >>> 8;
  octets[at + 1] = value;
}

export function writeU24(octets: Uint8Array, at: number, value: number): void {
  assert(value >= 0 && value <= 0xffffff, 'wire.24-bits');
  octets[at] = value >>> 16;
  writeU16(octets, at + 1, value & 0xffff);
}

export function writeU32(octets: Uint8Array, at: number, value: number): void {
  writeU16(octets, at, value >>> 16);
  writeU16(octets, at + 2, value & 0xffff);
}

export function writeU48(octets: Uint8Array, at: number, value: number): void {
  assert(value >= 0 && value < 2 ** 48, 'wire.48-bits');
  writeU16(octets, at, Math.floor(value / TWO_TO_32));
  writeU32(octets, at + 2, value >>> 0);
}

/** A typed array drops what is written past its end; an encoder must not lose octets like that. */
export function requireRoom(octets: Uint8Array, at: number, length: number): void {
  if (at + length > octets.length) {
    throw new RangeError(`no room for ${length} octets at ${at} of ${octets.length}`);
  }
}
